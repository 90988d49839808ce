/*
 * The page at work: one line, one connection, one view, and the way in when it is our turn. Loaded by the small module
 * of the page's language, which brings the words.
 */

import { decode } from "./frame.js";
import { createLine, createMemory } from "./line.js";
import { createConnection } from "./connection.js";
import { createView } from "./view.js";

/** Shorter interruptions are nobody's business. */
const LOST_MS = 5_000;
/** Going in that led back here is tried again, but ever more slowly; after a quiet minute it counts as new. */
const GO_QUIET_MS = 60_000;
const GO_PAUSE_MS_MAX = 30_000;
/** When the gate opens for all, all do not come in the same second. */
const BYPASS_SPREAD_MS = 5_000;

export function start(words) {
  const { room, notice, state: servedState } = document.body.dataset;
  const memory = createMemory(room, () => sessionStorage);
  const line = createLine(room, memory);
  const view = createView(document, words);
  let going = 0, lost = 0;

  const connection = createConnection({
    room,
    hasNumber: () => line.get().number !== null,
    onStatus: (status) => line.takeStatus(status) && update(),
    onFrame: (bytes) => line.takeFrame(decode(bytes)) && update(),
    onLink(up) {
      if (!up) return void (lost ||= setTimeout(() => view.showLink(false), navigator.onLine ? LOST_MS : 0));
      clearTimeout(lost);
      lost = 0;
      view.showLink(true);
    },
    onCookiesOff: () => view.render({ ...line.get(), state: "cookies" }),
  });

  function update() {
    const { state, mode } = line.get();
    view.render(line.get());
    if (state === "over") connection.stop();
    if (state === "called" || state === "admitted") go(0);
    else if (mode === "bypass" && state !== "over") go(Math.random() * BYPASS_SPREAD_MS);
    else {
      clearTimeout(going);
      going = 0;
    }
  }

  /** In, by loading this very address once more. */
  function go(delayMs) {
    if (going) return;
    const { goTries = 0, goAt = 0 } = memory.get();
    const tries = Date.now() - goAt < GO_QUIET_MS ? goTries : 0;
    const pause = tries ? Math.min(GO_PAUSE_MS_MAX, 1_000 * 2 ** tries) : delayMs;
    going = setTimeout(() => {
      going = 0;
      // A reload without a network would trade this page for the browser's error page. `online` brings us back here.
      if (!navigator.onLine) return;
      going = -1;
      memory.set({ goTries: tries + 1, goAt: Date.now() });
      navigate();
    }, pause);
  }

  function navigate() {
    // A page that answered a form must not send that form again.
    if (notice) location.replace(location.origin + location.pathname + location.search);
    else location.reload();
  }

  for (const link of document.querySelectorAll("[data-go]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      navigate();
    });
  }
  document.querySelector("form.act").addEventListener("submit", (event) => {
    event.preventDefault();
    line.forget();
    view.render(line.get());
    connection.start(true);
  });

  addEventListener("pagehide", connection.drop);
  document.addEventListener("freeze", connection.drop);
  for (const name of ["pageshow", "online"]) addEventListener(name, (event) => (name !== "pageshow" || event.persisted) && back());
  for (const name of ["visibilitychange", "resume"]) document.addEventListener(name, () => document.visibilityState === "visible" && back());
  function back() {
    if (going < 0) going = 0;
    if (["called", "admitted"].includes(line.get().state)) update();
    connection.wake();
  }

  let status = null;
  try {
    status = JSON.parse(document.getElementById("baton-status").textContent);
  } catch {}
  // What the front wrote stays as it is until something newer comes; `unreachable` is not a status.
  if (servedState !== "unreachable" && line.takeStatus(status) && status.state !== "none") update();
  if (servedState !== "over") connection.start();
}
