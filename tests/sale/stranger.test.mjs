// What a stranger can say of a published sale: the small sale, its own notes, notes of another history, and a journal that was changed.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { readPublished, Stranger } from "../../scripts/sale/stranger.mjs";

const SMALL = readFileSync(inRoot("tools", "tests", "audit", "small_sale.jsonl"), "utf8");
const rows = SMALL.trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ version }) => version !== undefined);
const note = (at) => ({ row: rows.at(at).version, hash: rows.at(at).hash });
/** The audit is compiled first. */
const BUILD = { timeout: 600_000 };

function published(t, journal) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-published-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, "journal.ndjson"), journal);
  writeFileSync(path.join(folder, "index.html"), "<p>the page</p>");
  return folder;
}

test("notes are found in the journal that was published, and in no other", BUILD, async (t) => {
  const read = await readPublished(published(t, SMALL), [note(3), note(-1), { row: 3, hash: "ab".repeat(32) }]);
  assert.deepEqual([read.isSound, read.fingerprint, read.page], [true, note(-1).hash, "<p>the page</p>"]);
  assert.deepEqual(
    read.notes.map(({ row, found_row: found }) => found === row),
    [true, true, false],
  );
});

test("a journal that was changed is not sound, and has no noted row", BUILD, async (t) => {
  const changed = SMALL.replace(/"wall_ms":(\d)/, '"wall_ms":9$1');
  const { isSound, notes } = await readPublished(published(t, changed), [note(-1)]);
  assert.deepEqual([isSound, notes[0].found_row], [false, null]);
});

test("what was not published is named", async (t) => {
  const folder = published(t, SMALL);
  rmSync(path.join(folder, "index.html"));
  await assert.rejects(readPublished(folder, []), /index\.html was not published\n {2}cure: run npm run report/);
});

test("a stranger notes the chain; a refusal says where and what to do", async (t) => {
  let isThere = true;
  const server = http.createServer((_request, response) =>
    response.writeHead(isThere ? 200 : 404).end(JSON.stringify({ row: 7, hash: "f0", at_ms: 1 })),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close() && server.closeAllConnections());
  const stranger = new Stranger({ url: `http://127.0.0.1:${server.address().port}`, room: "onsale" });
  await stranger.note();
  assert.deepEqual(stranger.notes, [{ row: 7, hash: "f0" }]);
  isThere = false;
  await assert.rejects(stranger.note(), /onsale\/chain answered 404 to somebody without a token\n {2}cure:/);
});
