/* The outlook of a room: what the line will probably do, and what it would do with other permits. The browser makes it from what the room
 * has measured, once somebody opens it. It is advice, and changes nothing. */

import { bandOf } from "./band.js";
import { forecastOf, isBuilt } from "./forecast.js";
import { createKept } from "./kept.js";
import { looksBack, notes, sentence, whatIf } from "./says.js";
import { patch } from "./tree.js";
import { letWalk } from "./walk.js";
import { words } from "./words.js";

/** A new forecast is made this often while somebody looks at it. */
const EVERY_MS = 30_000;
/** The slider asks after it has rested this long. */
const REST_MS = 120;

/** Brings the `<details>` of a room's outlook to life. `tell()` resolves to the room's aggregates; `told(forecast)` is called with each
 * forecast. */
export function createOutlook(element, tell, told) {
  const find = (part) => element.querySelector(`[data-part="${part}"]`);
  const [says, more, back, chart, knob, slider, value, answer] = ["says", "more", "back", "chart", "knob", "slider", "value", "answer"].map(find);
  const kept = createKept();
  let outlook = null;
  let moved = false;
  let drawBand = (_picked) => {};
  const picked = letWalk(chart, (moment) => drawBand(moment));
  let timer;
  let rest;

  async function look() {
    clearTimeout(timer);
    if (!element.open) return;
    if (!document.hidden)
      await renew().catch(() => {
        says.textContent = whyNone();
      });
    timer = setTimeout(look, EVERY_MS);
  }

  async function renew() {
    outlook = await tell();
    const nowMs = Date.now();
    const forecast = await forecastOf({ outlook });
    says.textContent = sentence(forecast, nowMs);
    drawBand = (picked) => {
      const band = bandOf(forecast.waiting, nowMs, picked);
      patch(chart, [band]);
      chart.hidden = !band;
    };
    drawBand(picked());
    told(forecast);
    more.replaceChildren(...notes(forecast).map(item));
    back.textContent = looksBack(kept.judge(nowMs, outlook.present));
    kept.keep(forecast.waiting, nowMs);
    offer(forecast);
    if (moved) await imagine();
  }

  /** Lets the slider go over the permits that were tried, and no further. */
  function offer({ silence, measured: { from, to } }) {
    knob.hidden = Boolean(silence) || to <= from;
    [slider.min, slider.max] = [from, to];
    if (!moved) slider.value = outlook.permits;
    value.textContent = slider.value;
  }

  async function imagine() {
    const permits = Number(slider.value);
    const forecast = await forecastOf({ outlook, permits });
    if (permits === Number(slider.value)) answer.textContent = whatIf(forecast, Date.now());
  }

  slider.addEventListener("input", () => {
    moved = true;
    value.textContent = slider.value;
    clearTimeout(rest);
    rest = setTimeout(
      () =>
        imagine().catch(() => {
          answer.textContent = whyNone();
        }),
      REST_MS,
    );
  });
  element.addEventListener("toggle", look);
  document.addEventListener("visibilitychange", look);
}

const whyNone = () => (isBuilt() ? words.outlook.unloaded : words.outlook.later);
const item = (text) => Object.assign(document.createElement("li"), { textContent: text });
