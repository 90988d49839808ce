// Measures the pure core by itself: natively, and as wasm under Node, built for size as the worker is. Both do the same work
// (bench/core/src/lib.rs). Figures are nanoseconds an operation, medians of interleaved rounds.
//
//   node bench/core.mjs [WAITING…]      prints one JSON object a line

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { SMALL } from "../scripts/build.mjs";
import { inRoot, must, run } from "../scripts/common.mjs";
import { median } from "./lib/figures.mjs";

const ROUNDS = 9;
const BATCHES = 60;
/** How long the line is on which the wasm gets warm. */
const WARM = 100_000;
const crate = inRoot("bench", "core");
const target = process.env.CARGO_TARGET_DIR ?? inRoot("target");
const manifest = ["--release", "--locked", "--manifest-path", path.join(crate, "Cargo.toml")];

/** Builds the native program and the wasm. */
export async function buildCore() {
  const env = { ...process.env, CARGO_TARGET_DIR: target };
  await must("cargo", ["build", ...manifest], { env, quiet: true });
  // Only a `cdylib`, as for the worker (src/edge/Cargo.toml): cargo optimises no other kind of library at link time.
  const wasm = ["--lib", "--crate-type", "cdylib", "--target", "wasm32-unknown-unknown"];
  await must("cargo", ["rustc", ...manifest, ...wasm], { env: { ...env, ...SMALL }, quiet: true });
}

/** Resolves to `{ what, waiting, native_ns, wasm_ns }` for each kind of work and each length of the line; rows about sizes have `bytes` instead. */
export async function measureCore(lengths = [1_000_000]) {
  const found = [];
  for (const waiting of lengths) {
    const native = await runNative(waiting);
    const wasm = await runWasm(waiting);
    for (const { what, ns, bytes } of native)
      found.push(bytes === undefined ? { what, waiting, native_ns: ns, wasm_ns: wasm.get(what) } : { what, waiting, bytes });
  }
  return found;
}

async function runNative(waiting) {
  const { code, text } = await run(path.join(target, "release", "baton-bench-core"), [String(waiting)], { capture: true, quiet: true });
  if (code !== 0) throw new Error(`baton-bench-core ended with ${code}:\n${text}`);
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line));
}

/**
 * What the module exports: it takes and returns counts and bytes.
 * @typedef {{ memory: WebAssembly.Memory } & Record<"ahead" | "cycles" | "draw" | "hall" | "hear" | "index_slice" | "join" | "list" | "object" |
 *   "pages" | "prepare" | "prepare_turn" | "restore" | "snapshot" | "turn", (...counts: number[]) => number>} Core
 */

async function load() {
  const bytes = readFileSync(path.join(target, "wasm32-unknown-unknown", "release", "baton_bench_core.wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return /** @type {Core} */ (instance.exports);
}

/** Does the same work as main.rs, and returns the medians by name. */
async function runWasm(waiting) {
  const core = await load();
  warm(core);
  core.prepare(waiting, 30);
  const times = { ahead: [], cycle: [], join: [] };
  const count = Math.min(20_000, Math.floor(waiting / 2));
  for (let round = 0; round < ROUNDS; round++) {
    times.ahead.push(timed(200_000, () => core.ahead(200_000)));
    times.cycle.push(timed(count, () => core.cycles(count)));
    const size = Math.min(1_000, Math.floor(count / 5));
    times.join.push(timed(count, () => core.join(Math.floor(count / size), size)));
  }
  const lists = Array.from({ length: ROUNDS }, () => timed(1, () => core.list()));
  const longest = Array.from({ length: 200 }, () => timed(1, () => core.join(1, 1_000)));
  // Those joins made the line longer than `waiting`, so begin again.
  core.prepare(waiting, 30);
  const snapshot = longestOfSnapshots(core);
  const restores = [];
  const joins = [];
  const slices = [];
  for (let round = 0; round < 3; round++) {
    restores.push(timed(1, () => done(core.restore())));
    joins.push(timed(1, () => done(core.join(1, 1))));
    for (let left = 1; left > 0; ) slices.push(timed(1, () => (left = core.index_slice())));
  }
  const turns = [];
  for (let round = 0; round < 3; round++) {
    core.prepare(waiting, 30);
    core.prepare_turn(waiting * 0.3, waiting * 0.1, 100);
    turns.push(timed(1, () => core.turn()));
  }
  core.prepare(0, 0);
  done(core.object(waiting, BATCHES, 1_000));
  times.batch = Array.from({ length: BATCHES }, () => timed(1_000, () => done(core.hear(1))));
  return new Map(
    [...Object.entries(times), ["list of a lobby", lists], ["restart", restores], ["join after a restart", joins], ["turn", turns]].map(
      ([what, all]) => [what, median(all)],
    ),
  )
    .set("longest turn of 1,000 joins", Math.max(...longest))
    .set("longest turn of a snapshot", snapshot)
    .set("longest slice of the index", Math.max(...slices));
}

/** Returns the longest turn of a snapshot for which every page has changed: of each of its turns the median of several snapshots. */
function longestOfSnapshots(core) {
  done(core.snapshot());
  const turns = [];
  for (let round = 0; round < ROUNDS; round++) {
    done(core.stir());
    for (let at = 0, whole = 0; whole === 0; at++) (turns[at] ??= []).push(timed(1, () => (whole = core.snapshot_turn())));
  }
  return Math.max(...turns.map(median));
}

/**
 * Does everything often enough that V8 has compiled it for good. Wasm begins as code that was made in a hurry, and while the better code is being made the
 * machine has less time for the work itself. A long line is made by so much work that this is over; a line of 1,000 would be measured while it goes on.
 */
function warm(core) {
  core.prepare(WARM, 30);
  for (let round = 0; round < ROUNDS; round++) {
    core.ahead(WARM);
    core.cycles(WARM / 10);
    core.join(10, WARM / 100);
    core.list();
  }
  done(core.object(WARM, BATCHES, 1_000));
  done(core.hear(BATCHES));
  core.prepare(WARM, 30);
  longestOfSnapshots(core);
  done(core.restore());
  done(core.join(1, 1));
  while (core.index_slice() > 0);
  core.prepare_turn(WARM * 0.3, WARM * 0.1, 100);
  core.turn();
}

/** Throws if the core refused the work, which would look fast. */
function done(value) {
  if (!(value > 0)) throw new Error("the core refused what was to be measured");
}

/** Returns nanoseconds an operation. */
function timed(operations, work) {
  const startedAt = performance.now();
  work();
  return ((performance.now() - startedAt) * 1e6) / Math.max(1, operations);
}

/** Resolves to the bytes by which the wasm memory grows when `waiting` people join an empty room, in whole pages of 64 KiB. */
export async function bytesOfWaiting(waiting) {
  const core = await load();
  core.prepare(0, 0);
  const before = core.memory.buffer.byteLength;
  const joined = core.join(waiting / 1_000, 1_000);
  if (joined !== waiting) throw new Error(`of ${waiting} joins the room took ${joined}`);
  return core.memory.buffer.byteLength - before;
}

/** Resolves to the same for each visitor. */
export const bytesPerWaiting = async (waiting = 1_000_000) => (await bytesOfWaiting(waiting)) / waiting;

/** Resolves to the bytes by which the wasm memory grows from an empty room to the end of a draw of so many entries, each an account's. */
export async function bytesOfDraw(entries) {
  const core = await load();
  const before = core.memory.buffer.byteLength;
  core.hall(entries, 1);
  const drawn = core.draw();
  if (drawn !== entries) throw new Error(`of ${entries} entries ${drawn} were drawn`);
  return core.memory.buffer.byteLength - before;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await buildCore();
  const lengths = process.argv.slice(2).map(Number);
  for (const row of await measureCore(lengths.length > 0 ? lengths : undefined)) console.log(JSON.stringify(row));
  console.log(JSON.stringify({ what: "bytes per waiting visitor", waiting: 1_000_000, wasm_bytes: await bytesPerWaiting() }));
}
