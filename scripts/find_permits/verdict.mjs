// Derives from measured levels an answer that can be relied on. Pure.
//
// The bend is where the line "everybody is answered as in an empty shop" meets the highest throughput (P. J. Denning and J. P. Buzen, "The
// Operational Analysis of Queueing Network Models", 1978): people = throughput × (answer + thinking). From there on another person makes
// everybody slower and nobody sooner.

import { diceOf, normal } from "../dice.mjs";
import { mean, quantile } from "../figures.mjs";
import { stretchOf } from "./plan.mjs";
import { fitUsl, peakOf } from "./usl.mjs";

/** This machine may be late by so much, or by this share of a slow shop's answers: of those 15 ms are nothing. */
const LAG_P99_MS_MAX = 10;
const LAG_SHARE_MAX = 0.15;
const CPU_PERCENT_MAX = 70;
const ANSWERS_MIN = 30;
const LEVELS_MIN = 5;
const PAST_MIN = 2;
/** How many times as long a step takes past the bend, at least. */
export const BENT = 1.15;
/** How far a level's repeat may be from its first measurement. */
const DRIFT = 0.1;
const ERRORS_APART = 3;
/** How far all repeats together may be below their first measurements. */
const SLOWER = 0.05;
/** The share of its best throughput that a shop may lose past it; more is a collapse. */
const COLLAPSE = 0.2;
/** The largest half width of the interval, as a share of the number: wider is "at least". */
const WIDTH_MAX = 0.25;
/**
 * The law describes the shop if its points are on average no further off. The sharpest bend there is, one line before all servers, is off by 0.19.
 */
const MISFIT_MAX = 0.25;
/** The least error of any level: ten seconds of one machine are not the machine. */
const ERROR_MIN = 0.01;
const DRAWS = 400;
const [LOW_SHARE, HIGH_SHARE] = [0.05, 0.95];
const RECOMMENDED_SHARE = 0.8;

const lagMaxOf = ({ answer_ms: answerMs = 0 }) => Math.max(LAG_P99_MS_MAX, LAG_SHARE_MAX * answerMs);

/** Whether this machine, and not the shop, spoilt a level. */
export const isMachines = (level) => level.lag_p99_ms >= lagMaxOf(level) || level.cpu_percent >= CPU_PERCENT_MAX;

/** Returns why a level does not count, or `null` if it does. */
export function whyNotCounted(level) {
  const { lag_p99_ms: lagMs, cpu_percent: cpu, answers, errors } = level;
  if (lagMs >= lagMaxOf(level)) return `this machine was late by ${lagMs.toFixed(0)} ms (p99; ${lagMaxOf(level).toFixed(0)} are allowed)`;
  if (cpu >= CPU_PERCENT_MAX) return `this machine was busy to ${cpu.toFixed(0)} % of a core (${CPU_PERCENT_MAX} are allowed)`;
  if (answers < ANSWERS_MIN) return `only ${answers} answers (${ANSWERS_MIN} are needed: longer levels, by --level-s)`;
  if (errors > 0.02 * answers) return `${errors} of ${answers} answers were errors`;
  return null;
}

/** Returns by which share a level's throughput may be off. */
const errorOf = ({ per_s_error: error }) => Math.max(ERROR_MIN, error);

/**
 * Returns the highest throughput: the law's peak, but never more than was measured. A shop with one line before all its servers bends more sharply
 * than the law can; there the law promises a sixth too much.
 */
const capacityOf = (fit, { inFlightMax, perSMax }) => Math.min(peakOf(fit, inFlightMax).per_s, perSMax);
const highest = (levels, key) => Math.max(...levels.map((level) => level[key]));
/** Returns the mean of the highest three: because of noise the very highest is too high. */
const plateauOf = (levels) =>
  mean(
    levels
      .map(({ per_s: perS }) => perS)
      .sort((a, b) => b - a)
      .slice(0, 3),
  );
const lowest = (levels) => levels.reduce((least, level) => (level.people < least.people ? level : least));

/**
 * Returns the estimate with its interval (90 %), or `null` without a fit. The law is fitted again and again to points that are moved by their errors.
 */
export function estimateBend(levels, seed = 1) {
  const fit = fitUsl(levels);
  if (!fit) return null;
  const quiet = lowest(levels);
  const answers = levels.reduce((total, level) => total + level.answers, 0);
  const thinkMs = levels.reduce((total, level) => total + level.think_ms * level.answers, 0) / answers;
  const stayS = (quiet.answer_ms + thinkMs) / 1_000;
  const inFlightMax = highest(levels, "in_flight");
  const roll = diceOf(seed);
  const moved = (errorOfLevel) => levels.map((level) => ({ ...level, per_s: level.per_s * Math.max(0.01, 1 + errorOfLevel(level) * normal(roll)) }));
  const draws = Array.from({ length: DRAWS }, () => {
    const [again, seen] = [fitUsl(moved((level) => Math.hypot(errorOf(level), fit.misfit))) ?? fit, moved(errorOf)];
    return { low: capacityOf(again, { inFlightMax, perSMax: plateauOf(seen) }) * stayS, high: highest(seen, "per_s") * stayS };
  });
  const sorted = (key) => draws.map((draw) => draw[key]).sort((a, b) => a - b);
  const perS = capacityOf(fit, { inFlightMax, perSMax: plateauOf(levels) });
  const people = perS * stayS;
  // For the lower end the law counts, for the upper end the most that any level was seen to answer: at a sharp bend the law promises too much.
  return {
    fit,
    people,
    low: Math.min(people, quantile(sorted("low"), LOW_SHARE)),
    high: Math.max(people, quantile(sorted("high"), HIGH_SHARE)),
    quiet,
    per_s: perS,
    think_ms: thinkMs,
  };
}

/** Returns half the interval's width as a share of the number. */
const widthOf = ({ high, low, people }) => (high - low) / 2 / people;

/** Whether an estimate follows the law and is narrow enough to be given. */
export const isTrusted = (found) => found.fit.misfit <= MISFIT_MAX && widthOf(found) <= WIDTH_MAX;

/**
 * Returns the levels that were measured upwards and again downwards: `[{ people, first_per_s, again_per_s, apart, error }]`. Several repeats count by
 * their mean: the run repeats a level once more if its first repeat is apart. `error` is that of the difference, as a share.
 */
export function repeats(levels) {
  const sizes = [...new Set(levels.filter(({ way }) => way === "down").map(({ people }) => people))];
  return sizes.flatMap((people) => {
    const first = levels.find((level) => level.way === "up" && level.people === people);
    const again = levels.filter((level) => level.way === "down" && level.people === people);
    if (!first) return [];
    const [before, after] = [first.per_s, mean(again.map(({ per_s: perS }) => perS))];
    const error = Math.hypot(errorOf(first), mean(again.map(errorOf)) / Math.sqrt(again.length));
    return [{ people, first_per_s: before, again_per_s: after, apart: Math.abs(before - after) / Math.max(before, after), error }];
  });
}

/** Whether the repeats together show a shop that gets slower, though none alone is far apart. There may be just one repeat. */
function getsSlower(all) {
  const change = mean(all.map(({ first_per_s: first, again_per_s: again }) => (first - again) / first));
  const error = Math.hypot(...all.map((each) => each.error)) / all.length;
  return all.length > 0 && change > SLOWER && change > ERRORS_APART * error;
}

/** Whether this repeat is too far from the first measurement, and further than chance explains. */
export const hasDrifted = ({ apart, error }) => apart > DRIFT && apart > ERRORS_APART * error;

/** Returns the largest measured crowd that was answered nearly as in an empty shop. */
function carried(levels) {
  const quiet = lowest(levels);
  const good = levels.filter((level) => stretchOf(level, quiet) < BENT);
  return Math.max(...good.map(({ people }) => people));
}

/** Returns the first level at which the shop answers far fewer than with fewer people, or `null` if there is none. */
export function collapsed(levels) {
  if (levels.length === 0) return null;
  const best = levels.reduce((most, level) => (level.per_s > most.per_s ? level : most));
  return levels.find(({ people, per_s: perS, way }) => way === "up" && people > best.people && perS < (1 - COLLAPSE) * best.per_s) ?? null;
}

/** Whether the shop answers a crowd nearly as in an empty shop. */
export const carries = (level, levels) => stretchOf(level, lowest(levels)) < BENT;

/** Returns the fewest people that the shop did not carry, of those more than `safe`. */
export const fallenWith = (levels, safe = 0) =>
  Math.min(...levels.filter((level) => level.people > safe && !carries(level, levels)).map(({ people }) => people));

/** Returns how many people the shop takes by the highest throughput that was seen and the answers of an empty shop. */
function bendSeen(levels) {
  const quiet = lowest(levels);
  return (highest(levels, "per_s") * (quiet.answer_ms + quiet.think_ms)) / 1_000;
}

/** Returns the nearly empty shop, `{ first, again }`, if its answers took longer when it was measured again, or `null`. */
function answeredLater(counted) {
  const again = lowest(counted.filter(({ way }) => way === "down"));
  const first = counted.find(({ way, people }) => way === "up" && people === again.people);
  return first && again.answer_ms > (1 + DRIFT) * first.answer_ms ? { first, again } : null;
}

/**
 * A shop that falls over may do so with fewer people too. Only a crowd that it carried again after it had fallen counts. That one is the number, if the shop
 * was the same afterwards: as quick when nearly empty, and as slow when it had fallen.
 */
function judgeCollapse(counted, again, { people, per_s: perS }) {
  const why = `the shop collapses: with ${people} people it answered ${rounded(perS)} steps a second, with fewer ${rounded(highest(counted, "per_s"))}`;
  const back = counted.filter((level) => level.way === "down" && carries(level, counted)).map((level) => level.people);
  if (back.length === 0) return none(`${why}. It was not seen to come back. Look for a lock or a pool that everybody waits for`);
  const later = answeredLater(counted);
  if (later)
    return none(
      `the shop changed while it was measured: with ${later.first.people} people an answer took ${rounded(later.first.answer_ms)} ms, later ${rounded(later.again.answer_ms)}. Look for what fills up or leaks, and measure again`,
    );
  const safe = Math.max(...back);
  const isSame = again.some((each) => each.people >= people) && again.some((each) => each.people < safe);
  if (!isSame) return { kind: "at_least", people: safe, recommended: recommendedOf(safe), why: `${why}. ${safe} it carried again afterwards` };
  // A shop that slows down gently carries a few more, and answers no more.
  const taken = Math.min(safe, Math.round(bendSeen(counted)));
  return { kind: "number", people: taken, low: taken, high: fallenWith(counted, safe), recommended: recommendedOf(taken), why };
}

export const recommendedOf = (people) => Math.max(1, Math.floor(RECOMMENDED_SHARE * people));

const atLeast = (counted, why, more = {}) => {
  const people = carried(counted);
  return { kind: "at_least", people, recommended: recommendedOf(people), why, ...more };
};
const none = (why, more = {}) => ({ kind: "none", why, ...more });
const rounded = (value) => Number(value.toPrecision(3));

/**
 * Returns the answer: `{ kind: "number", people, low, high, recommended }`, `{ kind: "at_least", people, recommended, why }` or
 * `{ kind: "none", why }`. `stopped`: why the run ended early, or null; `capped`: the flag that allowed no more people, or null.
 *
 * The same crowd gets the same answer on a busy machine, or none: what this machine spoilt may be the level with which the others are compared, or the one
 * that the shop carried, so without it nothing holds that is less than a number.
 */
export function judge(levels, ended = {}) {
  const answer = judgeCounted(levels, ended);
  const spoilt = levels.filter(isMachines);
  if (answer.kind !== "at_least" || spoilt.length === 0) return answer;
  return none(`${whyNotCounted(spoilt[0])}, so ${spoilt.length} of ${levels.length} levels say nothing of the shop`);
}

/** A shop that has fallen is slower with a crowd that it carried before: that is no change. Only a repeat that it carries, or of a fallen shop, tells of one. */
const tells = ({ people }, counted, collapse) =>
  people >= collapse.people || counted.some((level) => level.way === "down" && level.people === people && carries(level, counted));

function judgeCounted(levels, { stopped = null, capped = null, seed = 1 }) {
  const counted = levels.filter((level) => whyNotCounted(level) === null);
  if (counted.length === 0) return none(stopped ?? `no level counts: ${levels.length > 0 ? whyNotCounted(levels[0]) : "none was measured"}`);
  const collapse = collapsed(counted);
  const again = repeats(counted).filter((each) => !collapse || tells(each, counted, collapse));
  const drift = again.find(hasDrifted) ?? (getsSlower(again) ? again[0] : null);
  if (drift)
    return none(
      `the shop changed while it was measured: with ${drift.people} people it answered ${rounded(drift.first_per_s)} steps a second, later ${rounded(drift.again_per_s)}. Look for what fills up or leaks, and measure again`,
      { drift },
    );
  if (collapse) return judgeCollapse(counted, again, collapse);
  if (stopped) return atLeast(counted, `the run was stopped: ${stopped}`);
  if (counted.length < LEVELS_MIN)
    return atLeast(
      counted,
      `only ${counted.length} of ${levels.length} levels count (${whyNotCounted(levels.find((level) => whyNotCounted(level)) ?? levels[0]) ?? "too few were measured"})`,
    );
  const found = estimateBend(counted, seed);
  if (!found) return atLeast(counted, "the levels determine no law");
  return judgeEstimate(counted, found, capped);
}

function judgeEstimate(counted, found, capped) {
  const past = counted.filter((level) => level.way === "up" && level.people > found.people && stretchOf(level, found.quiet) >= BENT);
  if (past.length < PAST_MIN)
    return atLeast(
      counted,
      `the bend was not reached with ${Math.max(...counted.map(({ people }) => people))} people${capped ? `, and ${capped} allowed no more` : ""}`,
      { found },
    );
  if (repeats(counted).length === 0)
    return atLeast(counted, "no level could be measured again, so nothing shows that the shop stayed the same", { found });
  if (found.fit.misfit > MISFIT_MAX)
    return atLeast(counted, `the measurements lie ${Math.round(100 * found.fit.misfit)} % off any law of scaling`, { found });
  const width = widthOf(found);
  if (width > WIDTH_MAX)
    return {
      ...atLeast(counted, `the interval is ±${Math.round(100 * width)} %, wider than ±${100 * WIDTH_MAX} %`, { found }),
      people: Math.max(1, Math.floor(Math.min(found.low, found.people))),
      recommended: recommendedOf(Math.floor(found.low)),
    };
  return {
    kind: "number",
    people: Math.round(found.people),
    low: Math.floor(found.low),
    high: Math.ceil(found.high),
    recommended: recommendedOf(Math.floor(found.low)),
    found,
  };
}
