/* Every setting that can be changed live: its value, where the value comes from, and a way back to the file's. News does not overwrite a knob
 * that is being turned. The knob remembers at which revision that began, so that two operators who turn at once are told. */

import { filled } from "./filled.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** The words that a key takes. */
export const CHOICES = {
  mode: ["open", "paused", "closed", "sold_out", "drain", "observe", "bypass"],
  draw: ["shuffle", "arrival"],
  lanes_rule: ["strict", "shares"],
};
/** These keys come first, then the others as the API has them. */
const FIRST = ["permits", "mode", "admissions_per_s", "message"];
/** These keys may reach their value over a while. */
export const RAMPS = ["permits", "admissions_per_s"];
/** The keys whose values are dates. */
const DATES = ["opens_at", "closes_at"];
/** These keys have a place of their own at the desk. */
const ELSEWHERE = ["lanes", "schedule"];
/** Longer values would fill a card, or push the buttons off a phone. */
const BRIEF = 40;

/** Returns a message as a text: that for everybody, with the languages that have their own. */
export const messageIn = (value) =>
  typeof value?.any === "string"
    ? `${value.any} (${Object.keys(value)
        .filter((tag) => tag !== "any")
        .join(", ")})`
    : value;

/**
 * Returns a message as the API takes it, of `message`, the text for everybody, and texts by language. Without the former there is no message.
 * @param {Record<string, string>} values
 */
export function messageOf({ message: any, ...others }) {
  const said = Object.entries(others).filter(([, text]) => text.trim() !== "");
  return any === "" || said.length === 0 ? any : { any, ...Object.fromEntries(said) };
}

/** Returns a value in words; "none" if there is no value. */
export const shown = (value) =>
  value === null || value === undefined || value === "" || value.length === 0
    ? words.empty
    : typeof value === "boolean"
      ? words[value ? "yes" : "no"]
      : [messageIn(value)].flat().join(", ");
/** Returns a value in words, or where it goes on a ramp. */
export const told = (value) => (value?.over_s ? filled(words.over, value) : shown(value));
/** Returns a value in words, cut so that it fits into a sentence. */
export const brief = (text) => (text.length > BRIEF ? `${text.slice(0, BRIEF).trimEnd()}…` : text);
/** Returns in words what an undo would bring back; empty if there is nothing to undo. */
export const undone = ({ undo }) =>
  Object.entries(undo ?? {})
    .map(([key, { value, ramp }]) => filled(words.back, { key, to: brief(told(ramp ?? value)) }))
    .join(", ");

/** Returns whether a key has dates, of which all have passed. */
export const isPast = (key, value, nowMs = Date.now()) =>
  DATES.includes(key) && [value ?? []].flat().length > 0 && [value].flat().every((date) => Date.parse(date) < nowMs);

const firstOf = (dates) => Math.min(...[dates ?? []].flat().map((date) => Date.parse(date)));

/** Returns whether, with this value of `key` beside the other settings, the room closes before its first opening: until then it would be open. */
export function closesFirst(key, value, settings, nowMs = Date.now()) {
  if (!DATES.includes(key)) return false;
  const [opens, closes] = ["opens_at", "closes_at"].map((one) => firstOf(one === key ? value : settings[one]?.value));
  return opens !== Infinity && closes < opens && closes > nowMs;
}

function consequence(key, value, settings) {
  if (closesFirst(key, value, settings)) return words.consequences.closes_first;
  return words.consequences[value?.over_s ? "ramp" : isPast(key, value) ? "past" : key === "mode" ? value : key] ?? words.consequences.other;
}

/** Returns the live keys of a room's settings, the usual ones first. */
export const liveKeys = (settings) => [
  ...FIRST,
  ...Object.keys(settings).filter((key) => settings[key].live && ![...FIRST, ...ELSEWHERE].includes(key)),
];

/** Returns the field of a key, with functions that read and fill it. For a key without `CHOICES`, `value` decides the kind of field. */
function fieldOf(key, value) {
  const make = (tag, attrs) => Object.assign(document.createElement(tag), attrs);
  const options = CHOICES[key] ?? (typeof value === "boolean" ? [true, false] : null);
  if (options) {
    const input = make("select", {});
    input.append(...options.map((one) => new Option(typeof one === "boolean" ? words[one ? "yes" : "no"] : one, one)));
    return {
      input,
      read: () => (typeof value === "boolean" ? input.value === "true" : input.value),
      fill: (to) => {
        input.value = String(to);
      },
    };
  }
  if (typeof value === "number") {
    const input = make("input", { type: "number", min: 0, step: key === "admissions_per_s" ? 0.001 : 1, required: true });
    return {
      input,
      read: () => Number(input.value),
      fill: (to) => {
        input.value = to ?? "";
      },
    };
  }
  if (Array.isArray(value)) {
    const input = make("textarea", { rows: 2, spellcheck: false });
    return {
      input,
      read: () =>
        input.value
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      fill: (to) => {
        input.value = [to ?? []].flat().join("\n");
      },
    };
  }
  const input = make("input", { maxLength: 500, autocomplete: "off" });
  return {
    input,
    read: () => input.value,
    fill: (to) => {
      input.value = to?.any ?? to ?? "";
    },
  };
}

/** Creates one knob. `turn(key, to, revision, text)` asks and changes; `now()` is the room as last told. */
export function createKnob(room, key, { turn, now }) {
  const { input, read, fill } = fieldOf(key, now().settings[key].value);
  const element = Object.assign(document.createElement("form"), { className: "knob" });
  element.dataset.key = key;
  const label = document.createElement("label");
  label.append(Object.assign(document.createElement("span"), { textContent: words.knobs[key] ?? key }), input);
  const [set, clear] = [words.change, words.clear].map((text) => Object.assign(document.createElement("button"), { textContent: text }));
  clear.type = "button";
  const source = Object.assign(document.createElement("p"), { className: "hint" });
  const over = RAMPS.includes(key) ? overField() : undefined;
  element.append(label, ...(over ? [over.label] : []), set, clear, source);
  /** The revision at which the operator began to turn the knob. */
  let began = null;
  for (const one of [input, over?.input])
    one?.addEventListener("input", () => {
      began ??= now().revision;
    });

  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = read();
    const seconds = Number(over?.input.value);
    const to = seconds > 0 ? { to: value, over_s: seconds } : value;
    const values = { key, room, from: shown(now().settings[key].value), to: told(to) };
    const done = filled(seconds > 0 ? words.begun : words.changed, { ...values, to: brief(values.to) });
    const text = { question: filled(words.question, values), consequence: consequence(key, to, now().settings), yes: words.change, done };
    if (await turn(key, to, began ?? now().revision, text)) settle();
  });
  clear.addEventListener("click", async () => {
    const from = shown(now().settings[key].value);
    const text = {
      question: filled(words.clear_question, { key, room }),
      consequence: filled(words.clear_consequence, { from }),
      yes: words.clear,
      done: filled(words.changed, { key, room, to: words.from_file }),
    };
    if (await turn(key, null, began ?? now().revision, text)) settle();
  });
  /** Ends the turning: from now on the knob shows what comes in. */
  const settle = () => {
    began = null;
    if (over) over.input.value = "";
    knob.take(now(), true);
  };
  const knob = {
    element,
    take({ settings, changed }, mayChange) {
      const { value, source: from, ramp } = settings[key];
      if (began === null && document.activeElement !== input) fill(value);
      const { by, at_ms: atMs } = changed?.[key] ?? {};
      let text = words[`from_${from}`];
      if (ramp) text = filled(words.from_ramp, { ...ramp, by, time: write.clock(ramp.ends_at_ms) });
      else if (from === "live") text = filled(words.from_live, { by, time: write.clock(atMs) });
      if (source.textContent !== text) source.textContent = text;
      input.disabled = set.hidden = !mayChange;
      if (over) over.label.hidden = !mayChange;
      clear.hidden = from !== "live" || !mayChange;
    },
    moved(from, to) {
      if (began === from) began = to;
    },
    forget() {
      began = null;
      input.blur();
    },
  };
  return knob;
}

/** Returns the field for the seconds in which a number gets there; empty means at once. */
function overField() {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "number", min: 1, max: 86_400, step: 1, placeholder: words.at_once });
  label.append(Object.assign(document.createElement("span"), { textContent: words.over_label }), input);
  label.className = "over";
  return { label, input };
}
