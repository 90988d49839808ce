// A change of BATON_SECRET reaches isolates one after the other. Here three of them stand over the same objects: one that has heard
// nothing yet, one that knows the coming secret, one that signs with it. A visitor who goes from one to the other keeps
// everything.

import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { door, startPlatform } from "./platform.mjs";

const [OLD, NEW] = ["old", "new"].map((word) => `${word}-secret-`.repeat(5));
const FRONTS = { staged: { BATON_SECRET: OLD, BATON_SECRET_NEXT: NEW }, rotated: { BATON_SECRET: NEW, BATON_SECRET_PREVIOUS: OLD } };

async function start(t, room = {}) {
  const it = await startPlatform(t, { room, vars: { BATON_SECRET: OLD }, runtime: { fronts: FRONTS } });
  const outside = await door(t, it.baton.port);
  it.shop.trustHost(`127.0.0.1:${outside.port}`);
  /** Requests go to that isolate from now on, at the same address. */
  const at = (front) => outside.to(front === "old" ? it.baton.port : it.baton.portOf(front));
  const visitor = () => it.visitor({ url: `${outside.url}/buy/` });
  return { ...it, at, visitor };
}

/** Nobody's cookie was touched. */
const untouched = (answer, what) => assert.equal(answer.headers["set-cookie"], undefined, `${what}: ${answer.headers["set-cookie"]}`);

test("who waits keeps the number, whichever isolate answers", { timeout: 60_000 }, async (t) => {
  const it = await start(t, { permits: 0 });
  const visitor = it.visitor();
  it.at("rotated");
  await visitor.arrive();
  await visitor.status();
  await visitor.join();
  const { number } = visitor;
  assert.ok(number > 0);
  const staged = await (it.at("staged"), visitor.status());
  assert.deepEqual([staged.status, staged.json.number], [200, number]);
  untouched(staged, "an isolate that knows the coming secret");
  it.at("old");
  const status = await visitor.status();
  assert.deepEqual([status.status, status.error], [503, "room_unavailable"]);
  untouched(status, "an isolate that has heard nothing, asked for the status");
  assert.equal((await visitor.join()).status, 503);
  const page = await visitor.arrive();
  assert.match(page.body, /data-state="unreachable"/);
  untouched(page, "an isolate that has heard nothing, asked for the page");
  assert.equal(coded(it.logs(), "key_unknown").length, 1, "said once");
  assert.equal((await (it.at("rotated"), visitor.status())).json.number, number);
});

test("who is inside stays inside", { timeout: 60_000 }, async (t) => {
  const it = await start(t, { permits: 1 });
  const visitor = it.visitor();
  it.at("rotated");
  assert.equal((await visitor.arrive()).state, "shop");
  const old = await (it.at("old"), visitor.arrive());
  assert.match(old.body, /data-state="unreachable"/);
  untouched(old, "an isolate that has heard nothing");
  assert.equal((await (it.at("staged"), visitor.arrive())).state, "shop");
  assert.equal((await (it.at("rotated"), visitor.arrive())).state, "shop");
});

test("what the old secret signed is good everywhere, and the coming one signs nothing", { timeout: 60_000 }, async (t) => {
  const it = await start(t, { permits: 0 });
  const keyOf = (visitor) => Buffer.from(visitor.cookie("visitor"), "base64url").subarray(2, 6).toString("hex");
  const people = {};
  for (const front of ["old", "staged", "rotated"]) {
    people[front] = it.visitor();
    it.at(front);
    await people[front].arrive();
  }
  assert.equal(keyOf(people.staged), keyOf(people.old), "signed with the old one");
  assert.notEqual(keyOf(people.rotated), keyOf(people.old));
  it.at("old");
  await people.old.status();
  await people.old.join();
  for (const front of ["staged", "rotated"]) assert.equal((await (it.at(front), people.old.status())).json.number, people.old.number, front);
});

test("a BATON_SECRET_NEXT that is too short is refused, and named", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { vars: { BATON_SECRET_NEXT: "short" } });
  assert.equal((await it.visitor().status()).error, "bad_config");
  assert.match(it.logs(), /BATON_SECRET_NEXT/);
});
