/* What was said of a later moment is kept until that has come, and held against it. */

/** A forecast is kept for what it says of so much later. */
const AFTER_MS = 600_000;
/** A forecast is held against what is within so much after the moment it spoke of; later it says nothing of now. */
const STALE_MS = 60_000;
/** So many are kept, an hour's. */
const KEPT_MAX = 120;

/** Keeps forecasts of one room. */
export function createKept() {
  const kept = [];
  return {
    /** A forecast was made; `points` are its curve. */
    keep(points, nowMs) {
      const later = points.find(({ after_ms: afterMs }) => afterMs >= AFTER_MS);
      if (!later) return;
      kept.push({ saidMs: nowMs, forMs: nowMs + later.after_ms, ...later.waiting });
      if (kept.length > KEPT_MAX) kept.shift();
    },
    /** The last that spoke of a moment which has just come, and whether so many who wait lie in its band; null: there is none. */
    judge(nowMs, waiting) {
      const [old] = kept.filter(({ forMs }) => forMs <= nowMs && nowMs - forMs <= STALE_MS).slice(-1);
      if (!old) return null;
      const { p10, p90, saidMs } = old;
      return { agoMs: nowMs - saidMs, from: p10, to: p90, waiting, isRight: p10 <= waiting && waiting <= p90 };
    },
  };
}
