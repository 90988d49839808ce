/* The waiting page as a draft of a brand would have it: the very template and style that visitors get, in a frame in which no script runs
 * and nothing can be pressed. The frame has no address, so no page had to be opened to it, and the desk's own policy holds in it. */

import { fill, valuesOf } from "../fill.js";
import { brandValues } from "./brand_values.js";
import { sheetOf } from "./colours.js";

/** Where the front has the templates. */
const PAGES = "/__baton/static/page.";
const WAITING = { state: "waiting", number: 1_234, ahead: 56, waiting: 90, eta_min_s: 200, eta_max_s: 290 };
const OPENS_MS = 72 * 60_000;
/** What can be looked at: a status, and what the front says besides. */
export const STATES = {
  waiting: { status: WAITING },
  called: { status: { state: "called", number: 1_234 } },
  hall: { status: { state: "hall", draw: "shuffle", entry: 15 }, opens: true },
  paused: { status: { ...WAITING, mode: "paused" } },
  closed: { status: { state: "none", mode: "closed" } },
  sold_out: { status: { state: "over", number: 1_234, reason: "sold_out" } },
  over: { status: { state: "over", number: 1_234, reason: "left" } },
  refused: { status: { state: "none" }, template: { state: "refused", reason: "missing" } },
};
/** A preview in the frame `frame`: `show({ room, brand, language, state, scheme })`. Resolves when the page stands there, its style loaded; until then the frame is `aria-busy`. */
export function createPreview(frame) {
  const templates = new Map();
  let shown = "";
  let sheet = null;
  const load = (language) => {
    if (!templates.has(language)) templates.set(language, fetch(`${PAGES}${language}.html`).then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(`page.${language}.html: ${answer.status}`)))));
    return templates.get(language);
  };

  return async function show({ room, brand, language, state, scheme }) {
    const { status, template = {}, opens } = STATES[state];
    const nowMs = Date.now();
    const told = { room, mode: "open", poll_after_s: 5, ...status, ...(opens && { opens_at_ms: nowMs + OPENS_MS }) };
    const values = valuesOf(told, { room, nowMs, more: { ...brandValues(brand, language), ...template } });
    const html = still(fill(await load(language), { ...values, now_ms: 0, status: "" }));
    if (html !== shown) {
      shown = html;
      sheet = null;
      frame.ariaBusy = "true";
      await new Promise((resolve) => {
        frame.addEventListener("load", resolve, { once: true });
        frame.srcdoc = html;
      });
    }
    dress(frame, sheetOf(brand.page_colours ?? {}), scheme);
    frame.ariaBusy = "false";
  };

  function dress({ contentDocument: page, contentWindow: own }, css, scheme) {
    sheet ??= new own.CSSStyleSheet();
    sheet.replaceSync(css.replaceAll(/\(prefers-color-scheme:(\w+)\)/g, (_, shade) => (shade === scheme ? "all" : "not all")));
    page.adoptedStyleSheets = [sheet];
    for (const { cssRules } of page.styleSheets) prefer(cssRules, scheme);
    page.documentElement.style.colorScheme = scheme;
    page.body.inert = true;
  }
}

/** What a rule asked for before it was told what is preferred. */
const asked = new WeakMap();

/** Has the rules believe that this scheme is preferred. */
function prefer(rules, scheme) {
  for (const rule of rules) {
    if (rule.media?.mediaText.includes("prefers-color-scheme")) asked.set(rule, rule.media.mediaText);
    if (asked.has(rule)) rule.media.mediaText = asked.get(rule).includes(scheme) ? "all" : "not all";
    if (rule.cssRules) prefer(rule.cssRules, scheme);
  }
}

/** A page without what would run, load itself again or stand there only where nothing runs. */
function still(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll("script, noscript, link[rel=icon], style")) part.remove();
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
