// Holds forecasts against what was seen, and writes the page that says how good they were. Pure.

import { mean } from "../../scripts/figures.mjs";

/** How far the mean of what was seen may be from the forecast's. */
const OFF_MAX = 0.1;
/** So many of all runs must have their p99 inside the band. */
const INSIDE_MIN = 0.9;

/** A forecast's figures by the names of `holdSale`, each as a band. */
export function forecastOf({ runs }, costs, bandOf) {
  const over = (pick) => bandOf(runs.map(pick));
  return {
    wait_p50_ms: over((run) => run.wait_p50_ms),
    wait_p99_ms: over((run) => run.wait_p99_ms),
    entered: over(({ entered }) => entered),
    end_ms: over((run) => run.seats_end_ms ?? run.last_in_ms),
    requests: bandOf(costs.map(({ requests }) => requests)),
    rows: bandOf(costs.map(({ rows }) => rows)),
  };
}

/** For each figure: what was forecast, what was seen on average, how far off, and whether that is near enough. */
export function judge(forecast, seen) {
  return ["wait_p50_ms", "end_ms", "rows", "requests"].map((figure) => {
    const found = mean(seen.map((run) => run[figure]));
    const expected = forecast[figure].mean;
    const off = (found - expected) / expected;
    return { figure, expected, found, off, ok: Math.abs(off) <= OFF_MAX };
  });
}

/** How many runs have their p99 inside the band. */
export const inside = ({ wait_p99_ms: { low, high } }, seen) => seen.filter((run) => run.wait_p99_ms >= low && run.wait_p99_ms <= high).length;

const NAMES = { wait_p50_ms: "median wait", end_ms: "end", rows: "rows", requests: "requests" };
const seconds = (ms) => (ms / 1_000).toFixed(1);
const shown = (figure, value) => (figure.endsWith("_ms") ? `${seconds(value)} s` : Math.round(value).toLocaleString("en"));

/** How many people ended in a way whose name begins so. */
const ended = (sales, how) =>
  sales
    .flatMap(({ seen }) => seen.flatMap(({ ends }) => Object.entries(ends)))
    .reduce((sum, [end, count]) => sum + (end.startsWith(how) ? count : 0), 0);

/** The page's part that is made: `sales` are `{ sale, forecast, seen }`. */
export function pageText(sales, { at, machine }) {
  // A sale's name stands in the first of its rows.
  const rows = sales.flatMap(({ sale, forecast, seen }) =>
    judge(forecast, seen).map(
      ({ figure, expected, found, off, ok }, nth) =>
        `| ${nth === 0 ? sale.what : ""} | ${NAMES[figure]} | ${shown(figure, expected)} | ${shown(figure, found)} | ${(100 * off).toFixed(1)} %${ok ? "" : ", **missed**"} |`,
    ),
  );
  const tails = sales.map(
    ({ sale, forecast, seen }) =>
      `| ${sale.what} | ${seconds(forecast.wait_p99_ms.low)} to ${seconds(forecast.wait_p99_ms.high)} | ${seen.map((run) => seconds(run.wait_p99_ms)).join(", ")} |`,
  );
  const all = sales.reduce((sum, { seen }) => sum + seen.length, 0);
  const held = sales.reduce((sum, { forecast, seen }) => sum + inside(forecast, seen), 0);
  const near = sales.flatMap(({ forecast, seen }) => judge(forecast, seen));
  const [failed, stayed] = ["failed", "still there"].map((how) => ended(sales, how));
  return `Measured ${at}, ${machine}. ${sales.map(({ seen }) => seen.length).join(", ")} runs of ${sales.length} sales; ${failed === 0 ? "nobody met an error" : `${failed} people met an error`}, ${stayed === 0 ? "and all had ended when the run was stopped" : `**${stayed} had not ended** when the run was stopped`}.

| sale | figure | forecast | seen, on average | off |
| --- | --- | ---: | ---: | ---: |
${rows.join("\n")}

${near.filter(({ ok }) => ok).length} of ${near.length} figures are within 10 %.

| sale | 99 of 100 wait less, seconds: forecast | seen, run by run |
| --- | ---: | --- |
${tails.join("\n")}

${held} of ${all} runs lie inside the band; ${held >= INSIDE_MIN * all ? "nine of ten were wanted" : "**nine of ten were wanted**"}.`;
}

/** Whether everything is as was wanted, and everybody ended. */
export function isGood(sales) {
  const all = sales.reduce((sum, { seen }) => sum + seen.length, 0);
  const held = sales.reduce((sum, { forecast, seen }) => sum + inside(forecast, seen), 0);
  return (
    ended(sales, "still there") === 0 && held >= INSIDE_MIN * all && sales.every(({ forecast, seen }) => judge(forecast, seen).every(({ ok }) => ok))
  );
}
