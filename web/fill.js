/* Fills the page's templates as the front does (src/gate/template.rs), for the desk's preview, the gallery, and tests of the page alone. */

import { createLine, createMemory } from "./line.js";
import { shown } from "./shown.js";

/**
 * Returns the values of a template for a status, with `room`, `nowMs` and `refreshS`. The values in `more` override these.
 * @param {any} status
 * @param {{ room: string, nowMs: number, refreshS?: number | "", more?: Record<string, any> }} page
 */
export function valuesOf(status, { room, nowMs, refreshS = 20, more = {} }) {
  const line = createLine(
    room,
    createMemory(room, () => null),
  );
  line.takeStatus(status);
  const { state, near, seats, number, lane, behind, unsaid } = shown(line.get(), { up: true, cookies: true, reached: true });
  const etaMin = status.eta_max_s ? Math.floor(status.eta_min_s / 60) : "";
  return {
    state,
    near,
    seats,
    seats_to: status.seats_to,
    room,
    reason: status.reason,
    mode: status.mode,
    unsaid,
    missed: status.missed,
    number,
    lane,
    behind,
    ahead: status.ahead,
    waiting: status.waiting,
    message: status.message,
    eta_min: etaMin,
    refresh_s: refreshS,
    now_ms: nowMs,
    eta_max: status.eta_max_s ? Math.max(Number(etaMin) + 1, Math.ceil(status.eta_max_s / 60)) : "",
    opens_min: status.opens_at_ms ? Math.max(0, Math.ceil((status.opens_at_ms - nowMs) / 60_000)) : "",
    draw: status.draw ?? "",
    entry: status.entry ?? "",
    better: status.lane?.better ? "true" : "",
    refused: more.state === "refused" ? "true" : "",
    full: more.state === "full" ? "true" : "",
    status: JSON.stringify(status).replaceAll("<", "\\u003c"),
    ...more,
  };
}

/** Fills in sections, what hides the elements that are for something else, then values. Every value is escaped except the status. */
export function fill(template, values) {
  const escape = (text) => String(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  const is = (name) => (values[name] ?? "") !== "";
  const chosen = { on: values.state, why: values.reason || "other", by: values.draw || "shuffle", unspent: values.code };
  const other = is("near") ? "far" : "near";
  const isFor = (tag, name, words) => words.split(" ").includes(chosen[name]) && !tag.includes(` class="${other}"`);
  return template
    .replace(/\{\{([#^])(\w+)\}\}([^]*?)\{\{\/\2\}\}/g, (whole, kind, name, inner) => (is(name) === (kind === "#") ? inner : ""))
    .replace(/<\w[^<>]* data-(on|why|by|unspent)="([^"]*)"[^<>]*/g, (tag, name, words) => (isFor(tag, name, words) ? tag : `${tag} hidden`))
    .replace(/\{\{(\w+)\}\}/g, (whole, name) => (name === "status" ? values.status : escape(values[name] ?? "")));
}
