/* The report's tables, as CSV (RFC 4180, UTF-8). Heads are the names in the report's value, so that they are the same in every language.
 * Moments are ISO 8601 in UTC, durations are in ms. Pure. */

import { csv } from "../csv.js";

const instant = (ms) => (ms === null || ms === undefined ? "" : new Date(ms).toISOString());

/** Returns rows with the keys of the first as heads. Keys of moments (`at_ms`, `from_ms`, `to_ms`) lose their unit. */
function table(objects, moments = ["at_ms", "from_ms", "to_ms"]) {
  if (objects.length === 0) return "";
  const keys = Object.keys(objects[0]);
  const heads = keys.map((key) => (moments.includes(key) ? key.replace(/_ms$/, "") : key));
  return csv([heads, ...objects.map((one) => keys.map((key) => (moments.includes(key) ? instant(one[key]) : one[key])))]);
}

const changed = ({ key, from, to }) => `${key}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;

/** Returns the tables as file name -> text. An empty table has no file. */
export function tables(report) {
  const { people, inside, counted, permits } = report;
  const sums = Object.entries({ people, inside, counted, permits }).flatMap(([of, counts]) =>
    Object.entries(counts).map(([name, count]) => ({ of, name, count })),
  );
  const arrivals = report.arrivals.map(({ waits: { count: called, half_ms, most_ms, longest_ms, mean_ms }, ...came }) => ({
    ...came,
    called,
    half_ms,
    most_ms,
    longest_ms,
    mean_ms,
  }));
  const acts = report.acts.map(({ at_ms, row, what, changes, ...more }) => ({
    at_ms,
    row,
    what,
    detail: changes
      ? changes.map(changed).join("; ")
      : Object.entries(more)
          .map(([key, value]) => `${key}: ${value}`)
          .join("; "),
  }));
  const all = {
    people: table(sums),
    course: table(report.course),
    arrivals: table(arrivals),
    numbers: table(report.numbers),
    lanes: table(report.lanes ?? []),
    forecasts: table(report.forecasts?.said ?? []),
    acts: table(acts),
    heads: table(report.heads),
  };
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ""));
}
