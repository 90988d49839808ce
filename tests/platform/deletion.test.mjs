// What says who came goes after `journal_keep_days`, also when no sale follows: the room's own alarm wakes it for that.

import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { eventually, scene } from "../runtime/harness.mjs";

const DAY_MS = 86_400_000;
const KEEP_DAYS = 30;
const CLOCK = [inRoot("tests", "platform", "clock.js")];

/** What a room's storage has: rows, salts, when the last row was written. */
function stored(it) {
  const [found] = it.storage("RoomObject", (db) => ({
    rows: db.prepare("SELECT count(*) AS rows FROM journal").get().rows,
    version: db.prepare("SELECT max(version) AS version FROM journal").get().version,
    hash: db.prepare("SELECT lower(hex(hash)) AS hash FROM journal ORDER BY version DESC LIMIT 1").get()?.hash,
    lastMs: db.prepare("SELECT max(wall_ms) AS at FROM journal").get().at,
    salts: db
      .prepare("SELECT hex(bytes) AS salt FROM salt ORDER BY edition")
      .all()
      .map(({ salt }) => salt),
  }));
  return found;
}

const alarmOf = (it) => it.alarms().find(({ className }) => className === "RoomObject")?.atMs;

/** The platform's clock cannot be set: instead of the time the alarm is moved, both where the namespace and where the object has it. */
function ringsAt(it, atMs) {
  const dir = path.join(it.dataDir, "baton-RoomObject");
  const set = (file, query) => {
    const db = new DatabaseSync(path.join(dir, file));
    db.prepare(query).run(BigInt(Math.round(atMs)) * 1_000_000n);
    db.close();
  };
  set("metadata.sqlite", "UPDATE _cf_ALARM SET scheduled_time = ?");
  for (const file of it.storage("RoomObject", (_, name) => name)) set(file, "UPDATE _cf_METADATA SET value = ? WHERE key = 1");
}

test("thirty days after the last visitor the room wakes once, and nothing says any more who came", { timeout: 120_000 }, async (t) => {
  const it = await scene({ permits: 1, linger_s: 1, claim_within_s: 2, journal_keep_days: KEEP_DAYS, wrapper: CLOCK });
  t.after(() => it.stop());
  const first = await it.holder();
  const [second] = await it.line(1);
  await first.request("/buy/release");
  await second.waitForState("called");
  await second.leave();
  second.closeSocket();
  const isQuiet = () => it.alarms().every(({ atMs }) => atMs > Date.now() + DAY_MS);
  await eventually(isQuiet, { what: "the last near alarm" });
  const before = stored(it);
  assert.ok(before.rows > 0 && before.salts.length === 1, JSON.stringify(before));
  assert.ok(Math.abs(alarmOf(it) - before.lastMs - KEEP_DAYS * DAY_MS) < 5_000, "it is woken when that time is over, and not before");

  await it.rt.kill("SIGTERM");
  ringsAt(it, Date.now() + 1_000);
  await it.rt.restart({ vars: { CLOCK_AHEAD_MS: String(KEEP_DAYS * DAY_MS + 60_000) } });
  await eventually(() => stored(it).rows === 0, { what: "the end of the journal" });
  const after = stored(it);
  assert.ok(
    after.salts.every((salt) => !before.salts.includes(salt)),
    "nobody can tell whose the keys were",
  );
  await eventually(() => alarmOf(it) === undefined, { what: "no alarm" });

  // An export from before goes on where it ended; numbers go on too.
  const journal = async (from) => {
    const answer = await fetch(`${it.rt.url}/__baton/admin/rooms/onsale/journal?after=${from}`, { headers: { authorization: `Bearer ${it.token}` } });
    return {
      status: answer.status,
      lines: (await answer.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    };
  };
  const page = await journal(before.version);
  assert.deepEqual([page.status, page.lines.length, page.lines[0].previous], [200, 1, before.hash]);
  assert.equal((await journal(before.version - 1)).status, 400, "what is gone is said to be");
  const late = it.visitor();
  await late.arrive();
  assert.equal((await late.status()).json.number, 3);
  assert.ok(stored(it).rows > 0, "and it is written again");
  const [, next] = (await journal(before.version)).lines;
  assert.equal(next.version, before.version + 1);
});

test("a day less, and everything is there", { timeout: 120_000 }, async (t) => {
  const it = await scene({ permits: 1, linger_s: 1, claim_within_s: 2, journal_keep_days: KEEP_DAYS, wrapper: CLOCK });
  t.after(() => it.stop());
  const visitor = await it.holder();
  await visitor.request("/buy/release");
  await eventually(() => it.alarms().every(({ atMs }) => atMs > Date.now() + DAY_MS), { what: "the last near alarm" });
  const before = stored(it);
  await it.rt.kill("SIGTERM");
  ringsAt(it, Date.now() + 1_000);
  await it.rt.restart({ vars: { CLOCK_AHEAD_MS: String((KEEP_DAYS - 1) * DAY_MS) } });
  // It was woken too early: it finds nothing to do and says when it wants to be woken.
  await eventually(() => Math.abs(alarmOf(it) - Date.now() - DAY_MS) < 60_000, { what: "another alarm" });
  assert.deepEqual(stored(it), before);
});
