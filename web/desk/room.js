/* One room on the desk: its figures, its lines, its knobs. A knob that is being turned is not overwritten by what comes in;
 * it remembers at which revision the operator began, so that two who turn at once are told. */

import { answerLine } from "./answers.js";
import { createChart } from "./chart.js";
import { entryLine } from "./entry.js";
import { createFigures, createReading } from "./figures.js";
import { filled } from "./filled.js";
import { lines } from "./observed.js";
import { createOutlook } from "./outlook.js";
import { proofLine } from "./proofs.js";
import { createHistory } from "./rates.js";
import { createReport } from "./report.js";
import { createLookUp } from "./story.js";
import words from "./words.json";

const MODES = ["open", "paused", "closed", "sold_out", "drain", "observe", "bypass"];
const KNOBS = ["permits", "mode", "admissions_per_s", "message"];
const NUMBERS = ["permits", "admissions_per_s"];
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const times = new Intl.DateTimeFormat("en", { timeStyle: "short" });

/** A message longer than this would fill the card. */
const BRIEF = 40;

const shown = (value) => (value === null || value === undefined || value === "" ? words.empty : String(value));
/** A value, or where it goes on a ramp. */
const told = (value) => (value?.over_s ? filled(words.over, value) : shown(value));
const brief = (text) => (text.length > BRIEF ? `${text.slice(0, BRIEF).trimEnd()}…` : text);
/** When the room opens, and who is there already; open: no words. */
const hours = ({ opens_at_ms: atMs, in_hall: count }) =>
  atMs ? filled(count ? words.in_hall : words.opens, { time: dates.format(atMs), count: count.toLocaleString("en") }) : "";
/** What an undo would bring back, in words; nothing to undo: no words. */
const undone = ({ undo }) => Object.entries(undo).map(([key, { value, ramp }]) => filled(words.back, { key, to: brief(told(ramp ?? value)) })).join(", ");
const consequence = (key, value) => words.consequences[value?.over_s ? "ramp" : key === "mode" ? value : key];

const LIMITS = ["tickets_per_ip_max", "walk_ins_per_ip_max", "joins_per_ip_per_minute", "joins_per_visitor_per_minute", "ipv4_share"];
/** What one address and one visitor may take: set in the file, and here to be known. */
const limits = (settings) => filled(words.limits, Object.fromEntries(LIMITS.map((key) => [key, settings[key].value || words.no_limit])));

/** The card of a room; `desk` does what is asked for. */
export function createRoom(name, desk) {
  const element = document.getElementById("room").content.firstElementChild.cloneNode(true);
  const find = (selector) => element.querySelector(selector);
  find("h2").textContent = name;
  element.setAttribute("aria-label", name);
  const figures = createFigures(find(".figures"));
  const read = createReading();
  const history = createHistory(3);
  desk.hour(name).then((samples) => {
    history.prefill(samples);
    chart?.redraw();
  });
  let chart;
  let last;

  const turn = async (key, to, revision, text) => {
    const answer = await desk.change(name, { [key]: to }, revision, text);
    if (!answer) return false;
    // Own changes are no conflict with the knobs one has still in hand.
    for (const knob of knobs) knob.moved(revision, answer.revision);
    take(answer, Date.now());
    return true;
  };
  const knobs = KNOBS.map((key) => createKnob(name, key, { turn, now: () => last }));
  find(".knobs").append(...knobs.map((knob) => knob.element));

  find(".undo").addEventListener("click", async () => {
    const { revision } = last;
    const answer = await desk.undo(name, revision, filled(words.undone, { room: name, changes: undone(last) }));
    if (!answer) return;
    for (const knob of knobs) knob.moved(revision, answer.revision);
    take(answer, Date.now());
  });
  const release = find(".release");
  release.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = { number: release.querySelector("input").value, room: name };
    desk.release(name, values.number, {
      question: filled(words.release_question, values), consequence: words.release_consequence, yes: words.release,
      done: filled(words.released, values),
    });
  });

  createOutlook(find(".outlook"), () => desk.outlook(name));
  createReport(find(".report button"), find(".report p"), name);
  createLookUp(find(".lookup"), find(".story"), (number, from) => desk.story(name, number, from));

  function observe(observation) {
    const said = lines(observation);
    find(".observed").hidden = said.length === 0;
    const items = said.map((text) => Object.assign(document.createElement("li"), { textContent: text }));
    find(".observed ul").replaceChildren(...items);
  }

  function tell(what, { text, isGood }, good) {
    const line = find(`[data-show="${what}"]`);
    line.textContent = text;
    line.hidden = text === "";
    line.className = isGood ? good : "note";
  }

  const reset = find(".reset");
  reset.addEventListener("click", async () => {
    const values = { room: name };
    const told = await desk.reset(name, last.revision, {
      question: filled(words.reset_question, values), consequence: filled(words.reset_consequence, last.report), yes: words.reset_yes,
      label: filled(words.reset_label, values), done: ({ report: { edition } }) => filled(words.reset_done, { ...values, edition }),
    });
    if (told) take(told, Date.now());
  });

  function take(news, nowMs) {
    const silent = !news.report;
    find('[data-show="silent"]').hidden = !silent;
    find(".where").textContent = [...(news.hosts ?? []), ...(news.paths ?? [])].join(" ");
    if (silent) return;
    last = news;
    find(".limits").textContent = limits(news.settings);
    const { report } = news;
    const values = read(news, nowMs);
    figures(values);
    const mode = find('[data-show="mode"]');
    mode.textContent = mode.dataset.value = news.settings.mode.value;
    find('[data-show="hours"]').textContent = hours(report);
    find('[data-show="hours"]').hidden = !hours(report);
    tell("answers", answerLine(report.answers), "hint");
    tell("proofs", proofLine(report.proofs), "good");
    tell("entry", entryLine(report.totals.entry), "hint");
    history.take(nowMs, [report.waiting, report.inside, values.admissions]);
    observe(report.observation);
    const { figures: label } = words;
    // A chart needs its width, and has none before it is on the page.
    if (element.isConnected) chart ??= createChart(find(".chart"), [label.waiting, label.inside, label.admissions], history.columns);
    chart?.redraw();
    for (const knob of knobs) knob.take(news, desk.mayChange());
    release.hidden = reset.hidden = !desk.mayChange();
    find(".undo").hidden = !undone(news) || !desk.mayChange();
    find(".undo").textContent = filled(words.undo, { changes: undone(news) });
    find(".edition").textContent = filled(words.edition, report);
  }
  return { element, take, forget: () => knobs.forEach((knob) => knob.forget()) };
}

/** One setting: its value, where that comes from, and a way back to the file's. */
function createKnob(room, key, { turn, now }) {
  const element = document.createElement("form");
  element.className = "knob";
  element.dataset.key = key;
  const input = key === "mode" ? choice(MODES) : field(key);
  const label = document.createElement("label");
  const caption = document.createElement("span");
  caption.textContent = words.knobs[key];
  label.append(caption, input);
  const [set, clear] = [words.change, words.clear].map((text) => Object.assign(document.createElement("button"), { textContent: text }));
  clear.type = "button";
  const source = Object.assign(document.createElement("p"), { className: "hint" });
  const over = NUMBERS.includes(key) ? overField() : undefined;
  element.append(label, ...(over ? [over.label] : []), set, clear, source);
  /** The revision at which the operator began to turn it. */
  let began = null;
  for (const one of [input, over?.input]) one?.addEventListener("input", () => { began ??= now().revision; });

  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = NUMBERS.includes(key) ? Number(input.value) : input.value;
    const seconds = Number(over?.input.value);
    const to = seconds > 0 ? { to: value, over_s: seconds } : value;
    const values = { key, room, from: shown(now().settings[key].value), to: told(to) };
    const done = filled(seconds > 0 ? words.begun : words.changed, values);
    const text = { question: filled(words.question, values), consequence: consequence(key, to), yes: words.change, done };
    if (await turn(key, to, began ?? now().revision, text)) settle();
  });
  clear.addEventListener("click", async () => {
    const from = shown(now().settings[key].value);
    const text = {
      question: filled(words.clear_question, { key, room }), consequence: filled(words.clear_consequence, { from }), yes: words.clear,
      done: filled(words.changed, { key, room, to: words.from_file }),
    };
    if (await turn(key, null, began ?? now().revision, text)) settle();
  });
  /** What was in hand is done: from now on it shows what comes in. */
  const settle = () => {
    began = null;
    if (over) over.input.value = "";
    knob.take(now(), true);
  };
  const knob = {
    element,
    take({ settings, changed }, mayChange) {
      const { value, source: from, ramp } = settings[key];
      if (began === null && document.activeElement !== input) input.value = value ?? "";
      const { by, at_ms } = changed?.[key] ?? {};
      if (ramp) source.textContent = filled(words.from_ramp, { ...ramp, by, time: times.format(ramp.ends_at_ms) });
      else source.textContent = from === "live" ? filled(words.from_live, { by, time: times.format(at_ms) }) : words[`from_${from}`];
      input.disabled = set.hidden = !mayChange;
      if (over) over.label.hidden = !mayChange;
      clear.hidden = from !== "live" || !mayChange;
    },
    moved(from, to) { if (began === from) began = to; },
    forget() {
      began = null;
      input.blur();
    },
  };
  return knob;
}

function choice(values) {
  const select = document.createElement("select");
  select.append(...values.map((value) => new Option(value, value)));
  return select;
}

function field(key) {
  const isText = key === "message";
  const number = { type: "number", min: 0, step: key === "admissions_per_s" ? 0.001 : 1, required: true };
  return Object.assign(document.createElement("input"), isText ? { maxLength: 500, autocomplete: "off" } : number);
}

/** In how many seconds a number gets there; empty: at once. */
function overField() {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "number", min: 1, max: 86_400, step: 1, placeholder: words.at_once });
  label.append(Object.assign(document.createElement("span"), { textContent: words.over_label }), input);
  label.className = "over";
  return { label, input };
}
