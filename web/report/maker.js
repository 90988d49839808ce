/* Makes a report in the operator's browser, in a worker of its own so that the desk never waits. It takes `{ wasm, room, lang, timeZone }` once.
 * It answers `{ row }` while it reads the journal, then `{ report, page, journal }`: the value, the HTML, and the journal as a blob; or
 * `{ error }`. It keeps nothing but what it answers, and asks for the journal with nothing but the desk's cookie. */

import init, { Journal } from "baton-report";
import { pageOf } from "./page.js";

/** The longest wait for a page of the journal, which has at most some megabytes. */
const PAGE_MS_MAX = 60_000;

addEventListener("message", async ({ data: { wasm, room, lang, timeZone } }) => {
  try {
    await load(wasm);
    const journal = new Journal();
    const parts = [];
    for await (const page of pages(room)) {
      journal.take(page.text);
      // Browsers may put a blob on disk, so that a long journal takes no memory.
      parts.push(new Blob([page.text]));
      postMessage({ row: page.row });
    }
    const report = JSON.parse(journal.report());
    if (report.error) throw new Error(report.error);
    postMessage({ report, page: pageOf(report, { lang, timeZone }), journal: new Blob(parts, { type: "application/x-ndjson" }) });
  } catch (error) {
    postMessage({ error: error.message });
  }
});

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
