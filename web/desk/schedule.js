/* A room's schedule at the desk: its timeline, drawn anew when it says something else, the form that changes it, and a line when a step was
 * not carried out. */

import { filled } from "./filled.js";
import { openScheduleForm } from "./schedule_form.js";
import all from "./schedule_words.json" with { type: "json" };
import { timeline } from "./timeline.js";
import { language, words } from "./words.js";
import { ownZone } from "./zones.js";

const texts = all[language];

/**
 * Keeps the timeline of a room in `place`, and its form in `form`. `room`: its name, `now()` what was last told, `mayChange()`, and
 * `turn(schedule, revision, { question, consequence, yes, done })`, which asks and resolves to whether it was done.
 */
export function createSchedule({ place, form }, { name, now, mayChange, turn }) {
  let shown = "";
  const edit = Object.assign(document.createElement("button"), { type: "button", textContent: texts.form.edit });
  const close = () => { form.replaceChildren(edit); };
  edit.addEventListener("click", () => openScheduleForm(form, {
    now, close, locale: language, texts,
    save: (schedule, revision, lines) => turn(schedule, revision, { question: filled(texts.form.question, { room: name }), consequence: lines, yes: words.change, done: filled(texts.form.saved, { room: name }) }),
  }));
  close();
  return ({ report, settings }, nowMs) => {
    const schedule = settings.schedule?.value ?? [];
    form.hidden = !mayChange();
    // At 10:02 nobody wants to compute: the operator's own zone.
    const html = timeline({ schedule, told: report.schedule, nowMs, zone: ownZone(), locale: language, words: texts });
    if (html !== shown) place.innerHTML = shown = html;
  };
}

/** The line for the steps that the room tells of; empty when all of them went well. */
export function stepsLine(steps = []) {
  const isGood = !steps.some(({ state }) => state === "refused");
  return { text: isGood ? "" : words.step_refused, isGood };
}
