/* Keeps what forecasts said of a later moment until that moment has come, and compares it with what came. */

/** Of each forecast, only what it says of the moment this much later is kept. */
const AFTER_MS = 600_000;
/** A forecast is compared at most this long after the moment it spoke of. Later, it says nothing of now. */
const STALE_MS = 60_000;
/** At most this many are kept, an hour's worth. */
const KEPT_MAX = 120;

/** Keeps the forecasts of one room. */
export function createKept() {
  const kept = [];
  return {
    /** Keeps a forecast; `points` are its curve. */
    keep(points, nowMs) {
      const later = points.find(({ after_ms: afterMs }) => afterMs >= AFTER_MS);
      if (!later) return;
      kept.push({ saidMs: nowMs, forMs: nowMs + later.after_ms, ...later.waiting });
      if (kept.length > KEPT_MAX) kept.shift();
    },
    /** Returns the last forecast of a moment that has just come, and whether `waiting` people lie in its band. Returns null if there is none. */
    judge(nowMs, waiting) {
      const [old] = kept.filter(({ forMs }) => forMs <= nowMs && nowMs - forMs <= STALE_MS).slice(-1);
      if (!old) return null;
      const { p10, p90, saidMs } = old;
      return { agoMs: nowMs - saidMs, from: p10, to: p90, waiting, isRight: p10 <= waiting && waiting <= p90 };
    },
  };
}
