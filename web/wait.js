/*
 * The wait that a visitor is told: a range from measured calls. It follows every measurement down, and goes up only with a
 * reason. Pure: all it knows is one small object, which survives a reload.
 */

/** A wait of at most this many tenths of the one that is shown is within what the word "about" promised. */
const CALM = 11;
/** The long end halves in this time at the fastest: one lucky second is no promise. */
const HALVING_MS = 30_000;
/** How long a reason stays on the screen. */
const WHY_MS = 60_000;

/**
 * Returns what is known after `range` ([low, high] in seconds, or null while nothing is measured) came at `nowMs`, after
 * `before` (null at first). `stands` says that nobody is being called. In the result, `range` is what may be shown, and
 * `why` is `"slower"` or `"resumed"` for a while after its long end went up.
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
