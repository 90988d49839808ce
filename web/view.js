/*
 * Puts on the screen what `shown` says. Attributes of body choose the words, which the page holds already; this fills in
 * what moves, wherever the page has a place for it. It only ever sets text, never markup. The visible numbers may change
 * every second, so they are hidden from screen readers, which hear the place at most every 30 s and a change at once.
 */

import { durationText, fill, timeText, waitText } from "./format.js";
import { shown, stands } from "./shown.js";

export const SPEAK_MS = 30_000;
/** From here on the title of the tab counts along. */
const TITLE_AHEAD = 30;

export function createView(document, words, clock) {
  const { body, documentElement: root, title } = document;
  const lang = root.lang;
  const numbers = new Intl.NumberFormat(lang);
  const spoken = document.getElementById("spoken"), alert = document.getElementById("alert");
  let spokenAt = -Infinity, speaker = 0, sentence = "", seats = "", seatsSaid = "", stateSaid = body.dataset.state, opening = "", moving = () => {};

  root.dataset.live = "";
  document.querySelector(".place")?.setAttribute("aria-hidden", "true");
  text("host", location.host);
  setInterval(() => moving(), 1_000);

  function places(name) {
    return document.querySelectorAll(`[data-baton=${name}]`);
  }

  function text(name, value) {
    for (const element of places(name)) if (element.textContent !== value) element.textContent = value;
  }

  const say = (key, values, count) => fill(words[key], values, lang, count);

  const notes = () => [...document.querySelectorAll("[data-note=seats], [data-note=short]")]
    .filter((element) => element.offsetParent).map((element) => element.textContent);

  function speak() {
    speaker = 0;
    if (!sentence || !spoken || spoken.textContent === sentence) return;
    spokenAt = Date.now();
    spoken.textContent = sentence;
    seatsSaid = seats;
  }

  function speakLater() {
    if (!sentence) hush();
    else if (Date.now() - spokenAt >= SPEAK_MS) speak();
    else speaker ||= setTimeout(speak, SPEAK_MS - (Date.now() - spokenAt));
  }

  function hush() {
    if (spoken) spoken.textContent = "";
  }

  /** The headline of the new state and its sentence, once, in the words that are on the screen. */
  function announce(state) {
    if (state === stateSaid || !alert) return;
    stateSaid = state;
    alert.textContent = state === "waiting" ? "" : [...document.querySelectorAll(".head h1, .head p")]
      .filter((element) => element.offsetParent).map((element) => element.textContent).join(". ");
  }

  function render(line, link) {
    const { number, ahead, message, joinedBehind, opensAtMs, claimByAtMs, draw, entry } = line;
    const attributes = shown(line, link);
    const { state } = attributes;
    const waiting = state === "waiting";
    const eta = waiting && line.eta && !stands(line.mode) ? waitText(line.eta, lang, words) : "";
    Object.assign(body.dataset, attributes, { eta, etaLow: "", opens: opensAtMs ?? "", draw, entry: entry ?? "" });
    text("message", message);
    text("wait", eta);
    text("seats", ["to", "beyond"].includes(attributes.seats) ? say("seats", { number: numbers.format(line.seatsTo) }) : "");
    text("why", attributes.why && words[attributes.why]);
    text("number", number ? numbers.format(number) : "");
    text("ahead", ahead === null ? "" : numbers.format(ahead));
    text("lost", attributes.link && say(attributes.link === "busy" ? "unreached" : "lost", { time: timeText(link.sinceMs, Date.now(), lang) }));
    if (ahead !== null) for (const bar of places("progress")) bar.value = (joinedBehind - ahead) / (joinedBehind + 1);
    for (const link of places("draw")) link.hash = entry ?? "";
    moving = () => {
      const nowMs = clock.now();
      if ((state === "hall" || state === "closed") && opensAtMs) text("opens", say("opens", { time: durationText(opensAtMs - nowMs, lang), at: timeText(opensAtMs, nowMs, lang) }));
      if (state === "called") text("claim", claimByAtMs > nowMs ? say("claim", { time: durationText(claimByAtMs - nowMs, lang) }) : "");
    };
    moving();
    announce(state);

    const counts = waiting && ahead !== null;
    const values = { title, number: number && numbers.format(number), ahead: counts && numbers.format(ahead), eta };
    document.title = state === "called" || state === "admitted" ? say("titleCalled", values)
      : state === "over" ? say("titleOver", values)
      : counts && ahead <= TITLE_AHEAD ? say("titleAhead", values, ahead)
      : title;
    sentence = attributes.link ? places("lost")[0]?.textContent ?? "" : counts ? say("spoken", values, ahead) + (eta && ` ${say("spokenEta", values)}`) : "";
    // Said when it changes, not with every step of the line.
    seats = attributes.seats && notes().join(" ");
    if (sentence && seats !== seatsSaid && !attributes.link) sentence += ` ${seats}`;
    speakLater();
    document.dispatchEvent(new CustomEvent("baton:state", { detail: { state, number, ahead } }));
  }

  /** The line was heard just now. */
  function heard() {
    text("heard", say("heard", { time: timeText(Date.now(), Date.now(), lang, "medium") }));
  }

  return { render, heard };
}
