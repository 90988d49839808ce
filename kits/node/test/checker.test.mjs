// What the table does not say: settings that are wrong, the log, proofs without a store, what a route sees.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Checker, MemoryStore, extend, release, stock } from "baton-kit";
import { throughBaton } from "baton-kit/express";
import { checker, named } from "./table.mjs";

test("settings that are wrong are named with their cure", () => {
  const wrong = [
    [{ secret: "", hosts: ["a.example"] }, /ORIGIN_SECRET/],
    [{ secret: "s", hosts: [] }, /tickets\.example\.com/],
    [{ secret: "s", hosts: "a.example" }, /not a list/],
    [{ secret: "s", hosts: ["https://a.example"] }, /https:\/\/a\.example/],
    [{ secret: "s", hosts: ["a.example"], mode: "on" }, /"report" or "enforce"/],
  ];
  for (const [settings, said] of wrong) assert.throws(() => new Checker(settings), said);
});

test("a shop says only what Baton understands", () => {
  assert.deepEqual([...extend(release(new Headers()), 300)], [["baton-extend", "300"], ["baton-release", "1"]]);
  for (const wrong of [0, -1, 1.5, "300"]) assert.throws(() => extend(new Headers(), wrong), RangeError);
  for (const left of [-1, 10_000_001, 1.5]) assert.throws(() => stock(new Headers(), { secret: "s", room: "onsale", left }), RangeError);
});

test("a report says in one line what would be refused and why; a good request is not in it", async () => {
  const ours = checker({ mode: "report" });
  await ours.check(named("a look"));
  assert.deepEqual(ours.said, []);
  await ours.check({ ...named("another secret"), url: "/buy/\n?card=4711" });
  assert.equal(ours.said.length, 1);
  assert.match(ours.said[0], /^baton: would refuse GET "\/buy\/\\n" \(mac\): .*ORIGIN_SECRET.*$/);
  assert.doesNotMatch(ours.said[0], /4711/, "queries may be private");
});

test("without a store a look may repeat and a change counts once", async () => {
  const ours = checker();
  const twice = async (one) => [(await ours.check(one)).checked, (await ours.check(one)).checked];
  assert.deepEqual([await twice(named("a look")), await twice(named("a change"))], [["ok", "ok"], ["ok", "no;replay"]]);
});

test("a store that fails refuses, and says so", async () => {
  const ours = checker({ store: { take: async () => { throw new Error("the store is away"); } } });
  assert.equal((await ours.check(named("a look"))).checked, "no;replay");
  assert.match(ours.said[0], /the store is away/);
});

test("memory forgets what is over and refuses when full", (t) => {
  const max = MemoryStore.KEYS_MAX;
  t.after(() => { MemoryStore.KEYS_MAX = max; });
  MemoryStore.KEYS_MAX = 2;
  const memory = new MemoryStore();
  assert.deepEqual([memory.take("a", 0, 10), memory.take("b", 1, 11), memory.take("c", 2, 12)], [true, true, false]);
  assert.deepEqual([memory.take("b", 10, 20), memory.take("c", 10, 20)], [false, true]);
});

test("a route gets the visitors' host after a right proof only", async () => {
  const response = { setHeader() {} };
  const seen = [];
  for (const name of ["a look", "another secret"]) {
    const request = { method: "GET", ...structuredClone(named(name)), protocol: "http" };
    await throughBaton(checker({ mode: "report" }))(request, response, () => seen.push([request.headers.host, request.protocol, request.baton?.fence]));
  }
  assert.deepEqual(seen, [["tickets.example.com", "https", 907], ["shop.internal:8000", "http", undefined]]);
});

test("a mounted router is checked by the whole address", async () => {
  const request = { ...structuredClone(named("an encoded slash")), method: "GET", originalUrl: named("an encoded slash").url, url: "/b" };
  let went = false;
  await throughBaton(checker())(request, { setHeader() {} }, () => { went = true; });
  assert.ok(went);
});
