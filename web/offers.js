/*
 * What the page offers visitors who wait long: a notification when called in a hidden tab, a screen that stays on, the
 * place on another device. It loads after the page works. A button asks for each offer: nothing is asked on load.
 */

import { fill } from "./format.js";

/**
 * Adds the offers. `words` are the later words of the page's language, `carry` is the address of the module that makes
 * links. Does nothing if the page has no place for offers.
 */
export function offer(words, carry) {
  const place = document.querySelector("[data-offers]");
  if (!place) return;
  const phone = matchMedia("(pointer: coarse)").matches;
  if (!phone && "Notification" in window) notify(place, words);
  if (phone && navigator.wakeLock) keepScreenOn(place, words);
  carryOn(place, words, carry);
}

function plain(text) {
  return Object.assign(document.createElement("button"), { type: "button", textContent: text });
}

/** Adds a button, and a line that says what came of it. */
function button(place, text, press) {
  const element = plain(text);
  const told = document.createElement("p");
  told.setAttribute("role", "status");
  element.addEventListener("click", async () => {
    const { done, say } = await press();
    element.hidden = done;
    told.textContent = say;
  });
  place.append(element, told);
  return { element, told };
}

function notify(place, words) {
  const { lang } = document.documentElement;
  const asked = async () => {
    const granted = (await Notification.requestPermission()) === "granted";
    return { done: granted, say: granted ? words.notifyOn : words.notifyOff };
  };
  if (Notification.permission === "granted") place.append(Object.assign(document.createElement("p"), { textContent: words.notifyOn }));
  else button(place, words.notify, asked);
  let told = false;
  document.addEventListener("baton:state", ({ detail: { state, number } }) => {
    if (state !== "called") told = false;
    else if (!told && document.hidden && Notification.permission === "granted") {
      told = true;
      const body = fill(words.notifyBody, { number: number ?? 0 });
      const note = new Notification(words.notifyTitle, { body, lang, tag: "baton", requireInteraction: true });
      note.onclick = () => window.focus();
    }
  });
}

/** Offers to carry the place, but only to visitors who wait: before the opening there is no place to carry. */
function carryOn(place, words, carry) {
  const element = plain(words.carry);
  element.className = "carry-on";
  element.addEventListener("click", async () => (await import(carry)).open(element));
  place.append(element);
}

function keepScreenOn(place, words) {
  let wanted = false;
  const lock = async () => {
    try {
      await navigator.wakeLock.request("screen");
      return (wanted = true);
    } catch {
      return false;
    }
  };
  button(place, words.screen, async () => {
    const held = await lock();
    return { done: held, say: held ? words.screenOn : words.screenOff };
  });
  // The browser drops the lock whenever the page is hidden.
  document.addEventListener("visibilitychange", () => wanted && !document.hidden && lock());
}
