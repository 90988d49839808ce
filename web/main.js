/*
 * Runs the page: one line, one connection, one view, and the way in when it is the visitor's turn. The page brings the
 * words of its language, and names the module of what is not needed at first.
 */

import { createClock } from "./clock.js";
import { loadAgain, mayBeCopy } from "./copies.js";
import { decode } from "./frame.js";
import { createLine, createMemory } from "./line.js";
import { createConnection, firstMs, parse } from "./connection.js";
import { createView } from "./view.js";

/** The page says nothing of shorter interruptions. */
const LOST_MS = 5_000;
/** If going in led back here, the page tries again, ever more slowly. After a quiet minute it counts from the start. */
const GO_QUIET_MS = 60_000;
const GO_PAUSE_MS_MAX = 30_000;
/** When the gate opens for all, pages spread over this time, so that they do not all come in the same second. */
const BYPASS_SPREAD_MS = 5_000;
/** The modes in which everybody goes in. */
const OPEN = ["bypass", "observe"];

/** A page at an address of Baton's own follows no line, and there is nothing behind its address to load again: it says that the visitor has left. */
const stays = location.pathname.startsWith("/__baton/");

const json = (id) => parse(document.getElementById(id)?.textContent);

/** Calls `act` where the browser would follow a link or send a form. */
function instead(selector, type, act) {
  for (const element of document.querySelectorAll(selector)) {
    element.addEventListener(type, (event) => {
      event.preventDefault();
      act();
    });
  }
}

/** Long because the line, the connection, the view and the way in are one page's. */
function start(words) {
  const { room, notice, back: way, start: first, now, state: servedState, reason, refresh } = document.body.dataset;
  const memory = createMemory(room, () => sessionStorage);
  const isCopy = mayBeCopy(Number(now), memory);
  // Only the front knows the shop's token, where the account's place is, and that the line is full. So the state that it served holds until the page is loaded again.
  const served = !isCopy && ["refused", "elsewhere", "full"].includes(servedState) ? { state: servedState, reason } : null;
  const line = createLine(room, memory, document.documentElement.lang);
  const responseStart = performance.getEntriesByType("navigation")[0]?.responseStart;
  const clock = createClock(isCopy ? 0 : Number(now), responseStart || performance.now(), () => connection.date());
  const view = createView(document, words, clock);
  const link = { up: true, answers: false, cookies: true, reached: servedState !== "unreachable", served, sinceMs: 0 };
  let going = 0,
    lost = 0,
    loaded = false;

  const connection = createConnection({
    room,
    hasNumber: () => line.get().number !== null,
    spreadMs: line.spreadMs,
    onStatus: (status) => line.takeStatus(status) && update(),
    onFrame: (bytes) => line.takeFrame(decode(bytes)) && update(),
    onLink,
    onDate: clock.heard,
    onRefused: navigate,
    onCookiesOff() {
      link.cookies = false;
      render();
    },
  });

  function onLink(how) {
    if (how === "up") {
      clearTimeout(lost);
      lost = 0;
      view.heard();
      if (!link.up) linked(true);
      return;
    }
    link.answers = how === "busy";
    if (!link.up) return render();
    if (lost) return;
    link.sinceMs = Date.now();
    lost = setTimeout(() => linked(false), navigator.onLine ? LOST_MS : 0);
  }

  function linked(up) {
    link.up = up;
    render();
  }

  function render() {
    view.render(line.get(), link);
  }

  function update() {
    const { state, mode } = line.get();
    link.reached = true;
    render();
    if (state === "over") connection.stop();
    if (state === "called" || state === "admitted") go(0);
    else if (OPEN.includes(mode) && state !== "over") go(Math.random() * BYPASS_SPREAD_MS);
    else {
      clearTimeout(going);
      going = 0;
    }
    if (!loaded && (state === "waiting" || state === "hall")) {
      loaded = true;
      // If it does not load, the place is still kept.
      import(/** @type {HTMLElement} */ (document.querySelector("[data-later]"))?.dataset.later).catch(() => {});
    }
  }

  /** Goes in after a pause, which grows if going in led back here. */
  function go(delayMs) {
    if (going) return;
    const { goTries = 0, goAt = 0 } = memory.get();
    const tries = Date.now() - goAt < GO_QUIET_MS ? goTries : 0;
    const pause = tries ? Math.min(GO_PAUSE_MS_MAX, 1_000 * 2 ** tries) : delayMs;
    const leave = () => {
      going = 0;
      // Without a network, a reload would replace this page by the browser's error page. `online` leads back here.
      if (!navigator.onLine) return;
      going = -1;
      memory.set({ goTries: tries + 1, goAt: Date.now() });
      enter();
    };
    // At once and without a timer: in a hidden tab a timer may take a minute, and the visitor would miss the call.
    if (pause) going = setTimeout(leave, pause);
    else leave();
  }

  function navigate() {
    // A page that answered a form must not send that form again, and its address may be no page.
    if (!stays) loadAgain(notice && (way || location.href.split("#")[0]));
  }

  /** Goes in. Loading a page that is not gated claims nothing, so the page claims first. */
  function enter() {
    if (!first) return navigate();
    fetch(`/__baton/${room}/claim`, { method: "POST" }).then(
      ({ ok }) => (ok || OPEN.includes(line.get().mode) ? loadAgain(first) : navigate()),
      navigate,
    );
  }

  instead("[data-go]", "click", () => (["called", "admitted"].includes(line.get().state) ? enter() : navigate()));
  if (served) {
    line.takeStatus(json("baton-status"));
    render();
    if (reason === "early" || servedState === "full") setTimeout(navigate, Number(refresh) * 1_000);
    return;
  }
  // A page that stays sends the form, which leads back into the line.
  if (!stays)
    instead("form[action*='/join']", "submit", () => {
      line.forget();
      render();
      connection.start("join");
    });

  // A router may have made the entry to which somebody goes back: the browser then changes the address and keeps this document.
  const here = location.pathname + location.search;
  addEventListener("popstate", () => location.pathname + location.search === here || location.reload());
  addEventListener("pagehide", connection.drop);
  document.addEventListener("freeze", connection.drop);
  // `persisted` is false if the page was just loaded and has started by itself. `online` does not have it.
  for (const name of ["pageshow", "online"]) addEventListener(name, ({ persisted }) => persisted !== false && back());
  for (const name of ["visibilitychange", "resume"]) document.addEventListener(name, () => document.hidden || back());
  function back() {
    if (going < 0) going = 0;
    if (["called", "admitted"].includes(line.get().state)) update();
    connection.wake();
  }

  // What a copy says held once. So the page asks before it shows a state, and takes no number before it has asked.
  const status = isCopy ? null : json("baton-status");
  if (isCopy || (line.takeStatus(status) && status.state !== "none")) update();
  // A visitor who must answer Turnstile gets no number before that (turnstile.js). A token of a better lane moves the place when the page joins.
  if (line.get().state !== "over" && !document.getElementById("baton-turnstile"))
    connection.start(isCopy ? "status" : status?.lane?.better && "join", firstMs(status));
}

const begin = () => start(json("baton-words"));
// What nobody sees is no visitor: a page that is prerendered begins when it is shown.
if (document.prerendering) document.addEventListener("prerenderingchange", begin, { once: true });
else begin();
