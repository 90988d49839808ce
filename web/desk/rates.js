/* Rates a second, from totals that only grow, and the values of the last hour: first what the room kept, then what this page saw. */

const WINDOW_MS = 10_000;
const HOUR_S = 3_600;

/** Measures how fast a total rises, over ten seconds by default, so that one turn of the usher is not taken for a storm. */
export function createRate(windowMs = WINDOW_MS) {
  let seen = [];
  return {
    /** Returns the rise a second, or null until there are two totals. A total that fell has begun anew. */
    take(total, nowMs) {
      if (seen.length > 0 && total < seen.at(-1).total) seen = [];
      seen.push({ total, nowMs });
      while (seen.length > 2 && seen[1].nowMs <= nowMs - windowMs) seen.shift();
      const spanMs = nowMs - seen[0].nowMs;
      return spanMs > 0 ? ((total - seen[0].total) * 1_000) / spanMs : null;
    },
  };
}

/** Keeps columns of `series` values over time in seconds, at most an hour. */
export function createHistory(series) {
  const columns = Array.from({ length: series + 1 }, () => []);
  return {
    columns,
    /** Adds samples from before the page was opened, the oldest first. The page's own samples stay. */
    prefill(samples) {
      const earlier = samples.filter(([s]) => !(s >= columns[0][0]));
      columns.forEach((column, at) => column.unshift(...earlier.map((sample) => sample[at])));
    },
    take(nowMs, values) {
      [nowMs / 1_000, ...values].forEach((value, at) => columns[at].push(value));
      while (columns[0][0] < nowMs / 1_000 - HOUR_S) columns.forEach((column) => column.shift());
    },
  };
}
