/* The form for a room's schedule: steps, each with what it sets and its time in a zone of the operator's choice. It asks about an hour that the
 * clocks skip or show twice, and shows the timeline as it would be. It saves the whole schedule as it was seen, or nothing. */

import { field } from "./ask.js";
import { readValue, writtenValue } from "./definition.js";
import { filled } from "./filled.js";
import { CHOICES, RAMPS } from "./knobs.js";
import { meant, readSteps, writeSteps } from "./steps.js";
import { stepInWords, timeline } from "./timeline.js";
import { h, patch } from "./tree.js";
import { words } from "./words.js";
import { localText, offsetText, ownZone, zones } from "./zones.js";

const make = (tag, attrs = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attrs);
  element.append(...children);
  return element;
};
const button = (text, onclick, attrs = {}) => make("button", { type: "button", textContent: text, onclick, ...attrs });
/** A step that is added is this long after the last step, or from now, on the full minute. */
const AHEAD_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Opens a form in `place`. `now()` is the room as last told; `save(schedule, revision, lines)` resolves to whether it was saved; `close()` ends. */
export function openScheduleForm(place, { now, save, close, locale, texts }) {
  const say = texts.form;
  const { revision, settings } = now();
  const keys = Object.keys(settings).filter((key) => settings[key].live && key !== "schedule");
  let zone = ownZone();
  let steps = readSteps(settings.schedule.value ?? [], zone);
  // A step that was carried out stays in the schedule; a new one cannot be carried out in the past.
  const wasThere = new Set(steps.map(({ at }) => at));
  const list = make("ol", { className: "steps-form" });
  const shown = make("div");
  const done = make("button", { textContent: say.save, className: "strong" });
  const select = make("select");
  select.append(...zones().map((name) => new Option(name, name, false, name === zone)));
  select.addEventListener("change", () => {
    zone = select.value;
    // The moments stay, and the clocks of the zone show them differently. A step without a moment is read anew, as it was typed.
    steps = steps.map((step) =>
      step.at === undefined ? { ...step, ...known(step) } : { ...step, local: localText(step.at, zone), pick: undefined },
    );
    draw();
  });
  const add = button(say.add, () => {
    const last = Math.max(Date.now(), ...steps.map(({ at }) => at ?? 0));
    const at = Math.ceil((last + AHEAD_MS) / MINUTE_MS) * MINUTE_MS;
    steps.push({ at, local: localText(at, zone), pick: undefined, set: [["mode", "open"]] });
    draw();
    list.lastElementChild.querySelector("input").focus();
  });
  const form = make(
    "form",
    { className: "define" },
    field(say.zone, select),
    list,
    make("div", { className: "row" }, add),
    make("h4", { textContent: say.preview }),
    shown,
    make("div", { className: "row" }, done, button(words.cancel, close)),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const schedule = writeSteps(steps, zone);
    if (!schedule) return;
    const lines = schedule.map(
      ({ at, set }) => `${at.slice(0, 16).replace("T", " ")} ${at.slice(19)}: ${stepInWords(set, texts, locale).join(", ")}`,
    );
    if (await save(schedule, revision, lines.length > 0 ? lines : [texts.empty])) close();
  });

  const known = (step) => {
    const { at } = meant(step, zone);
    return { at };
  };

  function draw() {
    list.replaceChildren(...steps.map(rowOf));
    follow();
  }

  /** Shows the timeline as it would be, and lets it be saved if it is complete. */
  function follow() {
    const good = writeSteps(
      steps.filter(({ at, set }) => at !== undefined && set.length > 0),
      zone,
    );
    shown.innerHTML = timeline({ schedule: good, told: [], nowMs: Date.now(), zone, locale, words: texts });
    done.disabled = writeSteps(steps, zone) === undefined || steps.some(({ at }) => at < Date.now() && !wasThere.has(at));
  }

  function rowOf(step) {
    // Seconds are shown only if there are some.
    const when = make("input", { type: "datetime-local", step: step.local.endsWith(":00") ? 60 : 1, required: true, value: step.local });
    const asks = make("div");
    asks.setAttribute("role", "status");
    const ask = () => {
      const { at, pick, asks: why, choices } = meant(step, zone);
      Object.assign(step, { at, pick });
      const isPast = at !== undefined && at < Date.now() && !wasThere.has(at);
      patch(
        asks,
        isPast
          ? [h("p", { class: "note" }, say.past)]
          : why === "bad"
            ? [h("p", { class: "note" }, say.bad_time)]
            : why
              ? [
                  h("p", { class: "note" }, filled(texts[why], { zone })),
                  h(
                    "div",
                    { class: "row" },
                    choices.map((choice, index) =>
                      h(
                        "button",
                        {
                          type: "button",
                          "data-pick": index,
                          "aria-pressed": String(step.pick === index),
                          class: step.pick === index ? "strong" : null,
                        },
                        `${localText(choice, zone).slice(11, 16)} ${offsetText(choice, zone)}`,
                      ),
                    ),
                  ),
                ]
              : [],
      );
      follow();
    };
    when.addEventListener("input", () => {
      Object.assign(step, { local: when.value, pick: undefined, at: undefined });
      ask();
    });
    asks.addEventListener("click", ({ target }) => {
      if (target.dataset.pick === undefined) return;
      step.pick = Number(target.dataset.pick);
      ask();
    });
    const sets = make("div", { className: "rows" });
    const more = make("select", { ariaLabel: say.add_key });
    const drawSets = () => {
      sets.replaceChildren(
        ...step.set.map((pair, index) =>
          setRow(pair, () => {
            step.set.splice(index, 1);
            drawSets();
            follow();
          }),
        ),
      );
      const left = keys.filter((key) => !step.set.some(([one]) => one === key));
      more.replaceChildren(new Option(say.add_key, ""), ...left.map((key) => new Option(words.knobs[key] ?? key, key)));
    };
    more.addEventListener("change", () => {
      if (more.value) step.set.push([more.value, settings[more.value].value]);
      drawSets();
      follow();
    });
    drawSets();
    ask();
    return make(
      "li",
      { className: "card" },
      make(
        "div",
        { className: "setting" },
        field(say.when, when),
        button(
          "×",
          () => {
            steps = steps.filter((one) => one !== step);
            draw();
          },
          { ariaLabel: say.remove },
        ),
      ),
      asks,
      sets,
      more,
    );
  }

  /** Returns the row of one key of a step: its value, and a button that removes it. */
  function setRow(pair, drop) {
    const [key] = pair;
    const label = words.knobs[key] ?? key;
    const put = (value) => {
      pair[1] = value;
      follow();
    };
    return make(
      "div",
      { className: "setting" },
      ...fieldsOf(key, label, pair[1], put, { options: CHOICES[key], now: settings[key].value, say }),
      button("×", drop, { ariaLabel: `${words.house.drop}: ${label}` }),
    );
  }

  place.replaceChildren(form);
  draw();
}

/** Returns the fields of a value: words to choose from, a number that may take a while, or a text as the file would have it. */
function fieldsOf(key, label, value, put, { options, now, say }) {
  const choices = options ?? (typeof now === "boolean" ? [true, false] : null);
  if (choices) {
    const select = make("select");
    select.append(...choices.map((one) => new Option(typeof one === "boolean" ? words[one ? "yes" : "no"] : one, one, false, one === value)));
    select.addEventListener("change", () => put(typeof now === "boolean" ? select.value === "true" : select.value));
    return [field(label, select)];
  }
  if (RAMPS.includes(key) && value !== null) {
    const number = make("input", { type: "number", min: 0, step: key === "permits" ? 1 : 0.001, required: true, value: value?.to ?? value });
    const over = make("input", { type: "number", min: 1, step: 1, value: value?.over_s ?? "" });
    const both = () => put(over.value === "" ? Number(number.value) : { ...value, to: Number(number.value), over_s: Number(over.value) });
    for (const input of [number, over]) input.addEventListener("input", both);
    return [field(label, number), field(say.over, over)];
  }
  const isText = typeof now === "string";
  const input = make("input", { value: isText ? (value ?? "") : writtenValue(value), spellcheck: isText, autocomplete: "off" });
  input.addEventListener("input", () => put(isText ? input.value : readValue(input.value)));
  return [field(label, input)];
}
