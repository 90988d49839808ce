// `npm run bench -- --profile KIND`: puts one kind of load on Baton and asks V8, by workerd's inspector, where the time of its thread goes. Front and
// objects share that thread. The profiler takes some of it, so rates are lower than those of the rows.

import { walkIn } from "../rows/forwarding.mjs";
import { PAGE } from "../rows/strangers.mjs";
import { threadMs } from "../scale/gauge.mjs";
import { load, loadEach } from "./load.mjs";
import { folded, shownShares } from "./shares.mjs";
import { DEAF, LINE, OPEN } from "./stage.mjs";
import { CALLED_MAX, called, CALLS, joined } from "./visitors.mjs";

/** The time between two samples. With 200 the profiler itself took a seventh of the thread. */
const SAMPLE_US = 500;
const POLLERS = 1_000;
/** How many of those who can ask only once may do so while everything warms up. */
const WARMING = 2_000;
const WARM_UP_S = 1;

/** The kinds of load: each prepares its visitors, and resolves to what puts the load on for some seconds. */
export const LOADS = {
  async forward(baton, { connections }) {
    const headers = { cookie: await walkIn(baton, "in"), accept: "text/html" };
    return (seconds) => load(`${baton.url}/in/page`, { connections, seconds, headers });
  },
  stranger:
    (baton, { connections }) =>
    (seconds) =>
      load(`${baton.url}/line/page`, { connections, seconds, headers: PAGE }),
  async status(baton, { connections }) {
    const cookies = await joined(baton, "line", POLLERS);
    return (seconds) => loadEach(`${baton.url}/__baton/line/status`, { connections, seconds, cookies, method: "GET", good: 200, again: true });
  },
  claim: async (baton, options) => once(baton, "called/claim", await called(baton, "called", CALLED_MAX), 200, options),
  join: async (baton, options) => once(baton, "line/join", await baton.visitors(CALLED_MAX), 201, options),
  batches:
    (baton, { connections }) =>
    (seconds) =>
      load(`${baton.feederUrl}/feed/${FED}/1000`, { connections, seconds }),
};
/** The room to which the feeder sends batches of 1,000 joins. */
const FED = "fed-profile";
/** Who plays the lobbies of that room, in an isolate of its own on the same thread. */
const FEEDER = "feeder";

/** Each of `cookies` asks once; when all have asked, the load ends early. */
function once(baton, path, cookies, good, { connections }) {
  let warming = cookies.splice(0, WARMING);
  return (seconds) => {
    const now = warming ?? cookies;
    warming = undefined;
    return loadEach(`${baton.url}/__baton/${path}`, { connections: connections * 4, seconds, cookies: now, good });
  };
}

/** Profiles Baton under one kind of load. Resolves to the text to print. */
export async function profiled(stage, kind) {
  const isFed = kind === "batches";
  const baton = await stage.baton({ in: OPEN, line: LINE, called: CALLS, [FED]: LINE }, { inspector: true, ...(isFed && { wrapper: DEAF }) });
  const run = await LOADS[kind](baton, stage.options);
  await run(WARM_UP_S);
  const isolates = [];
  for (const id of isFed ? ["main", FEEDER] : ["main"]) isolates.push(stage.keep(await inspect(baton.inspectorUrl, id)));
  const all = (method, params) => Promise.all(isolates.map((isolate) => isolate.call(method, params)));
  await all("Profiler.enable");
  await all("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await all("Profiler.start");
  const from = threadMs(baton.pid);
  const figures = await run(stage.options.seconds);
  const ran_ms = threadMs(baton.pid) - from;
  const [own, feeder] = (await all("Profiler.stop")).map(({ profile }) => profile);
  if (feeder === undefined) return shownShares(kind, figures, folded(own, ran_ms));
  const {
    kinds: { program: _, ...kinds },
    functions,
  } = folded(feeder, 0);
  const fed_ms = Object.values(kinds).reduce((sum, ms) => sum + ms, 0);
  return [
    shownShares(kind, figures, folded(own, ran_ms - fed_ms)),
    `Beside that the feeder takes ${((fed_ms * 1_000) / figures.count).toFixed(1)} µs: ${Object.entries(kinds)
      .map(([what, ms]) => `${what} ${((ms * 1_000) / figures.count).toFixed(1)}`)
      .join(", ")}`,
    ...functions
      .filter(({ kind: of }) => of !== "program")
      .slice(0, 6)
      .map(({ name, ms }) => `  ${name} ${((ms * 1_000) / figures.count).toFixed(1)} µs`),
  ].join("\n");
}

/** Speaks the DevTools protocol with an isolate: `main` is Baton's worker; beside it run the assets and the feeder. Resolves to `{ call, stop }`. */
async function inspect(url, isolate) {
  const targets = await (await fetch(`${url}/json`)).json();
  const found = targets.find(({ id }) => id === isolate);
  if (found === undefined) throw new Error(`${url}: no isolate ${isolate} among ${targets.map(({ id }) => id).join(", ")}`);
  const socket = new WebSocket(found.webSocketDebuggerUrl);
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
    waiting.delete(id);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`${url}: no inspector`));
  });
  let asked = 0;
  const call = (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve);
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  return { call, stop: () => socket.close() };
}
