// What the table does not say: settings that are wrong, the log, proofs without a store, what a route sees.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Checker, MemoryStore, NoLease, extend, release, requireLease, stock } from "baton-kit";
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
  assert.deepEqual(
    [...extend(release(new Headers()), 300)],
    [
      ["baton-extend", "300"],
      ["baton-release", "1"],
    ],
  );
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

test("what reserves asks for a lease, unless the room lets everybody in", async () => {
  const visitWith = async (headers, mode = "enforce") =>
    (await checker({ mode }).check({ ...named("a look"), headers: { ...named("a look").headers, ...headers } })).visit;
  const inside = await visitWith({ "x-forwarded-for": "2001:db8::7, 10.0.0.1" });
  assert.deepEqual([inside.address, inside.mayReserve, inside.isEnforced], ["2001:db8::7", true, true]);
  assert.equal((await visitWith({})).address, null);
  for (const fine of [inside, { ...inside, mayReserve: true, fence: null }, null]) requireLease(fine);
  const farewell = { ...inside, fence: null, mayReserve: false };
  assert.throws(() => requireLease(farewell), NoLease);
  assert.throws(() => requireLease(undefined), TypeError);
  const said = [];
  requireLease({ ...farewell, isEnforced: (await visitWith({}, "report")).isEnforced }, (line) => said.push(line));
  assert.match(said.join(), /would refuse/);
});

test("who goes without a lease by the room's leave has its name and no number", async () => {
  const visits = Object.fromEntries(
    await Promise.all(
      ["a farewell has a room and no fence", "a path of no room"].map(async (name) => [name, (await checker().check(named(name))).visit]),
    ),
  );
  assert.deepEqual(
    Object.values(visits).map((visit) => visit.mayReserve),
    [false, false],
    JSON.stringify(visits),
  );
  const { "baton-ticket": ticket, ...headers } = named("a farewell has a room and no fence").headers;
  assert.ok(ticket);
  assert.equal((await checker().check({ ...named("a farewell has a room and no fence"), headers })).visit.mayReserve, true);
});

test("a health check comes without a proof, by its own path alone", async () => {
  const ours = checker({ health: ["/healthz"] });
  const ask = async (method, url, headers = {}) => (await ours.check({ method, url, headers })).refused;
  assert.deepEqual([await ask("GET", "/healthz"), await ask("HEAD", "/healthz?x")], [false, false]);
  assert.deepEqual(ours.said, []);
  for (const [method, url] of [
    ["POST", "/healthz"],
    ["GET", "/healthz/"],
    ["GET", "//healthz"],
    ["GET", "/%68ealthz"],
  ])
    assert.equal(await ask(method, url), true, url);
  assert.equal(await ask("GET", "/healthz", { "baton-proof": "v1" }), true);
  assert.throws(() => checker({ health: "/healthz" }), /healthz/);
});

test("a store that remembers nothing is named once", async () => {
  const ours = checker({ store: { take: () => true } });
  for (let i = 0; i < 2; i += 1) assert.equal((await ours.check(named("a look"))).checked, "ok");
  assert.equal(ours.said.length, 1);
  assert.match(ours.said[0], /remembers nothing/);
});

test("without a store a look may repeat and a change counts once", async () => {
  const ours = checker();
  const twice = async (one) => [(await ours.check(one)).checked, (await ours.check(one)).checked];
  assert.deepEqual(
    [await twice(named("a look")), await twice(named("a change"))],
    [
      ["ok", "ok"],
      ["ok", "no;replay"],
    ],
  );
});

test("a store that fails refuses, and says so", async () => {
  const ours = checker({
    store: {
      take: async () => {
        throw new Error("the store is away");
      },
    },
  });
  assert.equal((await ours.check(named("a look"))).checked, "no;replay");
  assert.match(ours.said[0], /the store is away/);
});

test("memory forgets what is over and refuses when full", (t) => {
  const max = MemoryStore.KEYS_MAX;
  t.after(() => {
    MemoryStore.KEYS_MAX = max;
  });
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
    await throughBaton(checker({ mode: "report" }))(request, response, () =>
      seen.push([request.headers.host, request.protocol, request.baton?.fence]),
    );
  }
  assert.deepEqual(seen, [
    ["tickets.example.com", "https", 907],
    ["shop.internal:8000", "http", undefined],
  ]);
});

test("a mounted router is checked by the whole address", async () => {
  const request = { ...structuredClone(named("an encoded slash")), method: "GET", originalUrl: named("an encoded slash").url, url: "/b" };
  let went = false;
  await throughBaton(checker())(request, { setHeader() {} }, () => {
    went = true;
  });
  assert.ok(went);
});
