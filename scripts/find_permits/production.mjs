// What a past sale has shown: from the answers of a live room's origin, counted by octaves of answer time, how many people the shop carried. Pure.
//
// A window is `{ inside, span_ms, bad, octaves }`: the people inside on average, its length, the answers that were errors, and how many good answers
// took how long: `octaves[0]` at most 1 ms, `octaves[n]` more than 2^(n−1) and at most 2^n ms. If given, `answers` counts all good answers, those
// beyond the last octave included, and `sum_ms` is their total time: then means are exact. Windows may come in any order.
//
// A sale is no experiment: nobody went past the bend on purpose. So the answer is "carried N", and a number only if the shop was seen to saturate:
// answers took longer, and people were served later because of it.

import { stretchOf } from "./plan.mjs";
import { BENT, estimateBend, isTrusted, recommendedOf } from "./verdict.mjs";

const BINS = 8;
const ANSWERS_MIN = 200;
const ERRORS_SHARE_MAX = 0.02;
const OCTAVES_MAX = 40;
/** Saturated: how many times as long an answer takes as with few people. One octave is the finest step that the counts surely show. */
const SLOWER = 2;
/** A crowd whose answers took this many times as long was not carried well, wherever the bend is. */
const SLOW = 4;

const sum = (all) => all.reduce((total, value) => total + value, 0);
/** Returns the geometric middle of an octave, in ms. */
const middleMs = (octave) => (octave === 0 ? 0.5 : 2 ** (octave - 0.5));

/** Returns the mean answer time by octaves, in ms: right to within a factor of √2 for each answer, and much better on average. */
export const meanOf = (octaves) => sum(octaves.map((count, octave) => count * middleMs(octave))) / sum(octaves);

/**
 * Returns what is wrong with a window, or `null`.
 * @param {{ inside?: number, span_ms?: number, bad?: number, octaves?: number[], answers?: number, sum_ms?: number }} [window]
 */
export function whyNoWindow({ inside, span_ms: spanMs, bad, octaves, answers = 0, sum_ms: sumMs = 0 } = {}) {
  const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
  if (!(Number.isFinite(inside) && inside >= 0)) return `inside is ${JSON.stringify(inside)}, no number of people`;
  if (!(Number.isFinite(spanMs) && spanMs > 0)) return `span_ms is ${JSON.stringify(spanMs)}, no length`;
  if (!isCount(bad)) return `bad is ${JSON.stringify(bad)}, no count`;
  if (!Array.isArray(octaves) || octaves.length > OCTAVES_MAX || !octaves.every(isCount))
    return `octaves are no list of at most ${OCTAVES_MAX} counts`;
  if (!isCount(answers) || !isCount(sumMs)) return `answers and sum_ms are ${JSON.stringify([answers, sumMs])}, no counts`;
  return null;
}

/** Returns the good answers of a window, those beyond the last octave included. */
const answersIn = ({ octaves, answers }) => answers ?? sum(octaves);

/** Joins windows of like size into one level each, in the form of a measured level. */
function levelsOf(windows) {
  const sorted = windows.filter(({ inside }) => inside > 0).toSorted((a, b) => a.inside - b.inside);
  const most = sorted.at(-1)?.inside ?? 0;
  const bins = Map.groupBy(sorted, ({ inside }) => Math.min(BINS - 1, Math.floor((inside / most) * BINS)));
  return [...bins.values()].map(levelOf).filter(({ answers }) => answers >= ANSWERS_MIN);
}

function levelOf(windows) {
  const spanMs = sum(windows.map(({ span_ms: ms }) => ms));
  const octaves = Array.from({ length: OCTAVES_MAX }, (_, at) => sum(windows.map((window) => window.octaves[at] ?? 0)));
  const answers = sum(windows.map(answersIn));
  const isExact = windows.every(({ sum_ms: sumMs }) => sumMs !== undefined);
  const meanMs = () => (isExact ? sum(windows.map(({ sum_ms: sumMs }) => sumMs)) / answers : meanOf(octaves));
  const people = sum(windows.map(({ inside, span_ms: ms }) => inside * ms)) / spanMs;
  const [perS, answerMs] = [(answers * 1_000) / spanMs, answers > 0 ? meanMs() : 0];
  const rates = windows.map((window) => (answersIn(window) * 1_000) / window.span_ms);
  const error = Math.sqrt(sum(rates.map((rate) => (rate - perS) ** 2)) / Math.max(1, windows.length - 1) / windows.length) / Math.max(perS, 1e-9);
  return {
    people,
    way: "up",
    answers,
    errors: sum(windows.map(({ bad }) => bad)),
    per_s: perS,
    per_s_error: windows.length > 1 ? error : 0.1,
    in_flight: (perS * answerMs) / 1_000,
    answer_ms: answerMs,
    think_ms: Math.max(0, (people / perS) * 1_000 - answerMs),
  };
}

/** Whether nearly all answers were good. */
const isSound = ({ answers, errors }) => errors <= ERRORS_SHARE_MAX * (answers + errors);

/** Whether answers took clearly longer and people were served later because of it: past the bend. */
const isSaturated = (level, quiet) => level.answer_ms >= SLOWER * quiet.answer_ms && stretchOf(level, quiet) >= BENT;

/**
 * Returns the answer: `{ kind: "carried", people, recommended, why }`, `{ kind: "number", … }` as in verdict.mjs, or
 * `{ kind: "none", why }`. The first two also say how long answers took on average with as many people as were carried (`answer_ms`) and
 * with the fewest (`quiet_ms`, `quiet_people`).
 */
export function judgeProduction(windows, seed = 1) {
  for (const [nth, window] of windows.entries()) {
    const why = whyNoWindow(window);
    if (why !== null) return { kind: "none", why: `window ${nth + 1}: ${why}` };
  }
  const levels = levelsOf(windows);
  if (levels.length === 0) return { kind: "none", why: `no crowd of one size was answered ${ANSWERS_MIN} times` };
  const quiet = levels[0];
  const carried = levels.filter((level) => isSound(level) && !isSaturated(level, quiet) && level.answer_ms < SLOW * quiet.answer_ms);
  const saturated = levels.filter((level) => isSaturated(level, quiet));
  const top = carried.reduce((best, level) => (best && best.people > level.people ? best : level), undefined);
  const most = Math.floor(top?.people ?? 0);
  if (most < 1) return { kind: "none", why: "with every size of the crowd more than 2 % of the answers were errors" };
  const times = { answer_ms: top.answer_ms, quiet_ms: quiet.answer_ms, quiet_people: quiet.people };
  const only = (why) => ({ kind: "carried", people: most, recommended: most, why, ...times });
  if (saturated.length === 0) return only("the shop did not saturate: it may carry more");
  const found = levels.length >= 4 && saturated.length >= 2 ? estimateBend(levels.filter(isSound), seed) : null;
  if (!found || !isTrusted(found))
    return only(`with ${Math.round(saturated[0].people)} people the shop was slower, but not often enough to say where it bends`);
  return {
    kind: "number",
    people: Math.round(found.people),
    low: Math.floor(found.low),
    high: Math.ceil(found.high),
    recommended: recommendedOf(Math.floor(found.low)),
    found,
    carried: most,
    ...times,
  };
}
