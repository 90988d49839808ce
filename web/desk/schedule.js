/* A room's schedule at the desk: its timeline, drawn anew when it says something else, and a line when a step was not carried out. */

import texts from "./schedule_words.json" with { type: "json" };
import { timeline } from "./timeline.js";
import { language, words } from "./words.js";

/** The operator's own zone: at 10:02 nobody wants to compute. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Keeps the timeline of a room in `place`. */
export function createSchedule(place) {
  let shown = "";
  return ({ report, settings }, nowMs) => {
    const schedule = settings.schedule?.value ?? [];
    const html = timeline({ schedule, told: report.schedule, nowMs, zone, locale: language, words: texts[language] });
    if (html !== shown) place.innerHTML = shown = html;
  };
}

/** The line for the steps that the room tells of; empty when all of them went well. */
export function stepsLine(steps = []) {
  const isGood = !steps.some(({ state }) => state === "refused");
  return { text: isGood ? "" : words.step_refused, isGood };
}
