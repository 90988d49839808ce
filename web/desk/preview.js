/* The waiting page as a draft of a brand would have it: the very template and style that visitors get, in a frame in which no script runs
 * and nothing can be pressed. The frame has no address: no page needs to allow that it is framed, and the desk's own policy holds in it. */

import { fill, valuesOf } from "../fill.js";
import { brandValues } from "./brand_values.js";
import { sheetOf } from "./colours.js";

/** Where the front keeps the templates. */
const PAGES = "/__baton/static/page.";
const WAITING = { state: "waiting", number: 1_234, ahead: 56, waiting: 90, eta_min_s: 200, eta_max_s: 290 };
const OPENS_MS = 72 * 60_000;
/** The states that can be looked at: the status of each, and what the front adds. */
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
/**
 * Creates a preview in `frame`. Returns `show({ room, brand, language, state, scheme })`, which resolves when the newest wish stands there
 * with its style loaded. Until then the frame is `aria-busy`. One page is written at a time, and only the newest wish waits for its turn.
 */
export function createPreview(frame) {
  const templates = new Map();
  let shown = "";
  let wanted = null;
  let writing = null;
  const load = (language) => {
    if (!templates.has(language)) templates.set(language, askFor(language));
    return templates.get(language);
  };
  const askFor = async (language) => {
    const answer = await fetch(`${PAGES}${language}.html`).catch((error) => /** @type {any} */ ({ status: error.message }));
    if (answer.ok) return answer.text();
    templates.delete(language);
    throw new Error(`page.${language}.html: ${answer.status}`);
  };

  return function show(look) {
    wanted = look;
    frame.ariaBusy = "true";
    writing ??= writeAll();
    return writing;
  };

  async function writeAll() {
    try {
      while (wanted) {
        const look = wanted;
        wanted = null;
        await write(look).catch((error) => wanted || Promise.reject(error));
      }
    } finally {
      // In the same step in which nothing is wanted any more, so that a later wish starts afresh.
      writing = null;
      frame.ariaBusy = "false";
    }
  }

  async function write({ room, brand, language, state, scheme }) {
    const { status, template = {}, opens } = STATES[state];
    const nowMs = Date.now();
    const told = { room, mode: "open", poll_after_s: 5, ...status, ...(opens && { opens_at_ms: nowMs + OPENS_MS }) };
    const values = valuesOf(told, { room, nowMs, more: { ...brandValues(brand, language), ...template } });
    const html = still(fill(await load(language), { ...values, now_ms: 0, status: "" }));
    if (html !== shown) {
      await new Promise((resolve) => {
        frame.addEventListener("load", resolve, { once: true });
        frame.srcdoc = html;
      });
      shown = html;
    }
    dress(frame, sheetOf(brand.page_colours ?? {}), scheme);
  }
}

/** Puts a brand's colours on the page, as somebody who prefers this scheme sees them. */
function dress({ contentDocument: page, contentWindow: own }, css, scheme) {
  const sheet = new own.CSSStyleSheet();
  sheet.replaceSync(css.replaceAll(/\(prefers-color-scheme:(\w+)\)/g, (_, shade) => (shade === scheme ? "all" : "not all")));
  page.adoptedStyleSheets = [sheet];
  for (const { cssRules } of page.styleSheets) prefer(cssRules, scheme);
  page.documentElement.style.colorScheme = scheme;
  page.body.inert = true;
}

/** The media condition of each rule before the preview changed it. */
const asked = new WeakMap();

/** Makes the rules apply as if this scheme were preferred. */
function prefer(rules, scheme) {
  for (const rule of rules) {
    if (rule.media?.mediaText.includes("prefers-color-scheme")) asked.set(rule, rule.media.mediaText);
    if (asked.has(rule)) rule.media.mediaText = asked.get(rule).includes(scheme) ? "all" : "not all";
    if (rule.cssRules) prefer(rule.cssRules, scheme);
  }
}

/** Returns a page without what would run, load the page again, or show only where nothing runs. */
function still(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll("script, noscript, link[rel=icon], style")) part.remove();
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
