/* A room's schedule at the desk: its timeline, drawn anew when it says something else, the form that changes it, and a line if a step was
 * not carried out. */

import { filled } from "./filled.js";
import { openScheduleForm } from "./schedule_form.js";
import all from "./schedule_words.json" with { type: "json" };
import { timeline } from "./timeline.js";
import { language, locale, words } from "./words.js";
import { ownZone } from "./zones.js";

const texts = all[language];

/**
 * Keeps the timeline of a room in `place`, and its form in `form`. `name` is the room's, `now()` what the room last told. `turn(schedule,
 * revision, { question, consequence, yes, done })` asks, and resolves to whether it was done. Returns the function that draws.
 */
export function createSchedule({ place, form }, { name, now, mayChange, turn }) {
  let shown = "";
  const edit = Object.assign(document.createElement("button"), { type: "button", textContent: texts.form.edit });
  const close = () => {
    form.replaceChildren(edit);
  };
  edit.addEventListener("click", () =>
    openScheduleForm(form, {
      now,
      close,
      locale,
      texts,
      save: (schedule, revision, lines) =>
        turn(schedule, revision, {
          question: filled(texts.form.question, { room: name }),
          consequence: lines,
          yes: words.change,
          done: filled(texts.form.saved, { room: name }),
        }),
    }),
  );
  close();
  return ({ report, settings }, nowMs) => {
    const schedule = settings.schedule?.value ?? [];
    form.hidden = !mayChange();
    // In the operator's own zone: at 10:02 nobody wants to compute.
    const html = timeline({ schedule, told: report.schedule, nowMs, zone: ownZone(), locale, words: texts });
    if (html !== shown) place.innerHTML = shown = html;
  };
}

/** Returns the line for the steps that the room tells of; empty if none was refused. */
export function stepsLine(steps = []) {
  const isGood = !steps.some(({ state }) => state === "refused");
  return { text: isGood ? "" : words.step_refused, isGood };
}
