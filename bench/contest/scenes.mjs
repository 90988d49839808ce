// What is played before each contender, and what is measured of it. All loops end by count and by time.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { diceOf } from "../../scripts/dice.mjs";
import { percentile } from "../lib/figures.mjs";
import { handovers, mostInside, outcome, overtaken, SKEW_MS } from "./judge.mjs";
import { POLL_EVERY_MS } from "./manners.mjs";
import { planPeople } from "./plan.mjs";
import { cpuOf, memoryOf } from "./processes.mjs";
import { Visit } from "./visit.mjs";

const LONG_MS = 3_600_000;
/** After so long a permit whose holder does not come back is free again, where the recipe has such a limit. Here it is short, so that it is seen. */
export const LIMIT_MS = 6_000;
/** The rooms, with how many permits and which limit. */
export const SCENES = {
  line: { room: "line", permits: 1, limitMs: LONG_MS },
  hand: { room: "hand", permits: 10, limitMs: LONG_MS },
  gone: { room: "gone", permits: 1, limitMs: LIMIT_MS },
  crowd: { room: "crowd", permits: 5, limitMs: LIMIT_MS },
};

const TOGETHER = 32;
const WARM = 50;
const JOINS_MS_MAX = 60_000;
const WINDOW_MS = 10_000;
/** People before ten permits: forty always wait. */
const SLOTS = 50;
const COME_MS = 2_000;
const HAND_MS_MAX = 30_000;
const HOLD_MS = [200, 600];
const GONE_MS_MAX = 15_000;
const CROWD = { people: 60, withinMs: 6_000, holdMs: [1_000, 4_000], seed: 47 };
const KILL_AFTER_MS = 8_000;
const CROWD_MS_MAX = 90_000;

/** Resolves to whether the promise did so within the time. */
const within = (promise, ms) => Promise.race([promise.then(() => true), sleep(ms, false, { ref: false })]);

/** Watches how long this process was held up. On a busy machine it hears of two calls in the wrong order, and must accuse nobody of that. */
function lagWatch() {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return () => delay.disable() && delay.max / 1e6;
}

/** Starts a visit for each of these people. */
function visits(manner, log, people, name = (i) => `p${i + 1}`) {
  return people.map((person, i) => new Visit({ manner, log, name: name(i), person }));
}

/** People join and wait. Measures joins a second, and what a waiting person costs. */
export async function line(contender, { people }) {
  const manner = await contender.open(SCENES.line);
  const [holder, ...warm] = visits(manner, [], await manner.newcomers(1 + WARM));
  void holder.wait();
  await within(holder.told, JOINS_MS_MAX);
  await holder.enter();
  for (const visit of warm) void visit.wait();
  await within(Promise.all(warm.map(({ joined }) => joined)), JOINS_MS_MAX);
  const queue = visits(manner, [], await manner.newcomers(people));
  const memory = memoryOf(contender.pids());
  const from = performance.now();
  const left = [...queue];
  await within(
    Promise.all(
      Array.from({ length: TOGETHER }, async () => {
        for (let visit = left.pop(); visit && performance.now() - from < JOINS_MS_MAX; visit = left.pop()) {
          void visit.wait();
          await visit.joined;
        }
      }),
    ),
    JOINS_MS_MAX,
  );
  const seconds = (performance.now() - from) / 1_000;
  const joined = queue.filter(({ hasPlace }) => hasPlace).length;
  await sleep(1_000);
  const [asked, cpu] = [manner.asked, cpuOf(contender.pids())];
  const grown = memoryOf(contender.pids()) - memory;
  await sleep(WINDOW_MS);
  const perMinute = 60_000 / WINDOW_MS / (joined + WARM);
  const figures = {
    joins_per_s: joined / seconds,
    memory_kb: grown / 1_024 / joined,
    requests_per_min: (manner.asked - asked) * perMinute,
    cpu_ms_per_min: (cpuOf(contender.pids()) - cpu) * 1_000 * perMinute,
  };
  for (const visit of [...warm, ...queue]) visit.end();
  await contender.close();
  return figures;
}

/** Permits go from hand to hand; whoever leaves comes again at the end. Measures how long the next one waits for the word. */
export async function hand(contender, { pairs, told }) {
  const { permits } = SCENES.hand;
  const manner = await contender.open(SCENES.hand);
  const log = [];
  const lagged = lagWatch();
  const roll = diceOf(CROWD.seed);
  const wanted = permits + WARM + pairs;
  const spare = await manner.newcomers(SLOTS + wanted);
  const end = performance.now() + HAND_MS_MAX;
  let [came, called] = [0, 0];
  const isOver = () => called >= wanted || performance.now() > end;
  await Promise.all(
    Array.from({ length: SLOTS }, async () => {
      // They do not all come, nor poll, at the same moment.
      await sleep(roll() * (told === "poll" ? POLL_EVERY_MS : COME_MS));
      while (!isOver() && spare.length > 0) {
        const visit = new Visit({ manner, log, name: `p${++came}`, person: spare.pop() });
        void visit.wait();
        while (!visit.isCalled && !isOver()) await within(visit.told, 500);
        if (!visit.isCalled) return visit.giveUp();
        called += 1;
        await visit.enter();
        await sleep(HOLD_MS[0] + roll() * (HOLD_MS[1] - HOLD_MS[0]));
        await visit.leave();
      }
    }),
  );
  const lag_ms = lagged();
  await contender.close();
  const times = handovers(log, permits).slice(WARM);
  return {
    handed: times.length,
    p50_ms: percentile(times, 50),
    p99_ms: percentile(times, 99),
    most: mostInside(log),
    permits,
    overtaken: overtaken(log, Math.max(SKEW_MS, lag_ms)).length,
    people: came,
    lag_ms,
  };
}

/** The one holder is gone for good. Measures until the next one is told. */
export async function gone(contender) {
  const manner = await contender.open(SCENES.gone);
  const [holder, next] = visits(manner, [], await manner.newcomers(2));
  void holder.wait();
  await within(holder.told, GONE_MS_MAX);
  void next.wait();
  await within(next.joined, GONE_MS_MAX);
  await holder.enter();
  const from = performance.now();
  const came = await within(next.told, GONE_MS_MAX);
  next.end();
  await contender.close();
  return { lost_s: came ? (performance.now() - from) / 1_000 : null, waited_s: GONE_MS_MAX / 1_000 };
}

/** A crowd with all habits, and a server that is killed in its middle. Then as many ask as could show how many permits are left. */
export async function crowd(contender, { told }) {
  const { permits } = SCENES.crowd;
  const manner = await contender.open(SCENES.crowd);
  const log = [];
  const lagged = lagWatch();
  const plans = planPeople(CROWD);
  const people = await manner.newcomers(plans.length + 2 * permits);
  const end = performance.now() + CROWD_MS_MAX;
  const all = plans.map((plan, i) => live(plan, new Visit({ manner, log, name: plan.name, person: people[i] }), end));
  const kill = sleep(KILL_AFTER_MS).then(async () => {
    log.push({ at: performance.now(), what: "kill" });
    await contender.kill();
    log.push({ at: performance.now(), what: "up" });
  });
  await Promise.all([...all, kill]);
  const lag_ms = lagged();
  const killedAt = log.find(({ what }) => what === "kill").at;
  const upAt = log.find(({ what }) => what === "up").at;
  // Until limits, and polls of those who are gone, have run out.
  await sleep(told === "poll" ? 3 * POLL_EVERY_MS + 1_000 : LIMIT_MS + 1_000);
  const askers = visits(manner, [], people.slice(plans.length));
  for (const visit of askers) void visit.wait();
  await sleep(told === "poll" ? 2 * POLL_EVERY_MS : POLL_EVERY_MS);
  const left = askers.filter(({ isCalled }) => isCalled).length;
  for (const visit of askers) visit.end();
  await contender.close();
  return {
    ...outcome(log),
    permits,
    most_before: mostInside(log, [-Infinity, killedAt]),
    most_after: mostInside(log, [killedAt, Infinity]),
    overtaken: overtaken(log, Math.max(SKEW_MS, lag_ms)).length,
    people: plans.length,
    lag_ms,
    permits_left: left,
    away_s: (upAt - killedAt) / 1_000,
  };
}

/** Plays one plan. */
async function live(plan, visit, end) {
  await sleep(plan.arriveMs);
  void visit.wait();
  if (["vanish", "away", "quit"].includes(plan.habit) && !(await within(visit.told, plan.habitMs))) {
    if (plan.habit === "away") visit.cut(plan.awayMs);
    if (plan.habit === "quit") return visit.leave("quit");
    if (plan.habit === "vanish") {
      visit.note("quit");
      return visit.end();
    }
  }
  if (!(await within(visit.told, end - performance.now()))) return visit.giveUp();
  if (!(await visit.enter())) return undefined;
  await sleep(plan.holdMs);
  if (plan.habit === "vanish_inside") return visit.note("out");
  return visit.leave();
}
