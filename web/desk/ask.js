/* Asks one question before anything changes: what to set, what will follow, yes or no. Escape and Cancel mean no. Yes stays shut for a
 * moment, so that a thumb that taps twice does not answer. What cannot be undone needs a word typed. */

import { patch, h } from "./tree.js";

/** A tap this soon after the question appeared was meant for something else. */
const SHUT_MS = 600;
const box = document.getElementById("confirm");
const part = (id) => document.getElementById(id);
let wanted = "";
let isShut = true;
/** Ends the question that is open, with no. */
let end = null;

const check = () => {
  part("yes").disabled = isShut || part("word").value !== wanted;
};
part("word").addEventListener("input", check);
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.localName !== "input") return;
  // The form's first button is Cancel, which Enter would press.
  event.preventDefault();
  if (!part("yes").disabled && part("fields").parentElement.checkValidity()) box.close("yes");
});

/**
 * Asks. Resolves to the values of `fields` (elements with names) as an object, or to null for no. `follows(values)` returns lines.
 * `later(values)` returns `{ reading, line }`, a line that takes a while and what is shown until then, or null. `typed` is
 * `{ label, word }`: the word that must be typed first.
 * @param {{
 *   question: string, yes: string, fields?: HTMLElement[], follows?: (values: any) => string[],
 *   later?: (values: any) => { reading: string, line: Promise<string> } | null, typed?: { label: string, word: string }
 * }} asked
 * @returns {Promise<Record<string, any> | null>}
 */
export function ask({ question, yes, fields = [], follows = () => [], later, typed }) {
  end?.();
  part("question").textContent = question;
  part("yes").textContent = yes;
  part("fields").replaceChildren(...fields);
  part("typed").hidden = !typed;
  part("typed-label").textContent = typed?.label ?? "";
  part("word").value = "";
  wanted = typed?.word ?? "";
  const values = () => Object.fromEntries(new FormData(part("fields").parentElement));
  const show = (line) =>
    patch(
      part("consequence"),
      [...follows(values()), ...(line ? [line] : [])].map((text) => h("li", {}, text)),
    );
  let asked = 0;
  const turned = async () => {
    const mine = ++asked;
    const coming = later?.(values()) ?? { reading: null, line: null };
    show(coming.reading);
    const line = await coming.line;
    if (mine === asked) show(line);
  };
  box.returnValue = "no";
  // Typing a word is guard enough.
  isShut = !typed;
  check();
  turned();
  box.showModal();
  const opening = setTimeout(() => {
    isShut = false;
    check();
  }, SHUT_MS);
  if (typed) part("word").focus();
  else if (fields.length > 0) fields[0].querySelector("input, textarea, select")?.focus();
  else part("no").focus();
  const form = part("fields");
  form.addEventListener("input", turned);
  return new Promise((resolve) => {
    const over = (closed) => {
      // Browsers report late that a box was closed. By then it may ask the next question.
      if (closed && box.open) return;
      box.removeEventListener("close", over);
      clearTimeout(opening);
      form.removeEventListener("input", turned);
      asked++;
      end = null;
      resolve(closed && box.returnValue === "yes" ? values() : null);
    };
    end = () => over(null);
    box.addEventListener("close", over);
  });
}

/**
 * Asks a question with nothing to fill in. Resolves to whether the operator says yes.
 * @param {string} question
 * @param {string | string[]} consequence
 * @param {string} yes
 * @param {{ label: string, word: string }} [typed]
 */
export const confirmed = async (question, consequence, yes, typed) =>
  (await ask({ question, yes, typed, follows: () => (consequence ? [consequence].flat() : []) })) !== null;

/** Returns `input` as a labelled field for a question. */
export function field(label, input, ...more) {
  const caption = Object.assign(document.createElement("span"), { textContent: label });
  const element = document.createElement("label");
  element.append(caption, input, ...more);
  return element;
}
