/*
 * Puts on the screen what `shown` says. Attributes of body choose among the words that the page already holds. This module
 * fills in what changes, wherever the page has a place for it. It only ever sets text, never markup. The visible numbers may
 * change every second, so they are hidden from screen readers, which hear the place at most every 30 s, and at once, in the words
 * on the screen, whatever else comes onto the page.
 */

import { countryOf, durationText, fill, timeText, waitText } from "./format.js";
import { shown, stands } from "./shown.js";

const SPEAK_MS = 30_000;
/** With this many people ahead or fewer, the title of the tab shows how many. */
const TITLE_AHEAD = 30;
/** What is spoken as soon as it appears. Whoever waits far behind hears the place instead of a headline, and seats and a lost link with the place. */
const HEADS = ".head h1, .head p, .next";
const NOTES = "[data-note]:not([data-baton]):not([data-note=short]), [data-baton=message]";

export function createView(document, words, clock) {
  const { body, documentElement: root, title } = document;
  const lang = root.lang;
  const country = countryOf(lang, navigator.languages);
  // An operator's own page may have neither. Then nothing is spoken.
  const [spoken, alert] = ["spoken", "alert"].map((id) => document.getElementById(id) ?? document.createElement("p"));
  /** Returns the elements on the screen that `selector` finds, and the texts of elements. */
  const onScreen = (selector) => [...document.querySelectorAll(selector)].filter(({ offsetParent }) => offsetParent);
  const textsOf = (elements) => elements.map(({ textContent }) => textContent);
  let spokenAt = -Infinity,
    // biome-ignore lint/correctness/noUnusedVariables: `||=` reads it
    speaker = 0,
    sentence = "",
    sentenceSaid = "",
    seats = "",
    seatsSaid = "",
    moving = () => {};
  let stateSaid = body.dataset.state,
    headsSaid = [],
    notesSaid;

  root.dataset.live = "";
  document.querySelector(".place")?.setAttribute("aria-hidden", "true");
  text("host", location.host);
  setInterval(() => moving(), 1_000);
  announce(stateSaid);

  function places(name) {
    return document.querySelectorAll(`[data-baton=${name}]`);
  }

  function text(name, value) {
    for (const element of places(name)) if (element.textContent !== value) element.textContent = value;
  }

  const say = (key, values, count) => fill(words[key], values, lang, count);

  function speak() {
    speaker = 0;
    const news = seats && seats !== seatsSaid ? ` ${seats}` : "";
    if (!sentence || (sentence === sentenceSaid && !news)) return;
    spokenAt = performance.now();
    spoken.textContent = sentence + news;
    [sentenceSaid, seatsSaid] = [sentence, seats];
  }

  function speakLater() {
    if (!sentence) spoken.textContent = sentenceSaid = "";
    else if (performance.now() - spokenAt >= SPEAK_MS) speak();
    else speaker ||= setTimeout(speak, SPEAK_MS - (performance.now() - spokenAt));
  }

  /** Hides what is for another state, reason or way of giving numbers, as the front did in the page that it served. */
  function choose({ state, reason, near }, draw) {
    for (const [name, value] of Object.entries({ on: state, why: reason || "other", by: draw || "shuffle" }))
      for (const part of body.querySelectorAll(`[data-${name}]`))
        part.hidden = !part.dataset[name].split(" ").includes(value) || part.matches(near ? ".far" : ".near");
  }

  /** Speaks what has appeared: a headline once in a state, for some texts in it count down; a note or a message each time that it comes. */
  function announce(state) {
    const isNew = state !== stateSaid;
    const heads = onScreen(HEADS).filter((head) => !head.closest(".far") && (isNew || !headsSaid.includes(head)));
    const notes = textsOf(onScreen(NOTES));
    const said = [...textsOf(heads), ...notes.filter((note) => !notesSaid?.includes(note))].map((text) => text.replace(/\.?$/, ".")).join(" ");
    // What was served is read as any page is. What has gone from the page is not to be found here either.
    if (isNew || (notesSaid && (said || notes.length < notesSaid.length))) alert.textContent = said;
    [stateSaid, headsSaid, notesSaid] = [state, isNew ? heads : heads.concat(headsSaid), notes];
  }

  function render(line, link) {
    const { number, ahead, message, joinedBehind, opensAtMs, claimByAtMs, draw, entry } = line;
    const attributes = shown(line, link);
    const { state } = attributes;
    const waiting = state === "waiting";
    const eta = waiting && line.eta && !stands(line.mode) ? waitText(line.eta, lang, words) : "";
    const values = { title, number: String(attributes.number), ahead: String(attributes.ahead), eta };
    choose(attributes, draw);
    Object.assign(body.dataset, attributes, { eta, etaLow: "", opens: opensAtMs ?? "", draw, entry: entry ?? "" });
    text("message", message);
    text("wait", eta);
    text("seats", line.seatsTo ? say("seats", { number: String(line.seatsTo) }) : "");
    text("why", attributes.why && words[attributes.why]);
    text("number", values.number);
    text("lane", attributes.lane);
    text("ahead", values.ahead);
    text("lost", attributes.link && say(attributes.link === "busy" ? "unreached" : "lost", { time: timeText(link.sinceMs, Date.now(), country) }));
    if (ahead !== null) for (const bar of places("progress")) bar.value = (joinedBehind - ahead) / (joinedBehind + 1);
    for (const anchor of places("draw")) anchor.hash = entry ?? "";
    moving = () => {
      const nowMs = clock.now();
      if (opensAtMs) text("opens", say("opens", { time: durationText(opensAtMs - nowMs, lang), at: timeText(opensAtMs, nowMs, country) }));
      text("claim", claimByAtMs > nowMs ? say("claim", { time: durationText(claimByAtMs - nowMs, lang) }) : "");
    };
    moving();
    announce(state);

    const counts = waiting && ahead !== null;
    document.title = ["called", "admitted"].includes(state)
      ? say("titleCalled", values)
      : state === "over"
        ? say("titleOver", values)
        : counts && ahead <= TITLE_AHEAD
          ? say("titleAhead", values, ahead)
          : title;
    sentence = attributes.link
      ? (places("lost")[0]?.textContent ?? "")
      : counts
        ? say("spoken", values, ahead) + (eta && ` ${say("spokenEta", values)}`)
        : "";
    // Spoken when it changes, not with every step of the line.
    seats = !attributes.link && attributes.seats && textsOf(onScreen("[data-note=seats], [data-note=short]")).join(" ");
    speakLater();
    document.dispatchEvent(new CustomEvent("baton:state", { detail: { state, number, ahead } }));
  }

  /** Shows that the line was heard just now. */
  function heard() {
    text("heard", say("heard", { time: timeText(Date.now(), Date.now(), country, "medium") }));
  }

  return { render, heard };
}
