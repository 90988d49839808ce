/* What a page has seen of a room over time: rates, how things were five minutes ago, since when it is silent. A report alone says how things
 * are; an operator asks where they are going. Pure but for what it remembers. */

import { createHistory, createRate } from "./rates.js";

/** "Lately" is this long. */
const LATELY_MS = 300_000;
/** Rises that were watched for less than this say nothing yet. Until then there are only the totals since the edition began, which say nothing of now. */
const LITTLE_MS = 60_000;

/** What was seen longer ago than this is not "lately", and not "five minutes ago": the page was hidden in between. */
const OLD_MS = 2 * LATELY_MS;
const AGO_MS_MAX = LATELY_MS + 90_000;

/** Remembers what is needed of one room. */
export function createSeen() {
  const history = createHistory(7);
  const rates = Object.fromEntries(["admissions", "attempts", "done", "came", "entered"].map((key) => [key, createRate()]));
  const totals = [];
  let silentSinceMs = null;
  let firstMs = null;
  return {
    history,
    /** Adds the last hour as the room kept it: `[s, waiting, inside, admitted, permits, in hall, answer p50 ms, p95 ms]`. */
    prefill: (samples) => history.prefill(samples),
    /** Records that the room did not answer. */
    silent(nowMs) {
      silentSinceMs ??= nowMs;
      return { silentSinceMs };
    },
    take({ report }, nowMs) {
      silentSinceMs = null;
      const all = totalsOf(report);
      if (totals.length > 0 && all.admitted < totals.at(-1).admitted) totals.length = 0;
      if (totals.length === 0 || nowMs - totals.at(-1).nowMs > LATELY_MS) [totals.length, firstMs] = [0, nowMs];
      totals.push({ nowMs, ...all });
      while (totals.length > 2 && totals[1].nowMs <= nowMs - LATELY_MS) totals.shift();
      history.take(nowMs, [
        report.waiting,
        report.inside,
        all.admitted,
        report.permits,
        report.in_hall,
        report.answers.recent.p50_ms,
        report.answers.recent.p95_ms,
      ]);
      const watched = nowMs - totals[0].nowMs >= LITTLE_MS;
      const rise = (key) => (watched ? all[key] - totals[0][key] : all[key]);
      const ago = earlier(history.columns, nowMs);
      const lately = (key) => all[key] - (nowMs - firstMs < LATELY_MS ? 0 : totals[0][key]);
      return {
        silentSinceMs: null,
        admissionsPerS: rates.admissions.take(all.admitted, nowMs),
        attemptsPerS: rates.attempts.take(report.totals.attempts, nowMs),
        donePerS: rates.done.take(all.done, nowMs),
        camePerS: rates.came.take(all.came, nowMs),
        enteredPerS: rates.entered.take(report.totals.entered, nowMs),
        // Admissions a minute, over the last five. They rest on what the room kept, so they are known at the first look.
        admittedPerMin: ago && ago.agoMs <= OLD_MS && ago.admitted <= all.admitted ? ((all.admitted - ago.admitted) * 60_000) / ago.agoMs : null,
        waitingBefore: ago && ago.agoMs >= LATELY_MS && ago.agoMs <= AGO_MS_MAX ? ago.waiting : null,
        isWatched: watched,
        deadShare: share(rise("dead"), rise("used")),
        calls: rise("calls"),
        missed: rise("missed"),
        opened: lately("opened"),
        rolledBack: lately("rolledBack"),
      };
    },
  };
}

function totalsOf({ totals, dead_permit_ms: dead, used_permit_ms: used, opened, rolled_back: rolledBack = 0 }) {
  return {
    admitted: totals.claimed + totals.walked_in,
    done: totals.released + totals.expired,
    came: totals.joined + totals.walked_in,
    calls: totals.called + totals.handed,
    missed: totals.missed,
    dead,
    used,
    opened,
    rolledBack,
  };
}

/** Returns dead ÷ (dead + used), or null if no permit was used or dead. */
const share = (dead, used) => (dead + used > 0 ? dead / (dead + used) : null);

/**
 * Returns how things were five minutes ago, or as long ago as is known. Returns null if that is less than a minute.
 * @param {number[][]} columns
 * @param {number} nowMs
 */
function earlier([at, waiting, , admitted], nowMs) {
  const index = at.findLastIndex((s) => s * 1_000 <= nowMs - LATELY_MS);
  const found = Math.max(index, 0);
  const agoMs = nowMs - at[found] * 1_000;
  return agoMs >= LITTLE_MS ? { agoMs, waiting: waiting[found], admitted: admitted[found] } : null;
}
