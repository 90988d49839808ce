/* Shortcuts and the two lists that explain: keys and words. Every shortcut does what a button does; they can be switched off, since
 * somebody who speaks to the computer would press them by talking. */

import { h, patch } from "./tree.js";
import { words } from "./words.js";

const dialogs = { words: document.getElementById("words"), keys: document.getElementById("keys") };
const switchOn = document.getElementById("keys-on");

/** Opens the list of words; `term`: at that one. */
export function showWords(term) {
  const { entries } = words.glossary;
  patch(dialogs.words.querySelector("dl"), Object.entries(entries).map(([key, [word, meaning]]) => h("div", { "data-term": key }, h("dt", {}, word), h("dd", {}, meaning))));
  dialogs.words.showModal();
  dialogs.words.querySelector(`[data-term="${term}"]`)?.scrollIntoView();
}

/** Opens the list of keys. */
export function showKeys() {
  const { title, off, ...keys } = words.shortcuts;
  patch(dialogs.keys.querySelector("dl"), Object.entries(keys).map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what))));
  dialogs.keys.showModal();
}

const ACTIONS = { m: "message", "-": "fewer", "+": "more", e: "end", u: "undo" };

/** Listens. `desk`: `room()` is the one that is shown, `first(room)` its first action,
 * `go(hash)`, `rooms()` names in their order, `pauseAll()`. */
export function listen(desk) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !switchOn.checked || !desk.isSignedIn()) return;
    const room = desk.room();
    const works = {
      "?": showKeys, w: () => showWords(), a: desk.pauseAll, r: () => desk.go(""),
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
