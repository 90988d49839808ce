/* The big actions of a room: pause, message, fewer, more, end. Each says what will follow, asks, and yields the live values to change. */

import { ask, field } from "./ask.js";
import { filled } from "./filled.js";
import { CALLS, followsOf, followsOfForecast, followsOfPermits } from "./follows.js";
import { forecastOf } from "./forecast.js";
import { askMessage } from "./message.js";
import { h } from "./tree.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** "Fewer" and "more" begin with a step of a tenth of the permits. */
const STEP = 0.1;
const OVER_S = [0, 300, 900];

/** Returns the actions that a room in this state offers, in their order. */
export function offered({ mode, opens_at_ms: opensAtMs }) {
  // Before its opening, a room opens only by its dates.
  const first = CALLS.includes(mode) ? "pause" : mode === "paused" ? "resume" : opensAtMs ? null : "open";
  return [first, "message", "fewer", "more", "end"].filter(Boolean);
}

/** The action that a situation's advice begins with. Only that button is filled; where there is nothing to do, none is. */
const FIRST = {
  no_permits: "more",
  opens_without: "more",
  grows: "more",
  slow: "fewer",
  failing: "fewer",
  errors: "pause",
  paused: "resume",
  opens_paused: "resume",
  bypass: "open",
  missed: "message",
  closed_line: "open",
  drained: "end",
};

/** Returns the buttons for these actions. They are disabled while the room is silent, because it can be told nothing then. */
export const buttonsOf = (report, situation, isSilent) =>
  offered(report).map((name) =>
    h(
      "button",
      { type: "button", "data-do": name, key: name, disabled: isSilent, class: FIRST[situation] === name ? "strong" : null },
      words.actions[name],
    ),
  );

const make = (tag, attrs) => Object.assign(document.createElement(tag), attrs);

/**
 * Asks the operator for what an action needs. Resolves to the live values that it changes, or to null for no. `room` is the room's name,
 * `told` what the API says of it, `tried` the most that were inside at once. `outlook()` resolves to what a forecast needs.
 */
export async function askFor(name, { room, told, outlook, tried }) {
  const { report } = told;
  const question = filled(words.ask[name], { room });
  const yes = words.actions[name].replace(" …", "");
  if (["pause", "resume", "open"].includes(name)) {
    const said = await ask({ question, yes, follows: () => followsOf(name === "open" ? "resume" : name, report, write) });
    return said && { mode: name === "pause" ? "paused" : "open" };
  }
  if (name === "message")
    return askMessage({
      question,
      now: told.settings.message.value,
      follows: (message) => followsOf(message ? "message" : "no_message", report, write),
    });
  if (name === "end") return askEnd({ question, report });
  return askPermits({ question, yes, report, outlook, tried, isMore: name === "more" });
}

async function askEnd({ question, report }) {
  const how = make("select", { name: "how" });
  how.append(...["drain", "sold_out", "closed"].map((mode) => new Option(words.follows.ends[mode], mode)));
  const said = await ask({
    question,
    yes: words.actions.end.replace(" …", ""),
    fields: [field(words.ask.how, how)],
    follows: (values) => followsOf(values.how, report, write),
  });
  return said && { mode: said.how };
}

/** Returns the number that "fewer" or "more" begins with. */
const firstStep = (permits, isMore) => Math.max(0, permits + (isMore ? 1 : -1) * Math.max(1, Math.round(permits * STEP)));

async function askPermits({ question, yes, report, outlook, tried, isMore }) {
  const number = make("input", {
    name: "permits",
    type: "number",
    min: 0,
    max: 100_000,
    step: 1,
    required: true,
    value: firstStep(report.permits, isMore),
  });
  const turns = [
    [-1, "−", words.ask.less_by],
    [1, "+", words.ask.more_by],
  ].map(([sign, text, label]) => {
    const button = make("button", { type: "button", textContent: text, ariaLabel: label, className: "step" });
    button.addEventListener("click", () => {
      number.value = firstStep(Number(number.value), sign > 0);
      number.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return button;
  });
  // The label stands apart and names the number. A label around all three would name the first button.
  const row = make("div", { className: "field" });
  const steps = make("div", { className: "steps" });
  number.id = "permits-wanted";
  steps.append(turns[0], number, turns[1]);
  row.append(make("label", { htmlFor: number.id, textContent: words.ask.permits }), steps);
  const over = make("select", { name: "over" });
  over.append(
    ...OVER_S.map((s) => new Option(s === 0 ? words.ask.at_once : filled(words.ask.over_s, { time: write.duration(s * 1_000) }), String(s))),
  );
  const known = outlook().catch(() => null);
  const said = await ask({
    question,
    yes,
    fields: [row, field(words.ask.over, over)],
    follows: ({ permits, over: overS }) => followsOfPermits(report, Number(permits), { overS: Number(overS), tried }, write),
    later: ({ permits }) => (Number(permits) === report.permits ? null : { reading: words.follows.reading, line: judged(known, Number(permits)) }),
  });
  if (!said) return null;
  const to = Number(said.permits);
  return { permits: Number(said.over) > 0 ? { to, over_s: Number(said.over) } : to };
}

async function judged(known, permits) {
  const outlook = await known;
  if (!outlook) return words.follows.unknown;
  const both = await Promise.all([forecastOf({ outlook }), forecastOf({ outlook, permits })]).catch(() => null);
  return both ? followsOfForecast(...both, write) : words.follows.unknown;
}
