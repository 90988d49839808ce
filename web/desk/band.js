/* How many will wait: the middle of many futures as a line, and where four of five lie as a band. The sentence above says the
 * same to who does not see it. */

import uPlot from "uplot";

const HEIGHT = 150;

/** A chart in `place`. Returns what shows the points of a forecast made at `nowMs`. */
export function createBand(place, label) {
  let plot;
  let columns = [[], [], [], []];
  const draw = () => {
    plot?.destroy();
    plot = new uPlot(options(place.clientWidth, label), columns, place);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot && draw());
  new ResizeObserver(() => {
    if (plot && place.clientWidth > 0 && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(place);
  return (waiting, nowMs) => {
    const column = (key) => waiting.map((point) => point.waiting[key]);
    columns = [waiting.map(({ after_ms: afterMs }) => (nowMs + afterMs) / 1_000), column("p90"), column("p50"), column("p10")];
    place.hidden = waiting.length === 0;
    if (place.hidden) return;
    if (plot) plot.setData(columns);
    else draw();
  };
}

function options(width, label) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [soft, line, accent] = [colour("--soft"), colour("--line"), colour("--accent")];
  const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const edge = { stroke: "transparent", width: 0, points: { show: false } };
  return {
    width, height: HEIGHT, cursor: { show: false }, legend: { show: false },
    scales: { y: { range: (_, least, most) => [0, Math.max(1, (most ?? 0) * 1.05)] } },
    axes: [axis, { ...axis, size: 56 }],
    series: [{}, edge, { label, stroke: accent, width: 2, points: { show: false } }, edge],
    bands: [{ series: [1, 3], fill: `color-mix(in srgb, ${accent} 22%, transparent)` }],
  };
}
