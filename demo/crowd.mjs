// A crowd of simulated visitors in front of any Baton. It checks Baton's promises from the outside.
//
//   node demo/crowd.mjs --url http://localhost:8787/buy/ --visitors 200 --arrive-within 10s --hold 2s..8s
//                       [--vanish 10%] [--reload 10%] [--leave 5%] [--permits 3] [--seed N] [--timeout 10m]
//   node demo/crowd.mjs --url http://localhost:8787/buy/ --trace crowds/opening_rush.csv [--speed 10]
//
// With --trace, people come and stay as the trace says, --speed times as fast (crowds/README.md).
//
// The same seed gives the same plan: who comes when, how long each stays, and who vanishes, reloads or leaves.
// Exit code 0: all is well. 1: a promise was broken. 2: somebody was not served in time, or the arguments are wrong.
//
// It must never accuse Baton wrongly. So it leaves visitors who were away for a moment out of the check of the order. It counts
// a visitor as inside from the landing's answer until just before the visitor hands the permit back: never too many at once.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readArrivals } from "../scripts/crowds/trace.mjs";
import { between, diceOf } from "../scripts/dice.mjs";
import { quantile } from "../scripts/figures.mjs";
import { each, text } from "../scripts/options.mjs";
import { Visitor } from "../tests/support/visitor.mjs";

export const VISITORS_MAX = 20_000;
const RECONNECT_MS = [200, 2_000];
const RELOAD_PAUSE_MS = [200, 2_000]; // well within `linger_s`: a reload must cost nobody the place
const LANDINGS_MAX = 5;
const SEATS_WANTED = [1, 4];
/** Without the shop's own record, the order is judged by when visitors heard of their calls. Messages may overtake each other by this much. */
const HEARD_SLACK_MS = 2_000;

// ------------------------------------------------------------------------------------------------ the plan

/**
 * What a crowd is to do. Durations and instants in ms; `holdMs`: the least, the most.
 * @typedef {object} Plan
 * @property {{ visitor: string, atMs: number, stayMs?: number }[]} [arrivals]
 * @property {number} [speed]
 * @property {number} [visitors]
 * @property {number} [arriveWithinMs]
 * @property {number[]} [holdMs]
 * @property {number} [vanish]
 * @property {number} [reload]
 * @property {number} [leave]
 * @property {number} [habitWithinMs]
 * @property {number} [seed]
 */

/**
 * Returns what each visitor is going to do. Shares are between 0 and 1. A visitor has at most one habit and acts on it within
 * `habitWithinMs` of waiting; a visitor who is let in earlier simply buys. `arrivals` of a trace say who comes when and stays how long,
 * `speed` times as fast. Then `arriveWithinMs` does not count, nor `holdMs` where the trace gives a stay.
 * @param {Plan} plan
 */
export function planCrowd({
  arrivals,
  speed = 1,
  visitors = arrivals?.length,
  arriveWithinMs,
  holdMs,
  vanish = 0,
  reload = 0,
  leave = 0,
  habitWithinMs = arriveWithinMs,
  seed,
}) {
  const random = diceOf(seed);
  const habitOf = (draw) => {
    if (draw < vanish) return "vanish";
    if (draw < vanish + reload) return "reload";
    return draw < vanish + reload + leave ? "leave" : "steady";
  };
  const traced = (i, key, otherwise) => (Number.isFinite(arrivals?.[i][key]) ? arrivals[i][key] / speed : otherwise);
  return Array.from({ length: visitors }, (_, i) => ({
    name: arrivals ? arrivals[i].visitor : `visitor ${i + 1}`,
    arriveAfterMs: traced(i, "atMs", random() * arriveWithinMs),
    holdMs: traced(i, "stayMs", between(random, holdMs)),
    habit: habitOf(random()),
    habitAfterMs: between(random, [0, habitWithinMs]),
    seats: Math.round(between(random, SEATS_WANTED)),
    reconnectMs: between(random, RECONNECT_MS),
    reloadPauseMs: between(random, RELOAD_PAUSE_MS),
  }));
}

// ------------------------------------------------------------------------------------------------ one visitor

/** Plays one visitor. Resolves to how the visit ended: `served`, `sold_out`, `vanished`, `left`, `over` or `refused`. */
async function live(plan, crowd) {
  const visitor = new Visitor({ url: crowd.url, room: crowd.room, headers: crowd.headers, name: plan.name });
  const person = { plan, visitor, arrivedAtMs: null, admittedAtMs: null, walkedIn: false, steady: plan.habit === "steady" };
  crowd.people.push(person);
  await sleep(plan.arriveAfterMs, undefined, { signal: crowd.signal });
  person.arrivedAtMs = Date.now();
  try {
    let landing = await visitor.arrive();
    person.walkedIn = landing.state === "shop";
    crowd.changed();
    if (landing.state === "waiting") {
      const end = await waitInLine(person, crowd);
      if (end !== "called") return end;
      landing = await land(person);
    }
    if (landing.state !== "shop") return "refused";
    if (landing.status >= 400) return await turnAway(visitor);
    return await shopAround(person, crowd);
  } finally {
    visitor.closeSocket();
  }
}

/** Waits until the visitor is called, loses the place, or ends the wait by habit. Resolves to which of these. Reconnects as the page does. */
async function waitInLine(person, crowd) {
  const { visitor, plan } = person;
  const habitAtMs = Date.now() + plan.habitAfterMs;
  let habitDone = plan.habit === "steady";
  while (!crowd.signal.aborted) {
    try {
      if (!visitor.socket) await openAgain(person, crowd);
      crowd.changed();
      const patience = habitDone ? crowd.deadlineMs - Date.now() : habitAtMs - Date.now();
      const { state } = await untilState(visitor, crowd, patience);
      if (state === "called" || state === "admitted") return "called";
      if (state === "over") return "over";
    } catch (error) {
      if (error.name === "AbortError" || Date.now() > crowd.deadlineMs) throw error;
      if (!habitDone && Date.now() >= habitAtMs) {
        habitDone = true;
        const end = await actOut(person, crowd);
        if (end) return end;
      } else {
        person.steady = false; // Baton does not promise connections that last: this visitor no longer counts for the order
        visitor.closeSocket();
        await sleep(plan.reconnectMs, undefined, { signal: crowd.signal });
      }
    }
  }
  throw new Error(`${plan.name}: out of time`);
}

async function openAgain({ visitor }, crowd) {
  const status = await visitor.openSocket();
  if (status?.number !== undefined) crowd.numbers.add(status.number);
}

function untilState(visitor, { signal }, patienceMs) {
  const settled = () => signal.aborted || ["called", "admitted", "over"].includes(visitor.state);
  return visitor.waitFor(settled, Math.max(patienceMs, 1));
}

async function actOut({ visitor, plan }, crowd) {
  if (plan.habit === "leave") {
    await visitor.leave();
    return "left";
  }
  visitor.closeSocket({ abrupt: plan.habit === "vanish" });
  if (plan.habit === "vanish") return "vanished";
  await sleep(plan.reloadPauseMs, undefined, { signal: crowd.signal });
  const page = await visitor.arrive();
  return page.state === "shop" ? "called" : null;
}

async function land({ visitor, plan }) {
  for (let i = 1; ; i += 1) {
    const landing = await visitor.claimByLanding();
    if (landing.state === "shop" || i === LANDINGS_MAX) return landing;
    await sleep(plan.reconnectMs);
  }
}

async function shopAround(person, crowd) {
  const { visitor, plan } = person;
  person.admittedAtMs = Date.now();
  visitor.closeSocket();
  if (visitor.number !== undefined) crowd.numbers.add(visitor.number);
  crowd.step(1);
  let left = false;
  const goOut = () => {
    if (!left) crowd.step(-1);
    left = true;
  };
  try {
    if (crowd.looks > 0) return await lookAround(person, crowd, goOut);
    await sleep(plan.holdMs, undefined, { signal: crowd.signal });
    goOut(); // from here on the permit may already be another visitor's
    const { status, booking } = await visitor.book({ seats: plan.seats });
    if (booking) return "served";
    await visitor.leave();
    return status === 409 ? "sold_out" : "refused";
  } finally {
    goOut();
  }
}

/** Leaves after the shop refused this visitor, so that the next may try. */
async function turnAway(visitor) {
  await visitor.leave();
  return "refused";
}

/** Looks at the page again and again, buys nothing, and gives the permit back. */
async function lookAround({ visitor, plan }, crowd, goOut) {
  const { looks, signal } = crowd;
  for (let look = 0; look < looks; look += 1) {
    await sleep(plan.holdMs / looks, undefined, { signal });
    const { state, status } = await visitor.arrive();
    if (state !== "shop" || status >= 400) return await turnAway(visitor);
    crowd.looked += 1;
  }
  goOut();
  const { status } = await visitor.leave();
  return status < 400 ? "served" : "refused";
}

// ------------------------------------------------------------------------------------------------ the judgement

/**
 * Returns the numbers that were called after a higher one although both visitors were there all the time. `calls` is
 * `[{ number, fence }]`. Fences grow with every call, so the numbers must rise when sorted by fence.
 */
export function outOfOrder(calls, numbersToJudge) {
  const judged = calls.filter(({ number }) => numbersToJudge.has(number)).sort((a, b) => a.fence - b.fence);
  const wrong = [];
  let highest = { number: 0 };
  for (const call of judged) {
    if (call.number < highest.number) wrong.push({ number: call.number, after: highest.number });
    else highest = call;
  }
  return wrong;
}

/** Judges the same by what visitors heard, if the shop keeps no record. */
function heardOutOfOrder(people) {
  const heard = people
    .map(({ visitor }) => ({ number: visitor.number, at: visitor.calledAtMs() }))
    .filter(({ number, at }) => number !== undefined && at !== undefined)
    .sort((a, b) => a.number - b.number);
  const wrong = [];
  let latest = { at: -Infinity };
  for (const call of heard) {
    if (call.at < latest.at - HEARD_SLACK_MS) wrong.push({ number: latest.number, after: call.number });
    if (call.at > latest.at) latest = call;
  }
  return wrong;
}

function judge(crowd, stats, permits) {
  const violations = [];
  const steady = crowd.people.filter((person) => person.steady && !person.visitor.tab.everMissed);
  const numbers = new Set(steady.map(({ visitor }) => visitor.number));
  const wrong = stats?.calls ? outOfOrder(stats.calls, numbers) : heardOutOfOrder(steady);
  for (const { number, after } of wrong) violations.push(`order: number ${number} was called after ${after}`);
  for (const { visitor } of crowd.people) {
    for (const { channel, from, to } of visitor.aheadRises()) {
      violations.push(`ahead rose from ${from} to ${to} for number ${visitor.number} (${channel})`);
    }
    const kept = new Set(visitor.numbers());
    if (kept.size > 1) violations.push(`${visitor.name} was given more than one number: ${[...kept].join(", ")}`);
  }
  const doubled = twice(crowd.people.map(({ visitor }) => visitor.number).filter((n) => n !== undefined));
  for (const number of doubled) violations.push(`number ${number} was given to two visitors`);
  if (permits && crowd.insideMax > permits) violations.push(`${crowd.insideMax} were inside at once with ${permits} permits`);
  return { violations, judged: numbers.size };
}

const twice = (values) => new Set(values.filter((value, i) => values.indexOf(value) !== i));

// ------------------------------------------------------------------------------------------------ the crowd

/** How many people are where. @typedef {Record<"arrived" | "waiting" | "inside" | "served" | "of", number>} Picture */

/**
 * Sends a crowd and waits until everybody is done. `headers` go with every request. If `looks` is above 0, people buy nothing: each looks
 * at the page that many more times, and leaves. `progress` gets `{ arrived, waiting, inside, served, of }` at every change.
 * Resolves to `{ served, ends, judged, walked_in, looked, waits_ms: { p50, p90 }, inside_max, shop_inside_max, violations, failures }`;
 * `looked` is how often somebody inside was shown the page.
 * @param {Plan & { url: string, room?: string, permits?: number, headers?: Record<string, string>, looks?: number, timeoutMs?: number,
 *   signal?: AbortSignal, progress?: (picture: Picture) => void }} options
 */
export async function runCrowd({
  url,
  room = "onsale",
  arrivals,
  speed,
  visitors = arrivals?.length ?? 100,
  arriveWithinMs = 10_000,
  holdMs = [2_000, 8_000],
  vanish,
  reload,
  leave,
  habitWithinMs,
  permits,
  headers,
  looks = 0,
  seed = 1,
  timeoutMs = 600_000,
  signal,
  progress = () => {},
}) {
  if (!Number.isInteger(visitors) || visitors < 1 || visitors > VISITORS_MAX) throw new RangeError(`visitors: 1–${VISITORS_MAX}`);
  const limit = AbortSignal.timeout(timeoutMs);
  const crowd = {
    url,
    room,
    headers,
    looks,
    looked: 0,
    people: [],
    numbers: new Set(),
    ends: {},
    inside: 0,
    insideMax: 0,
    deadlineMs: Date.now() + timeoutMs,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    step(by) {
      this.inside += by;
      this.insideMax = Math.max(this.insideMax, this.inside);
      this.changed();
    },
    changed() {
      progress(pictureOf(this, visitors));
    },
  };
  const failures = [];
  const plans = planCrowd({ arrivals, speed, visitors, arriveWithinMs, holdMs, vanish, reload, leave, habitWithinMs, seed });
  await Promise.all(
    plans.map(async (plan) => {
      try {
        const end = await live(plan, crowd);
        crowd.ends[end] = (crowd.ends[end] ?? 0) + 1;
        if (end === "over" || end === "refused") failures.push(`${plan.name}: ${end}`);
      } catch (error) {
        failures.push(`${plan.name}: ${error.message}`);
      }
      crowd.changed();
    }),
  );
  return { ...summary(crowd, failures), ...(await verdict(crowd, permits)) };
}

function pictureOf({ people, ends, inside }, of) {
  const arrived = people.filter(({ arrivedAtMs }) => arrivedAtMs !== null).length;
  const gone = Object.values(ends).reduce((sum, n) => sum + n, 0);
  return { arrived, waiting: Math.max(arrived - gone - inside, 0), inside, served: ends.served ?? 0, of };
}

function summary({ people, ends, looked, insideMax }, failures) {
  const waits = people
    .filter(({ admittedAtMs }) => admittedAtMs !== null)
    .map(({ arrivedAtMs, admittedAtMs }) => admittedAtMs - arrivedAtMs)
    .sort((a, b) => a - b);
  return {
    served: ends.served ?? 0,
    ends,
    walked_in: people.filter(({ walkedIn }) => walkedIn).length,
    looked,
    inside_max: insideMax,
    waits_ms: { p50: quantile(waits, 0.5), p90: quantile(waits, 0.9) },
    failures,
  };
}

async function verdict(crowd, permits) {
  const stats = crowd.looks > 0 ? null : await statsOf(crowd);
  return { ...judge(crowd, stats, permits), shop_inside_max: stats?.inside_max ?? null };
}

/** Resolves to the demo shop's own record, read through Baton, or to `null` if another site stands behind Baton. */
async function statsOf({ url, room }) {
  try {
    const { json } = await new Visitor({ url, room }).request("/shop/stats");
    return Array.isArray(json?.calls) ? json : null;
  } catch {
    return null;
  }
}

// ------------------------------------------------------------------------------------------------ command line

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, "": 1_000 };

export function durationMs(text) {
  const [, value, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|)$/.exec(text) ?? [];
  if (value === undefined) throw new Error(`not a duration: ${text} (write 500ms, 10s or 2m)`);
  return Number(value) * UNITS_MS[unit];
}

export function shareOf(text) {
  const [, value] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (value === undefined || Number(value) > 100) throw new Error(`not a share: ${text} (write 10%)`);
  return Number(value) / 100;
}

function rangeMs(text) {
  const [low, high = low] = text.split("..").map(durationMs);
  if (high < low) throw new Error(`not a range: ${text} (write 2s..8s)`);
  return [low, high];
}

function whole(text) {
  if (!/^\d+$/.test(text)) throw new Error(`not a whole number: ${text}`);
  return Number(text);
}

function factor(text) {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) <= 0) throw new Error(`not a speed: ${text} (write 10)`);
  return Number(text);
}

/**
 * For each flag: the option of `runCrowd` that it sets, and the function that reads its text.
 * @satisfies {Record<string, [string, (text: string) => unknown]>}
 */
const FLAGS = {
  url: ["url", String],
  room: ["room", String],
  visitors: ["visitors", whole],
  permits: ["permits", whole],
  seed: ["seed", whole],
  "arrive-within": ["arriveWithinMs", durationMs],
  hold: ["holdMs", rangeMs],
  timeout: ["timeoutMs", durationMs],
  trace: ["arrivals", (file) => readArrivals(file, readFileSync(file, "utf8"))],
  speed: ["speed", factor],
  vanish: ["vanish", shareOf],
  reload: ["reload", shareOf],
  leave: ["leave", shareOf],
};

export function optionsFrom(args) {
  const options = each(/** @type {(keyof typeof FLAGS)[]} */ (Object.keys(FLAGS)), text);
  const { values } = parseArgs({ args, options });
  if (!values.url) throw new Error("--url is missing, for example --url http://localhost:8787/buy/");
  if (values.trace && (values.visitors || values["arrive-within"]))
    throw new Error("--trace says who comes when: leave out --visitors and --arrive-within");
  if (values.speed && !values.trace) throw new Error("--speed is a trace's: give --trace as well");
  return Object.fromEntries(Object.entries(values).map(([flag, text]) => [FLAGS[flag][0], FLAGS[flag][1](text)]));
}

/** Shows progress: on a terminal one line that is rewritten, elsewhere a line every five seconds. */
function progressLine(out) {
  let shownAt = 0;
  return ({ arrived, waiting, inside, served, of }) => {
    const now = Date.now();
    if (now - shownAt < (out.isTTY ? 100 : 5_000)) return;
    shownAt = now;
    const line = `arrived ${arrived}/${of} · waiting ${waiting} · inside ${inside} · served ${served}`;
    out.write(out.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
  };
}

const seconds = (ms) => (ms === null ? "–" : `${(ms / 1_000).toFixed(1)} s`);
const LINES_MAX = 20;

export function report(result, { visitors, seed }) {
  const { served, ends, judged, waits_ms, inside_max, shop_inside_max, walked_in, violations, failures } = result;
  const others = Object.entries(ends)
    .filter(([end]) => end !== "served")
    .map(([end, n]) => `, ${n} ${end}`)
    .join("");
  const inOrder = violations.some((v) => v.startsWith("order")) ? "NO" : `yes (${judged} judged)`;
  return [
    `served      ${served} of ${visitors}${others}; ${walked_in} walked in`,
    `in order    ${inOrder}`,
    `waits       p50 ${seconds(waits_ms.p50)}, p90 ${seconds(waits_ms.p90)}`,
    `max inside  ${inside_max}${shop_inside_max === null ? "" : ` (the shop has seen up to ${shop_inside_max})`}`,
    `violations  ${violations.length}`,
    ...violations.slice(0, LINES_MAX).map((line) => `  ! ${line}`),
    ...failures.slice(0, LINES_MAX).map((line) => `  ? ${line}`),
    `seed        ${seed}`,
  ].join("\n");
}

async function main() {
  let options;
  try {
    options = { seed: Date.now() % 1_000_000, ...optionsFrom(process.argv.slice(2)) };
    options.visitors ??= options.arrivals?.length ?? 100;
  } catch (error) {
    console.error(`crowd: ${error.message}`);
    process.exit(2);
  }
  const result = await runCrowd({ ...options, progress: progressLine(process.stderr) });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  console.log(report(result, options));
  process.exit(result.violations.length > 0 ? 1 : result.failures.length > 0 ? 2 : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
