// Finds the forms of a page and what a browser would send of them: hidden fields such as a CSRF token, texts, choices. `htmlparser2` reads the tags; a
// page that builds its form by script needs `take` in the steps file.

import { Parser } from "htmlparser2";

/** Types of <input> that send nothing unless somebody presses or picks. */
const SILENT = ["submit", "button", "reset", "image", "file"];

/** Returns the name and value that an <input> sends, or `null` if it sends nothing. */
function sentBy({ type = "text", name, value, checked, disabled }) {
  if (!name || disabled !== undefined || SILENT.includes(type.toLowerCase())) return null;
  const isChoice = ["checkbox", "radio"].includes(type.toLowerCase());
  if (isChoice && checked === undefined) return null;
  return [name, value ?? (isChoice ? "on" : "")];
}

/** Takes in the tags of a page, and keeps its forms. */
class Reader {
  forms = [];
  #form = null;
  #isLoose = false;
  #select = null;
  #text = null;

  onopentag(tag, attributes) {
    if (tag === "form") this.#isLoose = false;
    if (tag === "form")
      this.forms.push((this.#form = { action: attributes.action ?? "", method: (attributes.method ?? "get").toUpperCase(), fields: [] }));
    if (!this.#form) return;
    const field = tag === "input" ? sentBy(attributes) : ["textarea", "select"].includes(tag) && attributes.name ? [attributes.name, ""] : null;
    if (field) this.#form.fields.push(field);
    if (tag === "textarea") this.#text = field;
    if (tag === "select") this.#select = { field, isChosen: false, options: 0 };
    if (tag === "option" && this.#select?.field) choose(this.#select, attributes);
  }

  ontext(text) {
    if (this.#text) this.#text[1] += text;
  }

  /** `isImplied`: by the end of what is around it. A form that begins between a table's rows goes on beyond its row, to the table's end. */
  onclosetag(tag, isImplied) {
    if (tag === "form") this.#isLoose = isImplied;
    if ((tag === "form" && !isImplied) || (tag === "table" && this.#isLoose)) this.#form = null;
    if (tag === "select") this.#select = null;
    if (tag !== "textarea" || !this.#text) return;
    this.#text[1] = this.#text[1].replace(/^\n/, "");
    this.#text = null;
  }
}

/** A select sends its first option, unless another is marked. */
function choose(select, { value = "", selected }) {
  if (select.options++ === 0 || (selected !== undefined && !select.isChosen)) select.field[1] = value;
  if (selected !== undefined) select.isChosen = true;
}

/** Returns all forms of a page: `[{ action, method, fields: [[name, value]] }]`. `action` is as written, "" if there is none. */
export function formsOf(page) {
  const reader = new Reader();
  new Parser(reader).end(page);
  return reader.forms;
}

/**
 * Returns what a browser sends to `target` from this page with these fields filled in: the form that goes there by this method, with what it holds
 * already. Of several it is the one with the most of the given fields, then the first. A form sends GET or POST, and nothing else; a step with another method takes
 * a form that posts. A page without such a form adds nothing.
 */
export function filledIn(page, pageUrl, target, given, method = "POST") {
  const names = Object.keys(given);
  const goesThere = ({ action }) => URL.canParse(action || ".", pageUrl) && new URL(action || pageUrl, pageUrl).pathname === target.pathname;
  // "get" is what a browser makes of any word but these.
  const sends = (form) => form.method !== "DIALOG" && (form.method === "POST") === (method !== "GET");
  const has = ({ fields }) => names.filter((name) => fields.some(([own]) => own === name)).length;
  const [form] = formsOf(page)
    .filter((each) => goesThere(each) && sends(each))
    .toSorted((a, b) => has(b) - has(a));
  const fields = new URLSearchParams(form?.fields ?? []);
  for (const [name, value] of Object.entries(given)) fields.set(name, value);
  return fields;
}
