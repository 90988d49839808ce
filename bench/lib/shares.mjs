// Folds a CPU profile of V8 into shares: where the time of Baton's thread goes. Pure.

import { percentile } from "./figures.mjs";

/** What the thread may be doing, by the kind of a sample. */
const KINDS = {
  wasm: "wasm",
  border: "crossing between wasm and JavaScript",
  glue: "JavaScript around the wasm",
  called: "the runtime's functions that JavaScript calls",
  garbage: "garbage collection",
  program: "the runtime by itself: HTTP, streams, promises, disk",
};
const BY_NAME = {
  "(program)": "program",
  "(root)": "program",
  "(garbage collector)": "garbage",
  "(idle)": "idle",
  "wasm-to-js": "border",
  "js-to-wasm": "border",
};
const SHOWN = 12;
const isNameless = (name) => /^wasm-function\[\d+\]$/.test(name);

function kindOf({ functionName, url }) {
  const named = BY_NAME[functionName.split(":")[0]];
  if (named) return named;
  if (url.startsWith("wasm://")) return "wasm";
  return url ? "glue" : "called";
}

/**
 * Folds a profile, as `Profiler.stop` returns it, and the ms for which the thread ran meanwhile into ms: `{ kinds, functions }`. `functions` are
 * `{ name, kind, ms }`, of each function's own time, the longest first.
 *
 * Each sample counts as the usual interval between two, however long the real one was: a thread that waits for a core has no samples, and on a busy
 * machine it often waits. V8 takes none either while the runtime works outside it. So what the thread ran for beyond the samples is the runtime's own.
 */
export function folded({ nodes, samples, timeDeltas }, ran_ms) {
  const each_ms = (percentile(timeDeltas, 25) ?? 0) / 1_000;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const kinds = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0]));
  const functions = new Map();
  for (const id of samples) {
    const frame = frames.get(id);
    const kind = kindOf(frame);
    if (kind === "idle") continue;
    kinds[kind] += each_ms;
    const key = `${kind} ${frame.functionName} ${frame.url}`;
    functions.set(key, { name: frame.functionName || "(no name)", kind, ms: (functions.get(key)?.ms ?? 0) + each_ms });
  }
  const sampled = Object.values(kinds).reduce((sum, ms) => sum + ms, 0);
  kinds.program += Math.max(0, ran_ms - sampled);
  return { kinds, functions: [...functions.values()].sort((a, b) => b.ms - a.ms) };
}

/** Returns a folded profile of `count` requests of one kind as text: the thread's time of a request, and where it goes. */
export function shownShares(load, { count, per_s }, { kinds, functions }) {
  const all = Object.values(kinds).reduce((sum, ms) => sum + ms, 0);
  const line = (what, ms) => `  ${what.padEnd(54)}${((ms * 1_000) / count).toFixed(1).padStart(8)} µs${((ms / all) * 100).toFixed(1).padStart(7)} %`;
  const named = functions.filter(({ name, kind }) => kind !== "program" && kind !== "garbage" && !isNameless(name)).slice(0, SHOWN);
  const isStripped = functions.some(({ name }) => isNameless(name));
  return [
    `${load}: ${Math.round(per_s).toLocaleString("en")} requests a second. The thread's time for each:`,
    line("in all", all),
    ...Object.entries(KINDS).map(([kind, what]) => line(what, kinds[kind])),
    "The functions that take most of it themselves:",
    ...named.map(({ name, kind, ms }) => line(`${name} (${kind})`, ms)),
    ...(isStripped ? ["The wasm's functions have no names here: a build strips them (--strip-debug in scripts/build.mjs)."] : []),
  ].join("\n");
}
