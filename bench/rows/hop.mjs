// One hop, by two shells: a status poll by Baton as it is, and by a shell in which WebAssembly never waits (bench/hop/: synchronous exports over text, and a
// driver in JavaScript that does all the waiting). Both have the same cores and give the same answer. Beside them the least worker in JavaScript that
// asks an object through a header. All three run in one process, and their rounds alternate.

import { inRoot } from "../../scripts/common.mjs";
import { compatibility } from "../../scripts/workerd-config.mjs";
import { buildHop, hopDir } from "../build.mjs";
import { median, percentile } from "../lib/figures.mjs";
import { Line, requestText } from "../lib/line.mjs";
import { load, loadEach } from "../lib/load.mjs";
import { LINE } from "../lib/stage.mjs";
import { headersOf, joined } from "../lib/visitors.mjs";
import { threadMs } from "../scale/gauge.mjs";

/** People in line who poll in turn. */
const POLLERS = 1_000;
/** Each round of the runner has so many short rounds of each: on a busy machine only neighbours compare. */
const SHORT_ROUNDS = 3;
/** The room of Baton's own lobby, and that of the other shell's (`hop/quiet.js` knows it too): names of one length. */
const [TODAY, HOP] = ["poll", "hops"];
/** Half of what the third form asks of status polls: below it a new shell is not worth its cost. */
const TARGET = "≥ 1.22×";

const text = (value) => JSON.stringify(value);

/** The hop's worker. Its lobby speaks with Baton's own room object. */
const hopWorker = (vars) => (file) =>
  `(
  modules = [
    (name = "index.js", esModule = embed ${file(`${hopDir}/index.js`)}),
    (name = "index_bg.wasm", wasm = embed ${file(`${hopDir}/index_bg.wasm`)}),
  ],
  ${compatibility()},
  bindings = [
    (name = "CONFIG", text = ${text(JSON.stringify({ ROOMS: vars.ROOMS, ORIGIN: vars.ORIGIN }))}),
    (name = "BATON_SECRET", text = ${text(vars.BATON_SECRET)}),
    (name = "LOBBY", durableObjectNamespace = "Lobby"),
    (name = "ROOM", durableObjectNamespace = (className = "RoomObject", serviceName = "main")),
  ],
  durableObjectNamespaces = [(className = "Lobby", uniqueKey = "hop-Lobby", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
)`;

const leastWorker = (file) => `(
  modules = [(name = "least.js", esModule = embed ${file(inRoot("bench", "hop", "least.js"))})],
  ${compatibility()},
  bindings = [(name = "DESK", durableObjectNamespace = "Desk")],
  durableObjectNamespaces = [(className = "Desk", uniqueKey = "least-Desk", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
)`;

export const hop = {
  name: "hop",
  async begin(stage) {
    if (stage.options.build) await buildHop();
    const { connections, seconds } = stage.options;
    const beside = (vars) => [
      { name: "hop", worker: hopWorker(vars) },
      { name: "least", worker: leastWorker },
    ];
    const baton = await stage.baton({ [TODAY]: LINE, [HOP]: LINE }, { beside, wrapper: inRoot("bench", "hop", "quiet.js") });
    const url = (name) => `http://127.0.0.1:${baton.runtime.portOf(name)}`;
    const people = { [TODAY]: await joined(baton, TODAY, POLLERS), [HOP]: await joined(baton, HOP, POLLERS) };
    await saysTheSame(baton, baton.runtime.portOf("hop"), people);
    const short = { connections, seconds: Math.max(1, Math.round(seconds / SHORT_ROUNDS)) };
    const polls = (room, of) =>
      loadEach(`${of}/__baton/${room}/status`, { ...short, as: baton.origin, cookies: people[room], method: "GET", good: 200, again: true });
    const each = {
      least: () => load(`${url("least")}/__baton/${TODAY}/status`, { ...short, headers: headersOf(baton, people[TODAY][0]) }),
      today: () => polls(TODAY, baton.url),
      hop: () => polls(HOP, url("hop")),
    };
    const rounds = [];
    const steps = {
      async polls(round) {
        for (let at = 0; at < SHORT_ROUNDS; at++) {
          const found = {};
          for (const [name, step] of Object.entries(each)) found[name] = await timed(baton.pid, step);
          if (round > 0) rounds.push(found);
        }
        return {};
      },
    };
    return { steps, rows: () => rowsOf(rounds, connections) };
  },
};

/** Runs a step, and adds how much of the runtime's thread each of its requests took: other processes take none of that. */
async function timed(pid, step) {
  const from = threadMs(pid);
  const figures = await step();
  return { ...figures, thread_us: ((threadMs(pid) - from) * 1_000) / figures.count };
}

function rowsOf(rounds, connections) {
  const of = (name, figure) => median(rounds.map((round) => round[name][figure]));
  const row = (what, name, ceiling, ceiling_of, target) => ({
    what,
    value: of(name, "per_s"),
    unit: "requests/s",
    ceiling: of(ceiling, "per_s"),
    ceiling_of,
    target,
  });
  const time = (figure) => ({
    what: `the same, ${figure.slice(0, 3)}`,
    value: of("hop", figure),
    unit: "ms",
    ceiling: of("today", figure),
    ceiling_of: "today's shell",
  });
  const perThread = (what, name, ceiling, ceiling_of, target) => ({
    what,
    value: 1e6 / of(name, "thread_us"),
    unit: "requests",
    ceiling: 1e6 / of(ceiling, "thread_us"),
    ceiling_of,
    target,
  });
  const thread = (what, name, ceiling, ceiling_of) => ({
    what,
    value: of(name, "thread_us"),
    unit: "µs",
    ceiling: of(ceiling, "thread_us"),
    ceiling_of,
  });
  const ratios = {
    rate: rounds.map(({ hop: { per_s }, today }) => per_s / today.per_s),
    thread: rounds.map(({ hop: { thread_us }, today }) => today.thread_us / thread_us),
  };
  const spread = (kind, what) =>
    [
      [50, "the median"],
      [25, "the lower quartile"],
      [75, "the upper quartile"],
    ].map(([percent, word]) => ({ what: `${what}, ${word} of ${rounds.length} rounds`, value: percentile(ratios[kind], percent), unit: "×" }));
  return [
    row(`status polls by a driver in JavaScript, ${connections} at once`, "hop", "today", "today's shell", TARGET),
    time("p50_ms"),
    time("p99_ms"),
    ...spread("rate", "polls a second by a driver, against today's shell in the same round"),
    perThread("status polls by a driver for each second that the runtime's thread runs", "hop", "today", "today's shell", TARGET),
    ...spread("thread", "the thread's time by today's shell, against a driver's in the same round"),
    thread("the thread's time for a status poll by a driver", "hop", "today", "today's shell"),
    thread("the thread's time for a status poll by today's shell", "today", "least", "the least, JS"),
    row("status polls by today's shell, against the least JavaScript that asks an object", "today", "least", "the least, JS"),
    row("status polls by a driver, against the same", "hop", "least", "the least, JS"),
  ];
}

/** Holds the two shells to one answer: status, headers and body. A faster shell that says less would prove nothing. */
async function saysTheSame(baton, port, people) {
  const ask = async (to, room) => {
    const line = await Line.open(to);
    const { status, head, body } = await line.send(
      requestText("GET", `/__baton/${room}/status`, { ...headersOf(baton, people[room][0]), host: `127.0.0.1:${baton.port}` }),
    );
    line.close();
    const told = JSON.parse(body);
    // The two rooms differ in what happened to them meanwhile, not in what is told.
    const shape = Object.entries(told)
      .map(([key, value]) => `${key}: ${typeof value}`)
      .sort();
    return {
      status,
      head: head
        .split("\r\n")
        .slice(1)
        .filter((one) => !/^content-length:/i.test(one))
        .sort(),
      shape,
      state: told.state,
    };
  };
  const [today, other] = [await ask(baton.port, TODAY), await ask(port, HOP)];
  if (JSON.stringify(today) !== JSON.stringify(other))
    throw new Error(`the two shells answer differently:\n${JSON.stringify(today)}\n${JSON.stringify(other)}`);
  if (today.status !== 200 || today.state !== "waiting") throw new Error(`a poll was answered ${today.status}, ${today.state}`);
}
