// `npm run export`: writes the whole journal of a room, page by page, into one file for `audit`.
//
//   BATON_ADMIN_TOKEN=… npm run export -- --url https://tickets.example.com --room onsale --out onsale.jsonl
//
// If the file exists already, only the rows after its last one are fetched, so you can run this each day.

import { appendFileSync, closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { fail, UsageError, UserError } from "./common.mjs";
import { text } from "./options.mjs";

/** What to do about an answer that is no page. */
const CURES = {
  400: "the room does not keep these rows any more: begin with an empty file",
  401: "set BATON_ADMIN_TOKEN to the token of an operator of this deployment",
  404: "see that --room is a room of this deployment, and that it has operators",
};

/**
 * Yields the journal's pages after row `after` as text, one after the other; without a room, those of the house. The last page
 * is the first one without rows.
 * @param {{ url: string | URL, room?: string, token: string, after?: number }} of
 */
export async function* journalPages({ url, room, token, after = 0 }) {
  for (let from = after; ; ) {
    const whose = room === undefined ? "house" : `rooms/${room}`;
    const address = new URL(`/__baton/admin/${whose}/journal?after=${from}`, url);
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } }).catch((error) => {
      throw new UserError(
        `${address.origin} cannot be reached: ${error.cause?.message ?? error.message}\n  cure: see that --url is the site's address, and that the site answers`,
      );
    });
    const page = await answer.text();
    if (answer.status !== 200)
      throw new UserError(
        `${address} answered ${answer.status}: ${page}\n  cure: ${CURES[answer.status] ?? "try again; if it stays so, look at the room's log"}`,
      );
    yield page;
    const rows = rowsOf(page);
    if (rows.length === 0) return;
    from = lastOf(rows);
  }
}

/** Returns the rows of a page, which is a header and rows. Only a page that has rows is kept. */
const rowsOf = (text) =>
  text
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith('{"baton_journal"'));
const lastOf = (rows) => JSON.parse(rows.at(-1)).version;

/** How much of a file's end is read first to find its last row. */
const TAIL_BYTES = 1 << 20;

/** Returns the last line of a file, however long the file is. */
function lastLine(file) {
  const size = statSync(file).size;
  const descriptor = openSync(file, "r");
  try {
    for (let bytes = Math.min(TAIL_BYTES, size); ; bytes = Math.min(bytes * 4, size)) {
      const tail = Buffer.alloc(bytes);
      readSync(descriptor, tail, 0, bytes, size - bytes);
      const text = tail.toString("utf8").trimEnd();
      if (text.includes("\n") || bytes === size) return text.slice(text.lastIndexOf("\n") + 1);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Returns `{ version, hash }` of a file's last row; version 0 if there is none yet. Throws if the file is no journal. */
export function endOf(file) {
  const line = existsSync(file) ? lastLine(file) : "";
  if (line === "") return { version: 0 };
  try {
    const { version, hash, after, previous } = JSON.parse(line);
    if (version ?? after) return { version: version ?? after, hash: hash ?? previous };
    if (after === 0) return { version: 0 };
  } catch {
    // The error below says it.
  }
  throw new UserError(`${file}: its last line is not a row of a journal\n  cure: give another file, or remove what was cut off`);
}

/**
 * Brings a file up to date; without a room it is the house's. Resolves to `{ after, came }`: the row after which it went on, and how many rows came.
 * Rows that do not follow the file's last row are never appended.
 * @param {{ url: string | URL, room?: string, token: string, out: string }} of
 */
export async function exportJournal({ url, room, token, out }) {
  const { version: after, hash } = endOf(out);
  let came = 0;
  for await (const page of journalPages({ url, room, token, after })) {
    const header = JSON.parse(page.slice(0, page.indexOf("\n")));
    if (came === 0 && after > 0 && header.previous !== hash)
      throw new UserError(
        `${out} holds another history: its row ${after} is not this room's\n  cure: give a new file or folder; nothing was changed`,
      );
    const rows = rowsOf(page);
    if (rows.length > 0 || !existsSync(out)) appendFileSync(out, page);
    came += rows.length;
  }
  return { after, came };
}

async function main() {
  const { url, room, out } = parseArgs({ options: { url: text, room: text, out: text } }).values;
  const token = process.env.BATON_ADMIN_TOKEN;
  if (!url || !room || !out) throw new UsageError("Use: npm run export -- --url https://tickets.example.com --room onsale --out onsale.jsonl");
  if (!token) throw new UsageError("Set BATON_ADMIN_TOKEN to an operator's token.");
  const { after, came } = await exportJournal({ url, room, token, out });
  console.log(`${out}: ${came} rows${after > 0 ? ` after row ${after}` : ""}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
