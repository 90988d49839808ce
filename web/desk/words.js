/* The desk's words, in the language that `?lang=` names, else in one that the browser prefers. */

import en from "./words.en.json" with { type: "json" };
import ja from "./words.ja.json" with { type: "json" };

export const LANGUAGES = { en, ja };

/** Returns the language of a page at `search`, in a browser that prefers the languages `preferred`, in that order. */
export function chosen(search, preferred) {
  const wanted = [new URLSearchParams(search).get("lang"), ...preferred].map((tag) => tag?.slice(0, 2).toLowerCase());
  return wanted.find((tag) => tag && Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

export const language = chosen(globalThis.location?.search ?? "", globalThis.document ? navigator.languages : []);
export const words = LANGUAGES[language];

/** Returns the tag by which dates and numbers are written: the browser's own variant of the language, such as `en-GB`, if it prefers one. */
export const localeOf = (of, preferred) => preferred.find((tag) => tag.slice(0, 2).toLowerCase() === of) ?? of;
export const locale = localeOf(language, globalThis.document ? navigator.languages : []);

/** Fills every element of `root` that names a text with `data-word`, and every label that one names with `data-label`. */
export function fillWords(root) {
  for (const element of root.querySelectorAll("[data-word]")) element.textContent = at(element.dataset.word);
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", at(element.dataset.label));
  for (const template of root.querySelectorAll("template")) fillWords(template.content);
}

const at = (path) => path.split(".").reduce((texts, key) => texts[key], words);
