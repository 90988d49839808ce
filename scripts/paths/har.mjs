// Reads a browser's recording (HAR 1.2, as Chromium and Firefox export it). Pure: text in, entries out. Whatever is wrong with the file is told with its
// place and the cure.

import { UserError } from "../common.mjs";

/** A purchase has some hundred requests, and a day of an open tab some ten thousand. */
const ENTRIES_MAX = 50_000;
/** With every answer's content a purchase has some ten megabytes. A text of more than 512 MB is none in Node. */
export const HAR_BYTES_MAX = 256 * 1024 * 1024;
const HOW =
  'In the network panel of the developer tools switch on "Preserve log" (Firefox: "Persist Logs"), buy one ticket from the front page to the thank-you page, and save all as HAR';

/** Returns line and column of the place that a JSON error names, as `:3:14`, or nothing. */
function placeOf(text, { message }) {
  const [, at] = /position (\d+)/.exec(message) ?? [];
  if (at === undefined) return "";
  const before = text.slice(0, Number(at)).split("\n");
  return `:${before.length}:${before.at(-1).length + 1}`;
}

function parsed(name, text) {
  try {
    // Some exporters begin with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const isCut = /end of JSON|Unterminated/i.test(error.message);
    throw new UserError(
      `${name}${placeOf(text, error)}: this is not JSON${isCut ? ": it ends in the middle" : ""}. Cure: export the recording again; a HAR file begins with { "log": …`,
    );
  }
}

const isText = (value) => typeof value === "string";

function checkEntry(name, entry, nth) {
  const wrong = (what) => new UserError(`${name}: log.entries[${nth}]: ${what}. Cure: export the recording again, and do not edit it by hand.`);
  if (!isText(entry?.request?.url)) throw wrong("its request has no address");
  if (!isText(entry.request.method)) throw wrong("its request has no method");
  if (!Number.isInteger(entry.response?.status)) throw wrong("its answer has no status");
  if (Number.isNaN(Date.parse(entry.startedDateTime))) throw wrong("it has no time");
  for (const headers of [entry.request.headers, entry.response.headers]) {
    if (!Array.isArray(headers ?? []) || (headers ?? []).some((header) => !isText(header?.name) || !isText(header?.value)))
      throw wrong("its headers are no list of names and values");
  }
}

/** Returns the entries of a HAR file. Throws a UserError that says what is wrong, where, and the cure. */
export function readHar(name, text) {
  const entries = parsed(name, text)?.log?.entries;
  if (!Array.isArray(entries)) throw new UserError(`${name}: this is no recording: it has no list log.entries. ${HOW}.`);
  if (entries.length === 0) throw new UserError(`${name}: the recording is empty. The panel records only while it is open. ${HOW}.`);
  if (entries.length > ENTRIES_MAX)
    throw new UserError(
      `${name}: ${entries.length} requests are more than one purchase. Cure: clear the panel, record one purchase alone; at most ${ENTRIES_MAX} are read.`,
    );
  for (const [nth, entry] of entries.entries()) checkEntry(name, entry, nth);
  return entries;
}

/** What is said where a recording lacks what a purchase has. `what` is a sentence without its full stop. */
export const incomplete = (name, what) => new UserError(`${name}: ${what}. ${HOW}.`);
