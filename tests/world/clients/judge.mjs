// What the requests of a client say of it, as a watcher wrote them down: is its place kept, does it come in, does it wait as it is told. Pure.

import { CookieJar } from "../../support/visitor.mjs";

/** A client's timer may ring so much early, and its next request come so much late. */
const EARLY_MS = 100;
const LATE_MS = 2_000;

const isGated = ({ path }) => !path.startsWith("/__baton/");
const isTicket = (name) => /^(__Host-)?baton-[a-z0-9-]+-ticket$/.test(name);

/** Returns the cookies that a request brings, `name → value`. Java may write the value in quotes. */
function brought({ headers }) {
  const pairs = (headers.cookie ?? "").split(/[;,] ?/).map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), pair.slice(pair.indexOf("=") + 1)]);
  return new Map(pairs.map(([name, value]) => [name, value.replace(/^"(.*)"$/, "$1")]));
}

/** Returns whether the client got a place, and brought back from then on all that it was given. */
export function keepsPlace(log) {
  const given = new CookieJar();
  let hasPlace = false;
  for (const request of log) {
    const back = brought(request);
    if (hasPlace && !given.names().every((name) => back.get(name) === given.get(name))) return false;
    given.take(request.answer?.["set-cookie"]);
    hasPlace ||= given.names().some(isTicket);
  }
  return hasPlace;
}

/** Returns whether a gated path was answered by the shop. */
export const comesIn = (log) => log.some((request) => isGated(request) && request.status === 200 && !request.answer?.["baton-state"]);

/** Returns how long an answer tells to wait: by `Retry-After`, or a page by its refresh. */
function toldMs({ answer = {}, body = "" }) {
  const told = answer["retry-after"] ?? /http-equiv="?refresh"? content="(\d+)/i.exec(body)?.[1];
  return told === undefined ? undefined : Number(told) * 1_000;
}

/**
 * Returns how the client comes back to a gated path when nobody tells it to: "no", or after a time that is "as told", "too early" or "too late". Of
 * several the first that is not as told.
 */
export function comesBack(log) {
  const asked = log.filter(isGated);
  const pauses = asked.slice(1).map(({ atMs }, at) => ({ pauseMs: atMs - asked[at].atMs, told: toldMs(asked[at]) }));
  if (pauses.length === 0) return "no";
  const judged = pauses
    .filter(({ told }) => told !== undefined)
    .map(({ pauseMs, told }) => (pauseMs < told - EARLY_MS ? "too early" : pauseMs > told + LATE_MS ? "too late" : "as told"));
  return judged.find((each) => each !== "as told") ?? "as told";
}

/** The head of the table. */
export const HEAD = ["client", "alone", "with", "http", "https", "comes back by itself"];

/** Returns a play's cell. */
export function cellOf({ kept, isIn }) {
  if (kept && isIn) return "✓";
  return kept ? "✖ kept, not in" : isIn ? "✖ in, not kept" : "✖";
}

/** Returns the row of a client: `plays` has `{ kept, isIn }` of `alone`, `http` and `https`, and in `waits` what `comesBack` says of it alone. */
export function rowOf({ name, version, needs, waits }, plays) {
  const alone = needs ? cellOf(plays.alone) : cellOf(plays.http);
  const back = waits ? `${waits.by}: ${plays.waits}` : plays.waits;
  return [`${name} ${version}`, alone, needs ?? "", cellOf(plays.http), cellOf(plays.https), back];
}
