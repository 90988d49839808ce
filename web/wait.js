/*
 * The wait as a visitor is told it: a range from measured calls that follows every measurement down, and goes up only
 * with a reason. Pure; what it knows is one small object that survives a reload.
 */

/** A longer wait by less than this is within what was promised with the word "about", in tenths. */
const CALM = 11;
/** The long end halves at most so fast: one lucky second is no promise. */
const HALVING_MS = 30_000;
/** How long a reason stays on the screen. */
const WHY_MS = 60_000;

/**
 * What is known after `range` ([low, high] in seconds, or null while nothing is measured) came at `nowMs`, after
 * `before` (null at first). `stands`: nobody is being called. In the result `range` is what may be shown; `why` is
 * `"slower"` or `"resumed"` while its long end went up lately.
 */
export function follow(before, range, nowMs, stands) {
  const { range: was = null, atMs = nowMs, stood = false, whyUntilMs = 0 } = before ?? {};
  const why = nowMs < whyUntilMs ? before.why : "";
  if (!range || !was || stands) return { range: was ?? range, atMs: nowMs, stood: stood || stands, why, whyUntilMs };
  const [low, high] = range;
  if (high * 10 > was[1] * CALM) {
    return { range, atMs: nowMs, stood: false, why: stood ? "resumed" : "slower", whyUntilMs: nowMs + WHY_MS };
  }
  const floor = was[1] * 2 ** (-Math.max(0, nowMs - atMs) / HALVING_MS);
  const shown = [Math.min(low, was[0]), Math.min(was[1], Math.max(high, floor))];
  return { range: shown, atMs: nowMs, stood: false, why, whyUntilMs };
}
