// The plan as one HTML file that needs no other. Pure: a forecast in, text out.

import { GREY, HUES, svgOf } from "../../bench/plot.mjs";
import { axisOf, escaped, figureOf, fixed, frame, line, pageOf, tableOf } from "../report.mjs";
import { figureCells, headOf, sentencesOf, spanCells, supposedLines } from "./text.mjs";

const [WIDTH, HEIGHT] = [820, 340];
const MINUTE = 60_000;

/** Draws a line for the middle and a band for nine runs of ten. echarts draws bands as two stacked areas, the lower one invisible. */
function banded(name, points, hue) {
  const unseen = { symbol: "none", lineStyle: { opacity: 0 }, silent: true, stack: name, stackStrategy: "all" };
  return [
    line(
      `${name} low`,
      points.map(([at, band]) => [at, fixed(band.low)]),
      { ...unseen },
    ),
    line(
      `${name} band`,
      points.map(([at, band]) => [at, fixed(band.high - band.low)]),
      { ...unseen, areaStyle: { color: hue, opacity: 0.25 } },
    ),
    line(
      name,
      points.map(([at, band]) => [at, fixed(band.mid)]),
      { lineStyle: { color: hue }, itemStyle: { color: hue } },
    ),
  ];
}

function chart(lines, yName) {
  const series = lines.flatMap(([name, points], nth) => banded(name, points, HUES[nth % HUES.length]));
  const xAxis = { ...axisOf("minutes after the opening", 28), min: undefined, scale: true };
  return svgOf(
    { ...frame, legend: { ...frame.legend, data: lines.map(([name]) => name) }, xAxis, yAxis: axisOf(yName, 50), series },
    { width: WIDTH, height: HEIGHT },
  );
}

const minutes = (band) => Object.fromEntries(Object.entries(band).map(([name, ms]) => [name, ms / MINUTE]));

/** Draws how long people wait, by when they come. */
function waitChart(spans) {
  const told = spans.filter(({ waits }) => waits);
  if (told.length < 2) return "";
  const points = (key) => told.map(({ from_ms: from, to_ms: to, waits }) => [fixed((from + to) / 2 / MINUTE), minutes(waits[key])]);
  return chart(
    [
      ["half wait less", points("p50_ms")],
      ["9 of 10", points("p90_ms")],
      ["99 of 100", points("p99_ms")],
    ],
    "minutes of waiting",
  );
}

const curveChart = (curve, names, yName) =>
  chart(
    names.map(([key, name]) => [name, curve.map((moment) => [fixed(moment.at_ms / MINUTE), moment[key]])]),
    yName,
  );

const laneChart = (lanes) =>
  chart(
    lanes.map(({ name, curve }) => [name, curve.map(({ at_ms: at, entered }) => [fixed(at / MINUTE), entered])]),
    "people",
  );

/** Returns the page. `figures`: of this plan and, if there is one, of the other. `asked`: the command line as it was given. */
export function html(told, figures, { at, asked }) {
  const { plan, other } = told;
  const charts = ({ forecast: { spans, curve, seats, lanes = [] } }) =>
    [
      figureOf("How long people wait", waitChart(spans), "By the moment at which they come. Bands hold nine runs of ten."),
      figureOf("The line", curveChart(curve, [["waiting", "people waiting"]], "people"), ""),
      ...(lanes.length > 1 ? [figureOf("Who gets in, by lane", laneChart(lanes), "So far. The line of a lane that starves stays flat.")] : []),
      figureOf(
        "Who gets in, and who is inside",
        curveChart(curve, [["entered", "got in so far"], ["inside", "inside"], ...(seats ? [["seats_left", "seats left"]] : [])], "people, seats"),
        "",
      ),
    ].join("\n");
  return pageOf(
    `Plan: ${headOf(plan)}`,
    `<h1>What to expect</h1>
<div class="answer">${sentencesOf(told)
      .map((text) => `<p>${escaped(text)}</p>`)
      .join("")}</div>
<h2>In figures</h2>${tableOf(figureCells(figures))}
${charts(plan)}
<h2>By the moment of coming</h2>${tableOf(spanCells(plan))}
${other ? `<h1>The other plan</h1><p>${escaped(headOf(other))}</p>${charts(other)}` : ""}
<h2>Supposed, as nobody said otherwise</h2><p><code>${escaped(supposedLines(told.supposed, 10_000).join(" ").trim())}</code></p>
<p style="color: ${GREY}">Made ${escaped(at)} by <code>npm run plan -- ${escaped(asked)}</code>.</p>`,
  );
}
