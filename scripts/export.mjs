// `npm run export`: the whole journal of a room, page by page, into one file for `audit`.
//
//   BATON_ADMIN_TOKEN=… npm run export -- --url https://tickets.example.com --room onsale --out onsale.jsonl
//
// A file that is there is gone on with: only the rows after its last are fetched, so that it can be run each day.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { fail, UserError } from "./common.mjs";

/** The journal's pages after row `after`, one after the other, as text; without a room those of the house. The last one is the first without rows. */
export async function* journalPages({ url, room, token, after = 0 }) {
  for (let from = after; ;) {
    const whose = room === undefined ? "house" : `rooms/${room}`;
    const address = new URL(`/__baton/admin/${whose}/journal?after=${from}`, url);
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } }).catch((error) => {
      throw new UserError(`${address.origin} cannot be reached: ${error.cause?.message ?? error.message}`);
    });
    const page = await answer.text();
    if (answer.status !== 200) throw new UserError(`${address}: ${answer.status} ${page}`);
    yield page;
    const rows = rowsOf(page);
    if (rows.length === 0) return;
    from = lastOf(rows);
  }
}

/** A page is its header and rows; only a page that has rows is kept. */
const rowsOf = (text) => text.trimEnd().split("\n").filter((line) => !line.startsWith('{"baton_journal"'));
const lastOf = (rows) => JSON.parse(rows.at(-1)).version;

/** Brings a file up to date; answers how many rows came. Without a room it is the house's. */
export async function exportJournal({ url, room, token, out }) {
  const had = existsSync(out) ? rowsOf(readFileSync(out, "utf8")) : [];
  const after = had.length > 0 ? lastOf(had) : 0;
  let came = 0;
  for await (const page of journalPages({ url, room, token, after })) {
    const rows = rowsOf(page);
    if (rows.length > 0 || !existsSync(out)) appendFileSync(out, page);
    came += rows.length;
  }
  return { after, came };
}

async function main() {
  const text = { type: "string" };
  const { url, room, out } = parseArgs({ options: { url: text, room: text, out: text } }).values;
  const token = process.env.BATON_ADMIN_TOKEN;
  if (!url || !room || !out) throw new UserError("Use: npm run export -- --url https://tickets.example.com --room onsale --out onsale.jsonl");
  if (!token) throw new UserError("Set BATON_ADMIN_TOKEN to an operator's token.");
  const { after, came } = await exportJournal({ url, room, token, out });
  console.log(`${out}: ${came} rows${after > 0 ? ` after row ${after}` : ""}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
