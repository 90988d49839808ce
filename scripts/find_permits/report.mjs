// The report as one HTML file that needs no other, and the same as JSON. Pure: measurements in, text out.

import { GREY, svgOf } from "../../bench/plot.mjs";
import { axisOf, escaped, figureOf, fixed, frame, line, pageOf, tableOf } from "../report.mjs";
import { answerOf, cellsOf } from "./text.mjs";
import { throughputAt } from "./usl.mjs";

const [WIDTH, HEIGHT] = [820, 340];
const CURVE_POINTS = 80;

const dots = (name, data) => ({ name, type: "scatter", symbolSize: 9, data });
const sorted = (levels) => levels.toSorted((a, b) => a.people - b.people);

/** Returns vertical lines at the number and at what is recommended. */
function marks({ kind, people, recommended }) {
  if (kind === "none") return undefined;
  const mark = (name, at) => ({ name, xAxis: at });
  return {
    symbol: "none",
    silent: true,
    lineStyle: { color: GREY, type: "dashed" },
    label: { color: GREY, formatter: "{b}", position: "insideEndTop" },
    data: [mark(kind === "number" ? `bend: ${people}` : `at least ${people}`, people), mark(`recommended: ${recommended}`, recommended)],
  };
}

const byWay = (levels, value) => [
  dots("upwards", levels.filter(({ way }) => way !== "down").map(value)),
  dots("again, downwards", levels.filter(({ way }) => way === "down").map(value)),
];

/** Draws throughput against people. */
function throughputChart({ levels, verdict }) {
  const ups = sorted(levels.filter(({ way }) => way === "up"));
  const series = [
    ...byWay(levels, ({ people, per_s: perS }) => [people, fixed(perS)]),
    line(
      "as measured",
      ups.map(({ people, per_s: perS }) => [people, fixed(perS)]),
      { markLine: marks(verdict) },
    ),
  ];
  return svgOf(
    { ...frame, xAxis: axisOf("people in the shop", 28), yAxis: axisOf("steps answered a second", 50), series },
    { width: WIDTH, height: HEIGHT },
  );
}

/** Draws the law through the points. */
function lawChart({ levels, verdict: { found } }) {
  if (!found) return "";
  const most = Math.max(...levels.map(({ in_flight: inFlight }) => inFlight));
  const curve = Array.from({ length: CURVE_POINTS }, (_, at) => (most * (at + 1)) / CURVE_POINTS).map((inFlight) => [
    fixed(inFlight),
    fixed(throughputAt(found.fit, inFlight)),
  ]);
  return svgOf(
    {
      ...frame,
      xAxis: axisOf("requests in flight", 28),
      yAxis: axisOf("steps answered a second", 50),
      series: [...byWay(levels, ({ in_flight: inFlight, per_s: perS }) => [fixed(inFlight), fixed(perS)]), line("Universal Scalability Law", curve)],
    },
    { width: WIDTH, height: HEIGHT },
  );
}

/** Draws how long people wait for an answer. */
function answerChart({ levels }) {
  const ups = sorted(levels.filter(({ way }) => way === "up"));
  const series = [
    ["half of them within", "p50_ms"],
    ["19 of 20 within", "p95_ms"],
    ["99 of 100 within", "p99_ms"],
  ].map(([name, key]) =>
    line(
      name,
      ups.map((level) => [level.people, fixed(level[key])]),
      { symbol: "circle" },
    ),
  );
  return svgOf({ ...frame, xAxis: axisOf("people in the shop", 28), yAxis: axisOf("answer, ms", 50), series }, { width: WIDTH, height: HEIGHT });
}

/** Returns the page. `result`: see `resultOf`. `stepsText`: the file as it was read. */
export function html(result, stepsText) {
  const { head, body } = answerOf(result.verdict);
  const { fit } = result.verdict.found ?? {};
  const law = fit
    ? `σ = ${fit.sigma.toFixed(4)} waits for its turn, κ = ${fit.kappa.toExponential(1)} is what every pair of requests costs; the points lie ${(100 * fit.misfit).toFixed(1)} % off.`
    : "";
  return pageOf(
    `Permits for ${result.url}`,
    `<h1>How many people can ${escaped(new URL(result.url).host)} take at once?</h1>
<div class="answer"><p><strong>${escaped(head)}</strong></p>${body.map((text) => `<p>${escaped(text)}</p>`).join("")}</div>
<p>Measured ${escaped(result.at)} with ${escaped(result.steps_file)}.</p>
${figureOf("Throughput", throughputChart(result), "While the line rises straight, another person costs nobody anything. Where it bends the shop is full.")}
${figureOf("How long an answer takes", answerChart(result), "Counted from the moment at which a person wanted the page.")}
${figureOf("The law", lawChart(result), law)}
<h2>The levels</h2>${tableOf(cellsOf(result.levels))}
<h2>The steps</h2><pre>${escaped(stepsText)}</pre>`,
  );
}

/** Returns what `--json` prints and the report is made of. */
export const resultOf = ({ url, at, steps, levels, looks, stopped, capped, verdict }) => ({
  url: url.href,
  at,
  steps_file: steps,
  verdict,
  stopped,
  capped,
  levels,
  looks,
});
