// `npm run bench -- --profile KIND`: puts one kind of load on Baton and asks V8, by workerd's inspector, where the time of its thread goes. Front and
// objects share that thread. The profiler takes some of it, so rates are lower than those of the rows.

import { walkIn } from "../rows/forwarding.mjs";
import { PAGE } from "../rows/strangers.mjs";
import { threadMs } from "../scale/gauge.mjs";
import { load, loadEach } from "./load.mjs";
import { folded, shownShares } from "./shares.mjs";
import { LINE, OPEN } from "./stage.mjs";
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
  stranger: (baton, { connections }) => (seconds) => load(`${baton.url}/line/page`, { connections, seconds, headers: PAGE }),
  async status(baton, { connections }) {
    const cookies = await joined(baton, "line", POLLERS);
    return (seconds) => loadEach(`${baton.url}/__baton/line/status`, { connections, seconds, cookies, method: "GET", good: 200, again: true });
  },
  claim: async (baton, options) => once(baton, "called/claim", await called(baton, "called", CALLED_MAX), 200, options),
  join: async (baton, options) => once(baton, "line/join", await baton.visitors(CALLED_MAX), 201, options),
};

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
  const baton = await stage.baton({ in: OPEN, line: LINE, called: CALLS }, { inspector: true });
  const run = await LOADS[kind](baton, stage.options);
  await run(WARM_UP_S);
  const inspector = stage.keep(await inspect(baton.inspectorUrl));
  await inspector.call("Profiler.enable");
  await inspector.call("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await inspector.call("Profiler.start");
  const from = threadMs(baton.pid);
  const figures = await run(stage.options.seconds);
  const ran_ms = threadMs(baton.pid) - from;
  const { profile } = await inspector.call("Profiler.stop");
  return shownShares(kind, figures, folded(profile, ran_ms));
}

/** Speaks the DevTools protocol with the isolate of Baton's worker; beside it run the assets and the feeder. Resolves to `{ call, stop }`. */
async function inspect(url) {
  const targets = await (await fetch(`${url}/json`)).json();
  const socket = new WebSocket(targets.find(({ id }) => id === "main").webSocketDebuggerUrl);
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
  const call = (method, params = {}) => new Promise((resolve) => {
    waiting.set(++asked, resolve);
    socket.send(JSON.stringify({ id: asked, method, params }));
  });
  return { call, stop: () => socket.close() };
}
