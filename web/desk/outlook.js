/* The outlook of a room: what the line will probably do, and what it would do with other permits. It is made in the browser from
 * what the room has measured, once somebody opens it; it is advice, and changes nothing. */

import { createBand } from "./band.js";
import { createKept } from "./kept.js";
import { looksBack, notes, sentence, whatIf } from "./says.js";
import words from "./words.json";

/** A forecast is made anew so often while it is looked at. */
const EVERY_MS = 30_000;
/** A slider that moves asks when it rests. */
const REST_MS = 120;

let worker;
let asked = 0;
const waiting = new Map();

/** One worker for all rooms, loaded when it is first needed. Resolves to a forecast. */
function ask(question) {
  if (!worker) {
    const { forecaster, advice } = document.documentElement.dataset;
    worker = new Worker(forecaster, { type: "module" });
    worker.postMessage({ wasm: advice });
    worker.addEventListener("message", ({ data: { id, forecast, error } }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(error));
      else resolve(forecast);
    });
    worker.addEventListener("error", () => {
      for (const { reject } of waiting.values()) reject(new Error(words.outlook.unloaded));
      waiting.clear();
      worker = undefined;
    });
  }
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, question });
  });
}

/** Brings the `<details>` of a room's outlook to life; `tell()` resolves to the room's aggregates. */
export function createOutlook(element, tell) {
  const find = (part) => element.querySelector(`[data-part="${part}"]`);
  const [says, more, back, chart, knob, slider, value, answer] = ["says", "more", "back", "chart", "knob", "slider", "value", "answer"].map(find);
  const show = createBand(chart, words.outlook.middle);
  const kept = createKept();
  let outlook = null;
  let moved = false;
  let timer;
  let rest;

  async function look() {
    clearTimeout(timer);
    if (!element.open) return;
    if (!document.hidden) await renew().catch(() => { says.textContent = words.outlook.unloaded; });
    timer = setTimeout(look, EVERY_MS);
  }

  async function renew() {
    outlook = await tell();
    const nowMs = Date.now();
    const forecast = await ask({ outlook });
    says.textContent = sentence(forecast, nowMs);
    show(forecast.waiting, nowMs);
    more.replaceChildren(...notes(forecast).map(item));
    back.textContent = looksBack(kept.judge(nowMs, outlook.present));
    kept.keep(forecast.waiting, nowMs);
    offer(forecast);
    if (moved) await imagine();
  }

  /** The slider goes over what was tried, and no further. */
  function offer({ silence, measured: { from, to } }) {
    knob.hidden = Boolean(silence) || to <= from;
    [slider.min, slider.max] = [from, to];
    if (!moved) slider.value = outlook.permits;
    value.textContent = slider.value;
  }

  async function imagine() {
    const permits = Number(slider.value);
    const forecast = await ask({ outlook, permits });
    if (permits === Number(slider.value)) answer.textContent = whatIf(forecast, Date.now());
  }

  slider.addEventListener("input", () => {
    moved = true;
    value.textContent = slider.value;
    clearTimeout(rest);
    rest = setTimeout(() => imagine().catch(() => { answer.textContent = words.outlook.unloaded; }), REST_MS);
  });
  element.addEventListener("toggle", look);
  document.addEventListener("visibilitychange", look);
}

const item = (text) => Object.assign(document.createElement("li"), { textContent: text });
