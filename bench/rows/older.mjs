// This build beside an older one (`--older COMMIT`), on one runtime: what visitors ask most. The two take turns in short rounds, for on a busy machine
// only neighbours compare. Two ratios stand for each kind of request: how many are answered a second, and how much of the runtime's one thread each
// takes, of which other processes take none. Beside the polls stands the least worker in JavaScript that asks an object through a header.
//
// Runs only when it is named: it builds the older commit first.

import { inRoot } from "../../scripts/common.mjs";
import { compatibility } from "../../scripts/workerd-config.mjs";
import { median, percentile } from "../lib/figures.mjs";
import { load, loadEach } from "../lib/load.mjs";
import { olderStage } from "../lib/older.mjs";
import { LINE, OPEN } from "../lib/stage.mjs";
import { called, CALLS, headersOf, joined } from "../lib/visitors.mjs";
import { threadMs } from "../scale/gauge.mjs";
import { walkIn } from "./forwarding.mjs";
import { PAGE } from "./strangers.mjs";

/** People in line who poll in turn. */
const POLLERS = 1_000;
/** People for whom a call is ready, a second of claims: more than can claim. */
const CALLED_PER_S = 2_500;
/** Each round of the runner has so many short rounds of each. */
const SHORT_ROUNDS = 3;
/** What the third form asks of this build, against the commit that `--older` names by default. */
const TARGETS = { "status polls": "≥ 1.45×", "claims on landing": "≥ 1.35×" };

const leastWorker = (file) => `(
  modules = [(name = "asking.js", esModule = embed ${file(inRoot("bench", "ceilings", "asking.js"))})],
  ${compatibility()},
  bindings = [(name = "DESK", durableObjectNamespace = "Desk")],
  durableObjectNamespaces = [(className = "Desk", uniqueKey = "least-Desk", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
)`;

export const older = {
  name: "older",
  isByName: true,
  async begin(stage) {
    const before = stage.keep(await stopping(olderStage(stage.options.older, stage.options)));
    const seconds = Math.max(1, Math.round(stage.options.seconds / SHORT_ROUNDS));
    const often = { connections: stage.options.connections, seconds };
    const rooms = { shut: LINE, in: OPEN, ...Object.fromEntries(roomsCalled(stage.options.rounds).map((room) => [room, CALLS])) };
    const now = await stage.baton(rooms, { beside: () => [{ name: "least", worker: leastWorker }] });
    const [ours, theirs] = [await askers(now, often), await askers(await before.baton(rooms), often)];
    const least = { name: "least", pid: now.pid, url: `http://127.0.0.1:${now.runtime.portOf("least")}/` };
    const found = {};
    const keep = (kind, pair) => (found[kind] ??= []).push(pair);
    const steps = Object.fromEntries(
      Object.keys(ours.each).map((kind) => [
        kind,
        async (round) => {
          for (let at = 0; at < SHORT_ROUNDS; at++) {
            const pair = { now: await ours.timed(kind, round, at), before: await theirs.timed(kind, round, at) };
            if (kind === "status polls") pair.least = await timed(least.pid, () => load(least.url, { ...often, headers: ours.poller }));
            if (round > 0) keep(kind, pair);
          }
          return {};
        },
      ]),
    );
    return { steps, rows: () => Object.entries(found).flatMap(([kind, pairs]) => rowsOf(kind, pairs, stage.options.older)) };
  },
};

/** Makes `stop` of a stage's `end`, so that another stage can keep it. */
async function stopping(starting) {
  const stage = await starting;
  return Object.assign(stage, { stop: () => stage.end() });
}

const roomOf = (round, at) => `called-${round}-${at}`;
const roomsCalled = (rounds) =>
  Array.from({ length: rounds + 1 }, (_, round) => Array.from({ length: SHORT_ROUNDS }, (_, at) => roomOf(round, at))).flat();

/** Returns what asks a build, by kind, each a second or so of requests. */
async function askers(baton, often) {
  const pollers = await joined(baton, "shut", POLLERS);
  const inside = { cookie: await walkIn(baton, "in"), accept: "text/html" };
  const each = {
    "status polls": () => loadEach(`${baton.url}/__baton/shut/status`, { ...often, cookies: pollers, method: "GET", good: 200, again: true }),
    "claims on landing": (cookies, room) =>
      loadEach(`${baton.url}/__baton/${room}/claim`, { ...often, connections: often.connections * 4, cookies, good: 200 }),
    "forwarding with a fresh pass": () => load(`${baton.url}/in/page`, { ...often, headers: inside }),
    "waiting pages for strangers": () => load(`${baton.url}/shut/page`, { ...often, headers: PAGE }),
    "answers of Baton's own (health)": () => load(`${baton.url}/__baton/health`, often),
  };
  return {
    each,
    poller: headersOf(baton, pollers[0]),
    async timed(kind, round, at) {
      if (kind !== "claims on landing") return timed(baton.pid, each[kind]);
      const room = roomOf(round, at);
      const cookies = await called(baton, room, CALLED_PER_S * often.seconds);
      return timed(baton.pid, () => each[kind](cookies, room));
    },
  };
}

/** Runs a step, and adds how much of the runtime's thread each of its requests took, in µs. */
async function timed(pid, step) {
  const from = threadMs(pid);
  const figures = await step();
  return { ...figures, thread_us: ((threadMs(pid) - from) * 1_000) / figures.count };
}

function rowsOf(kind, pairs, commit) {
  const of = (who, figure) => median(pairs.map((pair) => pair[who][figure]));
  const row = (what, unit, who, figure, ceiling, ceiling_of) => ({
    what,
    unit,
    value: of(who, figure),
    ceiling: of(ceiling, figure),
    ceiling_of,
  });
  const ratios = {
    "answered a second": pairs.map(({ now, before }) => now.per_s / before.per_s),
    "by the thread's time": pairs.map(({ now, before }) => before.thread_us / now.thread_us),
  };
  const quarters = [
    [50, "the median"],
    [25, "the lower quartile"],
    [75, "the upper quartile"],
  ];
  return [
    row(kind, "requests/s", "now", "per_s", "before", commit),
    row(`${kind}, p50`, "ms", "now", "p50_ms", "before", commit),
    row(`${kind}, the thread's time for each`, "µs", "now", "thread_us", "before", commit),
    ...Object.entries(ratios).flatMap(([by, all]) =>
      quarters.map(([percent, word]) => ({
        what: `${kind} against ${commit}, ${by}, ${word} of ${all.length} rounds`,
        value: percentile(all, percent),
        unit: "×",
        target: percent === 50 ? TARGETS[kind] : undefined,
      })),
    ),
    ...(pairs[0].least
      ? [row(`${kind}, against the least JavaScript that asks an object`, "requests/s", "now", "per_s", "least", "the least, JS")]
      : []),
  ];
}
