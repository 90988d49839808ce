// What befalls the coordinator: damage on its disk, a deploy in which two versions meet, a thousand sockets that drop at
// once, permits for people who do not come. The simulator has the rest (tools/tests/catalogue.rs).

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { scene } from "../runtime/harness.mjs";
import { startScripted, told } from "../runtime/support/scripted.mjs";
import { eventually } from "../runtime/support/world.mjs";
import { catalogue, each } from "./stage.mjs";

const row = catalogue();
const LONG = { timeout: 180_000 };

/** A scene for one test, gone with it. */
async function staged(t, settings) {
  const it = await scene(settings);
  t.after(() => it.stop());
  return it;
}

/** Turns one bit of the newest row of the room's journal, as a bad disk would. Returns the row's version. */
function damage({ dataDir }) {
  const dir = path.join(dataDir, "baton-RoomObject");
  const [file] = readdirSync(dir).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const db = new DatabaseSync(path.join(dir, file));
  const { version, bytes } = db.prepare("SELECT version, bytes FROM journal ORDER BY version DESC LIMIT 1").get();
  bytes[bytes.length - 1] ^= 1;
  db.prepare("UPDATE journal SET bytes = ? WHERE version = ?").run(bytes, version);
  db.close();
  return version;
}

test("c50_a_damaged_row_is_named_and_nobody_guesses: 503, passes go on, the operator sees the room down", LONG, async (t) => {
  const it = await staged(t, { permits: 1, pass_ttl_s: 60 });
  const holder = await it.holder();
  const [waiter] = await it.line(1);
  await it.rt.kill();
  const version = damage(it);
  await it.rt.restart();
  const joined = await waiter.join();
  assert.deepEqual([joined.status, joined.error], [503, "room_unavailable"]);
  assert.equal((await it.visitor().arrive()).state, "waiting", "nobody walks in");
  assert.equal((await holder.arrive()).state, "shop", "a fresh pass asks nobody");
  await eventually(() => new RegExp(`row ${version}\\b`).test(it.rt.logs()), { what: `the log names row ${version}` });
  const metrics = await (await fetch(`${it.rt.url}/__baton/metrics`, { headers: { authorization: `Bearer ${it.token}` } })).text();
  assert.match(metrics, /baton_up\{room="onsale"\} 0/);
});

test("c49_a_lobby_of_another_version: what is new is passed over, what is missing is a 503 that may be tried again", LONG, async (t) => {
  let order;
  const world = await startScripted(t, { script: () => order });
  const visitor = world.visitor();
  await visitor.status();
  const fine = told({ state: "waiting", number: 3, ahead: 1, waiting: 2 });
  order = { told: { ...fine, of_tomorrow: { a: 1 }, status: { ...fine.status, of_tomorrow: [1] } } };
  assert.deepEqual([(await visitor.join()).status, visitor.number], [200, 3], "a field more");
  const { status: _status, ...less } = fine;
  for (const [what, text] of Object.entries({
    "a field less": `1${JSON.stringify(less)}`,
    "an unknown state": `1${JSON.stringify({ ...fine, status: { ...fine.status, state: "levitating" } })}`,
    "a number that is a text": `1${JSON.stringify({ ...fine, status: { ...fine.status, number: "3" } })}`,
    "another form": "\u0001\u0002",
    "a later version": `2${JSON.stringify(fine)}`,
    "an older one": `0${JSON.stringify(fine)}`,
    none: JSON.stringify(fine),
  })) {
    order = { text };
    const answer = await visitor.join();
    assert.deepEqual([answer.status, answer.error], [503, "room_unavailable"], what);
    assert.ok(Number(answer.headers["retry-after"]) > 0, what);
    assert.equal((await visitor.arrive()).state, "waiting", `${what}: nobody is let in by mistake`);
  }
  order = { told: fine };
  assert.equal((await visitor.join()).status, 200, "and afterwards all is well");
});

test("c47_a_thousand_sockets_drop_at_once: everybody is in place, nobody who came back sooner went ahead", LONG, async (t) => {
  const it = await staged(t, { permits: 1, linger_s: 120, grace_s: 600 });
  const holder = await it.holder();
  const crowd = Array.from({ length: 1_000 }, () => it.visitor());
  const openAll = (all) => each(all, async (visitor) => visitor.openSocket({ timeoutMs: 60_000 }), 50);
  await each(crowd, (visitor) => visitor.request("/__baton/onsale/status"), 50);
  await openAll(crowd);
  const numbers = crowd.map(({ number }) => number);
  assert.equal(new Set(numbers).size, 1_000);
  await it.crash();
  // Those at the end of the line are the quickest to come back.
  await openAll([...crowd].sort((a, b) => b.number - a.number));
  assert.deepEqual(
    crowd.map(({ number }) => number),
    numbers,
  );
  const line = [...crowd].sort((a, b) => a.number - b.number);
  await holder.request("/buy/release");
  await line[0].waitForState("called", 20_000);
  assert.ok(
    line.slice(1).every(({ state }) => state === "waiting"),
    "the first, and nobody else",
  );
});

row(
  "c57_all_permits_called_and_nobody_comes: all are back after claim_within_s, and go to who does come",
  { permits: 4, claim_within_s: 1, walk_in: true },
  async (it) => {
    const holders = [];
    for (let i = 0; i < 4; i += 1) holders.push(await it.holder());
    for (let i = 0; i < 4; i += 1) await it.waiter();
    await Promise.all(holders.map((holder) => holder.leave()));
    await eventually(async () => (await it.report()).called === 4, { what: "four calls" });
    const calledAt = Date.now();
    await eventually(async () => (await it.report()).called === 0, { what: "their end" });
    assert.ok(Date.now() - calledAt < 5_000, `${Date.now() - calledAt} ms`);
    const { hand, tray, inside, debt } = await it.report();
    assert.deepEqual([hand + tray, inside, debt], [4, 0, 0]);
    assert.equal((await it.visitor().arrive()).state, "shop");
  },
);
