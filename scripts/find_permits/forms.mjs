// Finds the forms of a page and what a browser would send of them: hidden fields such as a CSRF token, texts, choices. It reads tags only; a page
// that builds its form by script needs `take` in the steps file.

const TAG =
  /<!--[\s\S]*?-->|<(script|style|textarea)\b((?:[^>"']|"[^"]*"|'[^']*')*)>([\s\S]*?)<\/\1\s*>|<(\/?)([a-z][a-z0-9]*)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
/** Types of <input> that send nothing unless somebody presses or picks. */
const SILENT = ["submit", "button", "reset", "image", "file"];

const decoded = (text) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    if (name) return ENTITIES[name.toLowerCase()] ?? all;
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });

function attributesOf(text) {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, key, double, single, bare]) => [key.toLowerCase(), decoded(double ?? single ?? bare ?? "")]),
  );
}

/** Returns the name and value that an <input> sends, or `null` if it sends nothing. */
function sentBy({ type = "text", name, value, checked, disabled }) {
  if (!name || disabled !== undefined || SILENT.includes(type.toLowerCase())) return null;
  const isChoice = ["checkbox", "radio"].includes(type.toLowerCase());
  if (isChoice && checked === undefined) return null;
  return [name, value ?? (isChoice ? "on" : "")];
}

/** Returns all forms of a page: `[{ action, method, fields: [[name, value]] }]`. `action` is as written, "" if there is none. */
export function formsOf(page) {
  const forms = [];
  let form = null;
  let select = null;
  for (const [, block, blockText, inner, isEnd, name, text] of page.matchAll(TAG)) {
    const tag = (block ?? name ?? "").toLowerCase();
    const attributes = attributesOf(blockText ?? text ?? "");
    if (tag === "form") {
      form = isEnd ? null : { action: attributes.action ?? "", method: (attributes.method ?? "get").toUpperCase(), fields: [] };
      if (form) forms.push(form);
    }
    if (!form) continue;
    if (tag === "input" && sentBy(attributes)) form.fields.push(sentBy(attributes));
    if (tag === "textarea" && attributes.name) form.fields.push([attributes.name, decoded(inner.replace(/^\n/, ""))]);
    if (tag === "select") select = isEnd ? null : { field: attributes.name ? [attributes.name, ""] : null, isChosen: false, options: 0 };
    if (tag === "select" && select?.field) form.fields.push(select.field);
    if (tag === "option" && !isEnd && select?.field) choose(select, attributes);
  }
  return forms;
}

/** A select sends its first option, unless another is marked. */
function choose(select, { value = "", selected }) {
  if (select.options++ === 0 || (selected !== undefined && !select.isChosen)) select.field[1] = value;
  if (selected !== undefined) select.isChosen = true;
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
