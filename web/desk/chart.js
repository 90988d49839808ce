/* The last hour of a room as lines. Colours follow the scheme; for who does not see it, the figures say the same. */

import uPlot from "uplot";

const HEIGHT = 190;

/** A chart in `place`; `names` of its three lines, the third on a scale of its own. */
export function createChart(place, names, columns) {
  let plot;
  const draw = () => {
    plot?.destroy();
    plot = new uPlot(options(names, place.clientWidth), columns, place);
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(() => {
    if (place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(place);
  return { redraw: () => plot.setData(columns) };
}

function options([waiting, inside, admissions], width) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [soft, line] = [colour("--soft"), colour("--line")];
  const axis = (more) => ({ stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, ...more });
  const points = { show: false };
  return {
    width, height: HEIGHT, cursor: { show: false }, legend: { live: false },
    scales: { people: { range: fromZero }, rate: { range: fromZero } },
    axes: [axis(), axis({ scale: "people" }), axis({ scale: "rate", side: 1, grid: { show: false } })],
    series: [
      {}, { label: waiting, scale: "people", stroke: colour("--ink"), width: 2, points },
      { label: inside, scale: "people", stroke: colour("--accent"), width: 2, points },
      { label: admissions, scale: "rate", stroke: soft, width: 1, dash: [4, 3], points },
    ],
  };
}

const fromZero = (plot, least, most) => [0, Math.max(1, (most ?? 0) * 1.1)];
