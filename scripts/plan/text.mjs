// What `npm run plan` says: the figures of a forecast as rows, and these as text for a terminal of 100 columns. Pure.

import { duration } from "../durations.mjs";
import { bandOf } from "./costs.mjs";

const whole = (value) => Math.round(value).toLocaleString("en");
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const usd = (value) => `$${value.toFixed(value < 1 ? 3 : 2)}`;

/** Writes ms for people as the desk and the reports do: 45 s, 12 min 30 s, 1 h 5 min. */
export const time = (ms) => (ms < 0 ? "-" : "") + duration(Math.round(Math.abs(ms) / 1_000) * 1_000);

const banded = (band, show) => (band ? { mid: show(band.mid), range: `${show(band.low)} to ${show(band.high)}` } : { mid: "–", range: "" });

/** Returns the figures of one lane. A row that says nothing in any lane is left out of all. */
function laneRows({ name, waits, runs }, lanes, row) {
  const over = (pick) => bandOf(runs.map(pick));
  const some = (what, pick) => (lanes.some((lane) => lane.runs.some((run) => pick(run) > 0)) ? [row(`${name}: ${what}`, over(pick))] : []);
  return [
    row(
      `${name}: come`,
      over(({ came }) => came),
    ),
    row(
      `${name}: get in`,
      over(({ entered }) => entered),
    ),
    row(`${name}: half wait less than`, waits?.p50_ms, time),
    row(`${name}: 9 of 10 less than`, waits?.p90_ms, time),
    ...some("give up", (run) => run.gave_up),
    ...some("wait in vain", (run) => run.in_vain),
    ...some("nobody knows yet", ({ unseen }) => unseen),
    row(
      `${name}: nobody called for`,
      over((run) => run.pause_ms),
      time,
    ),
  ];
}

/** Returns the lanes, or none if everybody is in one. */
const lanesOf = ({ lanes = [] }) => (lanes.length > 1 ? lanes : []);

/** Returns the figures, each `{ what, mid, range }`; `null` separates groups. `costs`: one of `costOfRun` for each run. */
export function figuresOf({ forecast }, costs) {
  const { runs, waits, seats } = forecast;
  const over = (pick) => bandOf(runs.map(pick));
  const row = (what, band, show = whole) => ({ what, ...banded(band, show) });
  const inLine = runs.some(({ in_vain: inVain }) => inVain > 0);
  const told = (what, pick, show) => row(what, over(pick), show);
  const some = (what, pick) => (runs.some((run) => pick(run) > 0) ? [row(what, over(pick))] : []);
  return [
    told("get in", ({ entered }) => entered),
    ...some("  buy", ({ bought }) => bought),
    ...some("  find nothing left", (run) => run.none_left),
    ...some("  put out by the lease's end", (run) => run.put_out),
    ...some("give up", (run) => run.gave_up),
    ...some("lose the place by missed calls", (run) => run.lost_calls),
    ...some("come when all is sold", (run) => run.turned_away),
    ...some("nobody knows yet", ({ unseen }) => unseen),
    null,
    row("half wait less than", waits?.p50_ms, time),
    row("9 of 10 less than", waits?.p90_ms, time),
    row("99 of 100 less than", waits?.p99_ms, time),
    told("the last one gets in at", (run) => run.last_in_ms, time),
    null,
    ...lanesOf(forecast).flatMap((lane, _, lanes) => [...laneRows(lane, lanes, row), null]),
    ...(seats ? [told("the last seat goes at", (run) => run.seats_end_ms, time), told("seats sold", ({ sold }) => sold)] : []),
    ...(inLine
      ? [
          told("wait in vain", (run) => run.in_vain),
          told("  of these told before the end", (run) => run.told_share, percent),
          told("  told so long before it (half)", (run) => run.told_before_ms, time),
        ]
      : []),
    told("missed calls", (run) => run.missed_calls),
    told("dead permit-time", (run) => run.dead_share, percent),
    null,
    row("requests of the worker", bandOf(costs.map((cost) => cost.worker_requests))),
    row("requests of objects", bandOf(costs.map((cost) => cost.object_requests))),
    row("rows", bandOf(costs.map(({ rows }) => rows))),
    row("dollars", bandOf(costs.map((cost) => cost.usd)), usd),
  ];
}

const aligned = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};

/** Returns one plan's figures, or two plans' side by side, as cells. */
export function figureCells(plans) {
  const [first, second] = plans;
  const whats = [...new Set(plans.flatMap((figures) => figures.filter(Boolean).map(({ what }) => what)))];
  const find = (figures, what) => figures?.find((figure) => figure?.what === what) ?? { mid: "–", range: "" };
  const heads = second ? ["", "this plan", "9 runs of 10", "the other", "9 runs of 10"] : ["", "", "9 runs of 10"];
  return [
    heads,
    ...whats.map((what) => [
      what,
      ...[first, second].filter(Boolean).flatMap((figures) => {
        const { mid, range } = find(figures, what);
        return [mid, range];
      }),
    ]),
  ];
}

/** Returns the waits by when people come, as cells. */
export function spanCells({ forecast }) {
  const heads = ["came", "get in", "half wait", "9 of 10", "99 of 100", "9 of 10, in 9 runs of 10"];
  const rows = forecast.spans
    .filter(({ waits }) => waits)
    .map(({ from_ms: from, to_ms: to, entered, waits }) => [
      `${time(from)} to ${time(to)}`,
      whole(entered.mid),
      time(waits.p50_ms.mid),
      time(waits.p90_ms.mid),
      time(waits.p99_ms.mid),
      `${time(waits.p90_ms.low)} to ${time(waits.p90_ms.high)}`,
    ]);
  return [heads, ...rows];
}

/** Returns the event in a line. */
export function headOf(plan) {
  const { people, permits, seats, opens_ms: opensMs } = plan.forecast;
  const early = opensMs > 0 ? `; it opens ${time(opensMs)} after the first come` : "";
  return `${whole(people)} people, ${whole(permits)} permits${seats ? `, ${whole(seats)} seats` : ""}${laneText(plan)}${early}`;
}

/** Says which lane is called first, or how many of each lane in turn. */
function laneText({ forecast, lanes_rule: rule }) {
  const lanes = lanesOf(forecast);
  if (lanes.length === 0) return "";
  if (!rule) return "; no lanes";
  const named = ({ name, people }) => `${name} (${percent(people)})`;
  if (rule === "shares") return `; calls in turn: ${lanes.map((lane) => `${lane.share} to ${named(lane)}`).join(", ")}`;
  return `; calls to ${lanes.map(named).join(" before ")}`;
}

/** Reports lanes in which people came and nobody got in. */
const starved = ({ forecast }) =>
  lanesOf(forecast).flatMap(({ name, runs }) => {
    const count = runs.filter(({ came, entered }) => came > 0 && entered === 0).length;
    return count > 0 ? [`In ${count} of ${runs.length} runs nobody of the lane ${name} gets in.`] : [];
  });

/** Returns the sentences above the figures. */
export function sentencesOf({ plan, other, found, seeds }) {
  return [
    `${headOf(plan)}.`,
    ...(other
      ? [`The other: ${headOf(other)}; ${plan.draw === other.draw ? `draw = ${plan.draw}` : `draw = ${other.draw} instead of ${plan.draw}`}.`]
      : []),
    `${seeds} runs. In front the middle; nine runs of ten lie between the two figures behind it. Times count from the opening.`,
    ...plan.forecast.notes,
    ...starved(plan),
    ...(found ? [found.sentence] : []),
  ];
}

/** Returns what the plan supposes because nobody said it, as flags, in lines of at most `columns`. */
export function supposedLines(supposed, columns = 100) {
  const lines = [];
  for (const flag of supposed.map(([name, value]) => `--${name.replaceAll("_", "-")} ${value}`)) {
    const line = `${lines.at(-1) ?? " "} ${flag}`;
    if (lines.length > 0 && line.length <= columns) lines[lines.length - 1] = line;
    else lines.push(`  ${flag}`);
  }
  return lines;
}

/** Returns everything for the terminal. `figures`: of this plan and, if there is one, of the other. */
export function shown(told, figures) {
  const supposed = ["Supposed, as nobody said otherwise (`npm run plan help` says what each is):", ...supposedLines(told.supposed)].join("\n");
  const parts = [
    sentencesOf(told).join("\n"),
    aligned(figureCells(figures)),
    aligned(spanCells(told.plan)),
    ...(told.supposed.length > 0 ? [supposed] : []),
  ];
  return parts.join("\n\n");
}
