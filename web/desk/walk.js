/* Lets somebody walk over a chart: with the arrow keys, by pointing at it, or by a touch. The chart is drawn anew for each moment (plot.js). */

/** How far a key goes, in stripes of the chart. */
const STRIDES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

/** Brings the chart in `place` to life. `redraw(picked)` draws it with the moment that is pointed at, or with null. */
export function letWalk(place, redraw) {
  let picked = null;
  const moments = () => [...place.querySelectorAll(".hover")].map(({ dataset }) => Number(dataset.x));
  const pick = (moment) => {
    if (moment === picked) return;
    picked = moment;
    redraw(picked);
  };
  place.addEventListener("keydown", (event) => {
    if (event.key === "Escape") pick(null);
    const stride = STRIDES[event.key];
    const all = moments();
    if (stride === undefined || all.length === 0) return;
    event.preventDefault();
    const later = all.findIndex((moment) => moment >= picked);
    const at = picked === null || later < 0 ? all.length - 1 : later;
    pick(all[Math.min(all.length - 1, Math.max(0, at + stride))]);
  });
  place.addEventListener("pointerover", ({ target }) => target.dataset.x && pick(Number(target.dataset.x)));
  for (const kind of ["pointerleave", "focusout"]) place.addEventListener(kind, () => pick(null));
  return () => picked;
}
