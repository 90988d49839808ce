/* Makes a report in the operator's browser, in a worker of its own so that the desk never waits. It takes `{ wasm, room, lang, timeZone }` once.
 * It answers `{ row }` while it reads the journal, then `{ report, page, journal, sales }`: the value, the HTML, the journal as a blob, and the room's last
 * sales side by side, null if it had one; or `{ error }`. It keeps nothing but what it answers, and asks for the journal with nothing but the desk's cookie. */

import init, { Journal } from "baton-report";
import { besideOf } from "./beside.js";
import { pageOf } from "./page.js";
import { cameOf } from "./sums.js";
import { speaker } from "./text.js";

/** The longest wait for a page of the journal, which has at most some megabytes. */
const PAGE_MS_MAX = 60_000;
/** The most earlier sales that stand beside the last: each is another pass through the journal. */
const EARLIER_MAX = 3;
/** Each edition of a room is a sale, and a fact of the journal begins it. */
const BEGINS = /"(?:begun|reset)":\{"edition":(\d+)/g;

addEventListener("message", async ({ data: { wasm, room, lang, timeZone } }) => {
  try {
    await load(wasm);
    const journal = new Journal();
    const parts = [];
    const editions = new Set([1]);
    for await (const page of pages(room)) {
      journal.take(page.text);
      // Browsers may put a blob on disk, so that a long journal takes no memory.
      parts.push(new Blob([page.text]));
      for (const [, edition] of page.text.matchAll(BEGINS)) editions.add(Number(edition));
      postMessage({ row: page.row });
    }
    const report = JSON.parse(journal.report());
    if (report.error) throw new Error(report.error);
    const beside = await earlier(report, editions, parts);
    const sales = besideOf(report, beside, speaker({ lang, timeZone }));
    postMessage({ report, page: pageOf(report, { lang, timeZone, beside }), journal: new Blob(parts, { type: "application/x-ndjson" }), sales });
  } catch (error) {
    postMessage({ error: error.message });
  }
});

/** Returns the reports of the sales before this one in which anybody came, the last first. */
async function earlier({ edition }, editions, parts) {
  const before = [...editions].filter((one) => one < edition).sort((one, other) => other - one);
  const reports = [];
  for (const one of before.slice(0, EARLIER_MAX)) {
    const journal = new Journal(one);
    for (const part of parts) journal.take(await part.text());
    const report = JSON.parse(journal.report());
    if (!report.error && cameOf(report) > 0) reports.push(report);
  }
  return reports;
}

async function load(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  await init({ module_or_path: await answer.arrayBuffer() });
}

/** Yields the journal's pages that have rows, each with the number of its last row; the first page always. */
async function* pages(room) {
  for (let row = 0; ; ) {
    const answer = await fetch(`/__baton/admin/rooms/${room}/journal?after=${row}`, { cache: "no-store", signal: AbortSignal.timeout(PAGE_MS_MAX) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(messageOf(text) ?? String(answer.status));
    const { version } = JSON.parse(text.trimEnd().split("\n").at(-1));
    if (version === undefined && row > 0) return;
    yield { text, row: version ?? 0 };
    if (version === undefined) return;
    row = version;
  }
}

function messageOf(text) {
  try {
    return JSON.parse(text).error.message;
  } catch {
    return undefined;
  }
}
