// The run: it looks upwards for the bend, then measures the levels of the plan with a crowd. This file has the control flow; plan.mjs, verdict.mjs
// and safety.mjs decide. The run ends early when `stop` is told a reason, and always with an empty shop.

import { Crowd } from "./crowd.mjs";
import { Meter } from "./meter.mjs";
import { crowdsBack, levelsFor, nextLook, roughBend, stretchOf } from "./plan.mjs";
import { BENT, carries, collapsed, fallenWith, hasDrifted, isMachines, repeats, whyNotCounted } from "./verdict.mjs";

/** How often a level is measured in all if the generator spoilt it. */
const TRIES_MAX = 4;
/** If the eight levels ended too early because a look was disturbed, the crowd grows by these factors, at most this often. */
const [GROWTH_BEFORE, GROWTH_PAST] = [1.7, 1.35];
const EXTRA_MAX = 7;
const PAST_WANTED = 3;
/** After a collapse the shop is compared with itself at about this share of those with whom it fell. */
const FEW_SHARE = 0.25;
/** The cap holds in every second, and no second is like the mean: the crowd is chosen to stay at this share of the cap. */
const EVEN = 0.75;

/**
 * A measured level: a crowd of `people`, `way` up or down, or a look. Times in ms, rates in steps a second, `per_s_error` as a share.
 * @typedef {Record<"people" | "per_s" | "per_s_error" | "in_flight" | "answer_ms" | "p95_ms" | "p99_ms" | "answers" | "errors" | "lag_p99_ms" |
 *   "cpu_percent" | "requests_per_answer", number> & { way: "up" | "down" | "look" }} Level
 */

/** Why a run ends early. The first reason counts and wakes everybody who waits. */
export class Stop {
  why = null;
  /** @type {(why?: unknown) => void} */
  #call = () => {};
  #reached = new Promise((resolve) => {
    this.#call = resolve;
  });

  because(why) {
    if (this.why !== null) return;
    this.why = why;
    this.#call();
  }

  /** Resolves with `work`, or immediately when the run must end. */
  unless(work) {
    return Promise.race([this.#reached, work]);
  }

  /** Resolves after `ms`, or immediately when the run must end. */
  async wait(clock, ms) {
    if (this.why !== null) return;
    const { promise, resolve } = Promise.withResolvers();
    const cancel = clock.at(clock.now() + ms, resolve);
    await Promise.race([this.#reached, promise]);
    cancel();
  }
}

/**
 * Measures. `times`: `{ level_ms, settle_ms, look_ms, down_ms }`. `caps`: `{ people_max, requests_per_s_max, run_ms_max }`. `machine.open()` and
 * `machine.close()` measure how busy this machine was: `{ cpu_percent }`. `tell(event)` hears of progress. Resolves to
 * `{ looks, levels, stopped, capped }`.
 * @param {{ clock: { now(): number, at(ms: number, call: (_?: unknown) => void): () => void }, steps: object[], openVisitor: () => object,
 *   roll: () => number, machine: { open(): void, close(): { cpu_percent: number } },
 *   times: Record<"level_ms" | "settle_ms" | "look_ms" | "down_ms", number>,
 *   caps: Record<"people_max" | "requests_per_s_max" | "run_ms_max", number>, stop: Stop, guard: import("./safety.mjs").Guard,
 *   tell?: (event: { kind: string, people?: number }) => void }} of
 */
export async function measure({ clock, steps, openVisitor, roll, machine, times, caps, stop, guard, tell = () => {} }) {
  const meter = new Meter();
  const crowd = new Crowd({ clock, steps, openVisitor, meter, roll, onAnswer: (answer, step) => stopIf(stop, guard.note(answer, step)) });
  const world = { clock, crowd, meter, machine, times, stop, guard, tell, caps };
  const cancelLimit = clock.at(clock.now() + caps.run_ms_max, () =>
    stop.because(`the run took longer than ${Math.round(caps.run_ms_max / 60_000)} minutes (--minutes-max)`),
  );
  try {
    const looks = await lookUpwards(world);
    const levels = stop.why === null ? await measureLevels(world, looks) : looks;
    return { looks, levels, stopped: stop.why, capped: cappedBy(world, looks, levels) };
  } finally {
    cancelLimit();
    tell({ kind: "leaving", people: crowd.size });
    crowd.go(0, times.down_ms);
    await crowd.left();
  }
}

const stopIf = (stop, why) => why !== null && stop.because(why);

/** Returns how many people make no more requests a second than the cap allows, as far as the looks show. */
function peopleCap({ caps }, looks) {
  const last = looks.at(-1);
  if (!last) return caps.people_max;
  const eachPerS = last.per_s / last.people;
  return Math.max(1, Math.min(caps.people_max, Math.floor((EVEN * caps.requests_per_s_max) / (eachPerS * last.requests_per_answer))));
}

/** Returns the flag that kept the crowd from growing, or `null`. */
function cappedBy(world, looks, levels) {
  const cap = peopleCap(world, looks);
  if (Math.max(0, ...levels.map(({ people }) => people)) < cap) return null;
  return cap === world.caps.people_max ? "--people-max" : "--requests-per-s-max";
}

async function lookUpwards(world) {
  const looks = [];
  for (let spoilt = 0; ; ) {
    const people = nextLook(looks, peopleCap(world, looks));
    if (people === null || people <= (looks.at(-1)?.people ?? 0) || world.stop.why !== null) return looks;
    world.tell({ kind: "look", people });
    const look = await measureOne(world, { people, way: "look" }, world.times.look_ms);
    // A busy machine is told of with the first look, long before the verdict.
    if (look && isMachines(look)) world.tell({ kind: "measured", why: whyNotCounted(look), ...look });
    if (look && isMachines(look) && (spoilt += 1) < TRIES_MAX) continue;
    if (look) looks.push(look);
  }
}

async function measureLevels(world, looks) {
  const cap = peopleCap(world, looks);
  const plan = levelsFor(roughBend(looks), cap);
  const [up, down] = ["up", "down"].map((wanted) => plan.filter(({ way }) => way === wanted));
  const levels = [];
  for (const level of up) await measureInto(world, levels, level, plan.length);
  for (let extra = 1; extra <= EXTRA_MAX && mustGrow(levels, cap); extra += 1) {
    const growth = pastOf(levels) > 0 ? GROWTH_PAST : GROWTH_BEFORE;
    await measureInto(world, levels, { people: Math.min(cap, Math.ceil(levels.at(-1).people * growth)), way: "up" }, plan.length + extra);
  }
  if (collapsed(countedOf(levels))) await comeBack(world, levels);
  else for (const level of down) await measureAgain(world, levels, level, plan.length);
  return levels;
}

const countedOf = (levels) => levels.filter((level) => whyNotCounted(level) === null);

/** Measures a level that was measured before. */
async function measureAgain(world, levels, level, of) {
  await measureInto(world, levels, level, of);
  const repeat = repeats(levels).find(({ people }) => people === level.people);
  // Chance, or a shop that changes? A second repeat tells.
  if (repeat && hasDrifted(repeat)) await measureInto(world, levels, level, of);
}

/** Sends people away until the shop carries the rest. Then it must be as quick as before with few, and with most as slow as when it fell. */
async function comeBack(world, levels) {
  const ups = countedOf(levels);
  const sizes = crowdsBack(fallenWith(ups));
  const of = levels.length + sizes.length + 2;
  for (const people of sizes) {
    await measureInto(world, levels, { people, way: "down" }, of);
    if (world.stop.why !== null || carries(levels.at(-1), ups)) break;
  }
  const few = ups.find(({ people }) => people >= FEW_SHARE * sizes[0]) ?? ups[0];
  for (const { people } of [few, ups.at(-1)]) await measureAgain(world, levels, { people, way: "down" }, levels.length + 1);
}

/** Returns how many levels lie past the bend, as far as their answers show. */
const pastOf = (levels) => levels.filter((level) => stretchOf(level, levels[0]) >= BENT).length;

/** Whether too few levels lie past the bend and more people are allowed. */
const mustGrow = (levels, cap) => levels.length > 0 && levels.at(-1).people < cap && pastOf(levels) < PAST_WANTED;

/** Measures one level of the plan, again if the generator spoilt it. */
async function measureInto(world, levels, level, of) {
  for (let tries = 1; tries <= TRIES_MAX && world.stop.why === null; tries += 1) {
    world.tell({ kind: "level", nth: levels.length + 1, of: Math.max(of, levels.length + 1), tries, ...level });
    const measured = await measureOne(world, level, world.times.level_ms);
    if (!measured) return;
    const why = whyNotCounted(measured);
    world.tell({ kind: "measured", why, ...measured });
    if (why === null || tries === TRIES_MAX) {
      levels.push(measured);
      return;
    }
  }
}

/** Brings the crowd to the level, lets it settle, and measures. Resolves to `null` if the run was stopped meanwhile. */
async function measureOne({ clock, crowd, meter, machine, times, stop, guard }, level, spanMs) {
  crowd.go(level.people, times.settle_ms / 2);
  // People who leave may wait for an answer behind a long line; the level begins when that line is gone.
  await stop.unless(crowd.left());
  await stop.wait(clock, times.settle_ms);
  if (stop.why !== null) return null;
  meter.open(clock.now());
  machine.open();
  const requestsBefore = guard.requests;
  await stop.wait(clock, spanMs);
  const seen = { ...level, ...meter.close(clock.now()), ...machine.close() };
  if (stop.why !== null) return null;
  return { ...seen, requests_per_answer: seen.answers > 0 ? Math.max(1, (guard.requests - requestsBefore) / seen.answers) : 1 };
}
