// Figures: medians, percentiles, rounding, and whether a row met its target. Pure.

/** Returns the value below which `percent` of the values lie (nearest rank), or undefined if there are none. */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/** Returns the middle of the values; the lower one if their count is even. */
export const median = (values) => percentile(values, 50);

/** Returns what the rows show of a list of times. */
export const summary = (times) => ({ p50_ms: percentile(times, 50), p99_ms: percentile(times, 99) });

/** Rounds to three significant digits, but no coarser than to whole numbers. */
export const round = (value) => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** Reads a target: `≥ 60×` and `≤ 1.3×` are about the ratio, `≤ 200 KB` and `= 0` about the value. */
export function readTarget(text) {
  const [, sign, number, unit] = /^([≥≤=]) ([\d.]+)(.*)$/.exec(text) ?? [];
  if (!sign) throw new Error(`a target reads "≥ 60×" or "≤ 30 ms", not "${text}"`);
  return { sign, limit: Number(number), of: unit === "×" ? "ratio" : "value" };
}

/**
 * Completes a row `{ what, value, unit, ceiling?, ceiling_of?, target?, waiting?, series? }` with `ratio` and `met`; `waiting` and `series` say where
 * it belongs in a plot. The row is judged before it is rounded. `met` is null without a target, and also if the target's figure was not measured.
 */
export function judged(row) {
  const ratio = row.ceiling === undefined ? null : row.value / row.ceiling;
  const shown = {
    what: row.what,
    value: round(row.value),
    unit: row.unit ?? "",
    ceiling: row.ceiling === undefined ? null : round(row.ceiling),
    ceiling_of: row.ceiling_of ?? null,
    ratio: ratio === null ? null : round(ratio),
    target: row.target ?? null,
    met: null,
    ...(row.waiting === undefined ? {} : { waiting: row.waiting, series: row.series }),
  };
  if (!row.target) return shown;
  const { sign, limit, of } = readTarget(row.target);
  const measured = of === "ratio" ? ratio : row.value;
  if (measured === null || !Number.isFinite(measured)) return shown;
  const met = { "≥": measured >= limit, "≤": measured <= limit, "=": measured === limit }[sign];
  return { ...shown, met };
}

/**
 * Counts joins that got a higher number than one that was sent after they were answered: in each case somebody was overtaken. Each of `joins` is
 * `{ sent, answered, number }`, with instants of one clock. O(n log n).
 */
export function overtaken(joins) {
  const bySent = [...joins].sort((a, b) => a.sent - b.sent);
  const byAnswered = [...joins].sort((a, b) => a.answered - b.answered);
  let highest = 0;
  let next = 0;
  let count = 0;
  for (const join of bySent) {
    for (; byAnswered[next]?.answered < join.sent; next++) highest = Math.max(highest, byAnswered[next].number);
    if (join.number < highest) count++;
  }
  return count;
}

/** Returns whether the numbers are 1 … n, each once. */
export function isWhole(numbers) {
  return new Set(numbers).size === numbers.length && numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= numbers.length);
}
