/* One room at the desk: the sentence, the actions, the picture, the gauge, two charts, and everything else one step deeper. */

import { askFor, buttonsOf, offered } from "./actions.js";
import { createCharts } from "./charts.js";
import { entryLine } from "./entry.js";
import { createFigures, figuresOf } from "./figures.js";
import { filled } from "./filled.js";
import { gaugeOf } from "./gauge.js";
import { createJournal } from "./journal.js";
import { createLaneNumber } from "./lane_numbers.js";
import { askShares, askTurn } from "./lane_questions.js";
import { lanesOf } from "./lanes.js";
import { brief, createKnob, liveKeys, told, undone } from "./knobs.js";
import { lines } from "./observed.js";
import { createOutlook } from "./outlook.js";
import { mark } from "./overview.js";
import { wayOf } from "./people.js";
import { proofLine } from "./proofs.js";
import { createReport } from "./report.js";
import { createSchedule, stepsLine } from "./schedule.js";
import { createSeen } from "./seen.js";
import { sentenceOf } from "./sentence.js";
import { createSheets } from "./sheets.js";
import { UNSHOWN, situationOf, waitOf } from "./situation.js";
import { createLookUp } from "./story.js";
import { h, patch } from "./tree.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** For this long, the way back from a change stands beside the actions. */
const UNDO_MS = 120_000;
/** An answer is on its way for no longer than this. */
const LATE_MS = 10_000;
const LIMITS = ["tickets_per_ip_max", "walk_ins_per_ip_max", "joins_per_ip_per_minute", "joins_per_visitor_per_minute", "ipv4_share"];
/** Says how much one address and one visitor may take. The file sets these limits; the desk only shows them. */
function limits(settings) {
  const values = Object.fromEntries(LIMITS.map((key) => [key, settings[key].value || words.no_limit]));
  const share = settings.walk_ins_per_ip_max_percent.value;
  return filled(words.limits, { ...values, walk_ins_share: share ? filled(words.share_of, { count: share }) : words.no_limit });
}

/** Returns news of a room with the settings that a summary lacks, if those that are known are of the same revision. */
const completed = (news, last) =>
  news.settings || last?.revision !== news.revision ? news : { ...news, settings: last.settings, changed: last.changed, undo: last.undo };

/** Creates the view of a room. `desk` does what is asked for. Long because all parts of the view read what was told last. */
export function createRoom(name, desk) {
  const element = document.getElementById("room").content.firstElementChild.cloneNode(true);
  element.setAttribute("aria-label", name);
  const find = (selector) => element.querySelector(selector);
  const part = (key) => find(`[data-part="${key}"]`);
  part("brand-link").href = `#brand/${name}`;
  const seen = createSeen();
  const figures = createFigures(find(".figures"));
  const charts = createCharts(part);
  const knobs = [];
  let last = null;
  /** The last news that this page could show. */
  let shown = null;
  let lately = { silentSinceMs: null };
  let isOfHouse = false;
  /** When a room of the house said what a list last told of it. */
  let saidMs = null;
  let hasHour = false;
  let forecast = null;
  let rehearsal = null;
  let situation = null;
  let changedAt = { revision: null, ms: 0 };
  /** @type {(lanes?: object[]) => void} */
  let takeLanes = () => {};
  const sheets = createSheets(find(".sheets"), name, desk);
  const turn = (steps, revision, text) => changed({ schedule: steps }, revision, text);
  const timeline = { place: part("timeline"), form: part("schedule-form") };
  const schedule = createSchedule(timeline, { name, now: () => last, mayChange: desk.mayChange, turn });

  const changed = async (values, revision, text) => {
    const answer = await desk.change(name, values, revision, text);
    if (!answer) return false;
    // The operator's own change is no conflict with the knobs that are still being turned.
    for (const knob of knobs) knob.moved(revision, answer.revision);
    take(answer, Date.now());
    return true;
  };

  async function undo() {
    const { revision } = last;
    const answer = await desk.undo(name, revision, filled(words.undone, { room: name, changes: undone(last) }));
    if (!answer) return;
    for (const knob of knobs) knob.moved(revision, answer.revision);
    take(answer, Date.now());
  }

  /** Returns whether the room can be told anything: it answers, and its settings are known. */
  const canBeTold = () => Boolean(last?.settings) && lately.silentSinceMs === null;

  /** Does one of the big actions: asks for what it needs, then changes it. */
  async function act(action) {
    if (!canBeTold() || !desk.mayChange()) return;
    if (action === "undo") {
      if (undone(last)) await undo();
      return;
    }
    if (!offered(last.report).includes(action)) return;
    const { revision } = last;
    const tried = seen.history.columns[2].length > 0 ? Math.max(...seen.history.columns[2]) : null;
    const values = await askFor(action, { room: name, told: last, outlook: () => desk.outlook(name), tried });
    if (!values) return;
    const [[key, to]] = Object.entries(values);
    const done = filled(to?.over_s ? words.begun : words.changed, { key, room: name, to: brief(told(to)) });
    await changed(values, revision, { asked: true, done });
  }

  /** Opens or closes a lane, or changes the shares. */
  async function turnLanes(asking) {
    if (!canBeTold() || !desk.mayChange()) return;
    const { revision } = last;
    const values = await asking({ room: name, ...last });
    if (values) await changed(values, revision, { asked: true, done: filled(words.lanes.turned, { room: name }) });
  }

  /** Handles a press of a button. The button's attributes say what it is for. */
  function pressed({ target }) {
    const button = target.closest("[data-do], [data-lane], [data-shares]");
    if (!button) return;
    const { do: action, lane } = button.dataset;
    if (action) act(action);
    else turnLanes(lane ? (told) => askTurn(told, lane) : askShares);
  }

  element.addEventListener("click", pressed);
  find(".undo").addEventListener("click", undo);
  enliven();

  /** Brings to life what is one step deeper. */
  function enliven() {
    createOutlook(
      find(".outlook"),
      () => desk.outlook(name),
      (made) => {
        forecast = made;
      },
    );
    const numbers = [
      createLookUp(find(".lookup"), find(".story"), (number, from) => desk.story(name, number, from)),
      createLaneNumber(find(".release")),
    ];
    takeLanes = (lanes) => numbers.forEach((number) => number.take(lanes));
    createReport(find(".report button"), find(".report p"), find(".sales"), name);
    createJournal(find(".journal"), { read: (after) => desk.journal(name, after), last: () => last.report.version });
    find(".release").addEventListener("submit", (event) => {
      event.preventDefault();
      const { number, called } = numbers[1].read();
      const values = { number: called, room: name };
      desk.release(name, number, {
        question: filled(words.release_question, values),
        consequence: words.release_consequence,
        yes: words.release,
        done: filled(words.released, values),
      });
    });
    find(".reset").addEventListener("click", async () => {
      const values = { room: name };
      const answer = await desk.reset(name, last.revision, {
        question: filled(words.reset_question, values),
        consequence: filled(words.reset_consequence, last.report),
        yes: words.reset_yes,
        label: filled(words.reset_label, values),
        done: ({ report: { edition } }) => filled(words.reset_done, { ...values, edition }),
      });
      if (answer) take(answer, Date.now());
    });
  }

  /** Takes in what the API says of the room. A list tells of a room of the house what that room last said, or nothing if that was long ago. */
  function take(news, nowMs) {
    isOfHouse = Boolean(news.of_house);
    if (news.report) hear(news, nowMs);
    else if (!isOfHouse || news.isAsked) lately = { ...lately, ...seen.silent(nowMs) };
    situation = situationOf({ told: lately.silentSinceMs === null ? last : null, last, seen: lately, forecast, rehearsal });
    draw(nowMs);
    shown = last;
  }

  function hear(news, nowMs) {
    const isSummary = news.as_of_ms !== undefined;
    // What a list tells again is older than what the room has said since.
    if (isSummary && news.as_of_ms === saidMs) return;
    if (isSummary) saidMs = news.as_of_ms;
    // So is a list that was asked before the last change: with its revision, the operator's next action would be refused.
    if (news.revision < last?.revision && nowMs - changedAt.ms < LATE_MS) return;
    if (changedAt.revision !== news.revision) changedAt = { revision: news.revision, ms: changedAt.revision === null ? 0 : nowMs };
    last = completed(news, last);
    lately = seen.take(news, nowMs);
    if (knobs.length === 0 && last.settings) {
      const turn = (key, to, revision, text) => changed({ [key]: to }, revision, text);
      knobs.push(...liveKeys(last.settings).map((key) => createKnob(name, key, { turn, now: () => last })));
      find(".knobs").append(...knobs.map((knob) => knob.element));
    }
    if (!isSummary && !hasHour) readHour();
  }

  /** Reads the room's last hour, once. That asks the room itself, so a room of which only lists tell is left asleep. */
  async function readHour() {
    hasHour = true;
    seen.prefill(await desk.hour(name));
    take(last, Date.now());
  }

  function draw(nowMs = Date.now()) {
    if (element.hidden || !situation) return;
    const { level, says, advice } = sentenceOf(situation, write);
    part("say").className = `say ${level}`;
    const where = last ? [...(last.hosts ?? []), ...(last.paths ?? [])].join(" ") : "";
    patch(part("say"), [
      h("div", { class: "row" }, mark(level), h("span", { class: "where" }, h("b", {}, name), ` ${where}`)),
      h("h2", {}, says),
      h(
        "p",
        { class: "advice" },
        advice,
        lately.silentSinceMs !== null && last ? ` ${filled(words.stale, { time: write.clock(lately.silentSinceMs) })}` : null,
      ),
    ]);
    element.classList.toggle("stale", lately.silentSinceMs !== null);
    const spoken = `${name}: ${words.levels[level]}`;
    if (part("spoken").textContent !== spoken) part("spoken").textContent = spoken;
    if (last) drawRoom(last, nowMs);
  }

  function drawRoom({ report }, nowMs) {
    const mayChange = desk.mayChange();
    patch(part("acts"), mayChange ? buttonsOf(report, situation.name, !canBeTold()) : []);
    part("acts").hidden = !mayChange;
    const leftMs = changedAt.ms + UNDO_MS - nowMs;
    const changes = undone(last);
    part("undo-now").hidden = !(mayChange && changes && leftMs > 0);
    patch(part("undo-now"), [
      h("button", { type: "button", "data-do": "undo" }, filled(words.actions.undo_now, { changes })),
      h("span", { class: "hint" }, filled(words.actions.undo_left, { s: Math.ceil(leftMs / 1_000) })),
    ]);
    // What is shown of a silent room is of the moment when it was last heard.
    const asOf = lately.silentSinceMs === null ? "" : filled(words.as_of_then, { time: write.clock(lately.silentSinceMs) });
    patch(part("way"), [asOf && h("p", { class: "hint" }, asOf), wayOf(report, lately, write)]);
    patch(part("gauge"), gaugeOf(report, lately.deadShare, write, asOf));
    const lanes = lanesOf(report, { mayChange, isSilent: !canBeTold() }, write);
    part("lanes-of").hidden = lanes.length === 0;
    patch(part("lanes"), lanes);
    takeLanes(report.lanes);
    charts({ report, columns: seen.history.columns, waitMs: waitOf(last, lately, forecast), asOf });
    drawDeeper(report, mayChange);
    drawSettings(mayChange, changes, nowMs);
    tell("steps", stepsLine(report.schedule), "hint");
  }

  /** Shows a line if there is something to say, and as a note if something has to be mended. */
  function tell(what, { text, isGood }, good) {
    const line = find(`[data-show="${what}"]`);
    patch(line, [text]);
    line.hidden = text === "";
    line.className = isGood ? good : "note";
  }

  /** Draws what follows from the settings, or leaves it out while they are not known. */
  function drawSettings(mayChange, changes, nowMs) {
    for (const what of [".settings", "details.schedule"]) find(what).hidden = !last.settings;
    sheets(last);
    if (!last.settings) return;
    patch(find(".limits"), [limits(last.settings)]);
    for (const knob of knobs) knob.take(last, mayChange);
    find(".undo").hidden = !changes || !mayChange;
    patch(find(".undo"), [filled(words.undo, { changes })]);
    schedule(last, nowMs);
  }

  function drawDeeper(report, mayChange) {
    tell("proofs", proofLine(report.proofs), "good");
    tell("entry", entryLine(report.totals.entry), "hint");
    figures(figuresOf(last, lately));
    const said = lines(report.observation);
    find(".observed").hidden = said.length === 0;
    patch(
      find(".observed ul"),
      said.map((line) => h("li", {}, line)),
    );
    find(".release").hidden = find(".reset").hidden = !mayChange;
    patch(find(".edition"), [filled(words.edition, report)]);
  }

  return {
    element,
    take,
    act,
    forget: () => knobs.forEach((knob) => knob.forget()),
    show(isShown) {
      element.hidden = !isShown;
      draw();
    },
    rehearses(report) {
      rehearsal = report;
    },
    /** Says that this page fails to show the room. The desk goes on with the others. */
    fail() {
      [last, situation] = [shown, UNSHOWN];
    },
    told: () => last,
    name,
    isOfHouse: () => isOfHouse,
    glance: () => ({ room: name, situation, report: last?.report ?? null, asOfMs: last?.as_of_ms ?? null }),
  };
}
