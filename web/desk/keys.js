/* Shortcuts, and two lists that explain the keys and the words. Every shortcut does what a button does. Shortcuts can be switched off,
 * because speech input would press them while somebody talks. */

import { h, patch } from "./tree.js";
import { words } from "./words.js";

const dialogs = { words: document.getElementById("words"), keys: document.getElementById("keys") };
const switchOn = document.getElementById("keys-on");

/** Opens the list of words, at `term` if there is one. */
export function showWords(term) {
  const { entries } = words.glossary;
  patch(
    dialogs.words.querySelector("dl"),
    Object.entries(entries).map(([key, [word, meaning]]) => h("div", { "data-term": key }, h("dt", {}, word), h("dd", {}, meaning))),
  );
  dialogs.words.showModal();
  dialogs.words.querySelector(`[data-term="${term}"]`)?.scrollIntoView();
}

/** Opens the list of keys. */
export function showKeys() {
  const { title, off, ...keys } = words.shortcuts;
  patch(
    dialogs.keys.querySelector("dl"),
    Object.entries(keys).map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what))),
  );
  dialogs.keys.showModal();
}

const ACTIONS = { m: "message", "-": "fewer", "+": "more", e: "end", u: "undo" };

/** Returns whether a key pressed there is for something else. What had the focus in a dialog keeps it for a moment after that has closed. */
function isTyping(target) {
  const dialog = target.closest("dialog");
  return dialog ? dialog.open : Boolean(target.closest("input, textarea, select"));
}

/** Listens for keys. `desk` has `room()`, which is the room on the screen, `first(room)`, which is its first action, `go(hash)`,
 * `rooms()`, the names in their order, `pauseAll()` and `isSignedIn()`. */
export function listen(desk) {
  document.addEventListener("keydown", (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || !switchOn.checked || !desk.isSignedIn()) return;
    const room = desk.room();
    const works = {
      "?": showKeys,
      w: () => showWords(),
      a: desk.pauseAll,
      r: () => desk.go(""),
      ...(room && { p: () => room.act(desk.first(room)) }),
      ...(room && Object.fromEntries(Object.entries(ACTIONS).map(([key, action]) => [key, () => room.act(action)]))),
    };
    const name = /^[1-9]$/.test(event.key) ? desk.rooms()[Number(event.key) - 1] : undefined;
    const work = name ? () => desk.go(`room/${name}`) : works[event.key];
    if (!work) return;
    event.preventDefault();
    work();
  });
}
