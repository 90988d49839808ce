// Shares of an address and of a visitor, over HTTP. `CF-Connecting-IP` is sent by the tests: on Cloudflare no client can.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { coded } from "../support/logs.mjs";
import { eventually, raw, setCookies, startWorld } from "./support/world.mjs";

const from = (address) => ({ headers: { "cf-connecting-ip": address } });
const TOKEN = "operator-operator-operator-operator";
/** Each test sets the limit that it is about. */
const LINE = { permits: 0, crowd: 100_000, tickets_per_ip_max: 0, joins_per_ip_per_minute: 0, joins_per_visitor_per_minute: 0 };

/** How many of these got a number, and the answers of the others. */
async function joins(world, addresses) {
  const refused = [];
  let given = 0;
  for (const address of addresses) {
    const visitor = world.visitor(from(address));
    await visitor.status();
    const answer = await visitor.join();
    if (answer.status === 201) given += 1;
    else refused.push(answer);
  }
  return { given, refused };
}

const times = (count, address) => Array.from({ length: count }, () => address);

test("c98_tickets_per_ip_max: it holds over all ten lobbies, by /64, and IPv4 gets its multiple", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 2, ipv4_share: 3 } });
  const v6 = await joins(
    world,
    Array.from({ length: 8 }, (_, i) => `2001:db8:0:1::${i + 1}`),
  );
  assert.equal(v6.given, 2);
  for (const { status, error, headers } of v6.refused) {
    assert.deepEqual([status, error], [429, "too_many_requests"]);
    assert.ok(Number(headers["retry-after"]) > 0);
    assert.equal(headers["cache-control"], "private, no-store");
  }
  assert.equal((await joins(world, ["2001:db8:0:2::1"])).given, 1, "the next network");
  assert.equal((await joins(world, times(9, "203.0.113.7"))).given, 6);
});

test("c98_an_address_that_cannot_be_read: all who have one share the limits of one address, and the log says so", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 2, ipv4_share: 3 } });
  const odd = ["1.2.3.4:555", "1.2.3.4, 5.6.7.8", "[2001:db8::1]:555", "unknown"];
  const counted = await joins(world, [...odd, ...odd, ...odd]);
  assert.equal(counted.given, 6, "as one IPv4 address has");
  assert.ok(counted.refused.every(({ status }) => status === 429));
  assert.equal((await joins(world, ["203.0.113.7"])).given, 1, "whose address can be read has limits of their own");
  assert.equal((await joins(world, times(7, ""))).given, 7, "without an address there is no limit");
  await eventually(async () => coded(world.logs(), "address_unreadable").length > 0, { what: "a line" });
  assert.ok(!/1\.2\.3\.4|2001:db8/.test(world.logs()), "no address");
});

test("c98_cookies_carried_elsewhere: the joining address pays, in whichever lobby it is, wherever cookies were given", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 1, ipv4_share: 1 } });
  const carried = async (named, joining) => {
    const visitors = [];
    for (const address of named) visitors.push(world.visitor(from(address)));
    for (const visitor of visitors) await visitor.status();
    const answers = [];
    for (const [i, visitor] of visitors.entries()) {
      visitor.extraHeaders = from(joining[i]).headers;
      answers.push(await visitor.join());
    }
    return { visitors, answers, given: answers.map(({ status }) => status).toSorted() };
  };
  const [there, here] = [Array.from({ length: 8 }, (_, i) => `198.51.100.${i + 1}`), "203.0.113.7"];
  const collected = await carried(there, times(8, here));
  assert.deepEqual(collected.given, [201, ...times(7, 429)]);
  const spread = await carried(times(8, here), there);
  assert.deepEqual(spread.given, times(8, 201));
  const again = await spread.visitors[0].join();
  assert.deepEqual([again.status, again.body.number], [200, spread.answers[0].body.number], "a place is kept wherever its owner goes");
});

test("c98_networks: a /48 has its share over all lobbies, whichever of its /64s people join from", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 1, ipv4_share: 3 } });
  const { given } = await joins(
    world,
    Array.from({ length: 12 }, (_, i) => `2001:db8:7:${i + 1}00::1`),
  );
  assert.equal(given, 6, "twice an IPv4 address's");
  assert.equal((await joins(world, ["2001:db8:8::1"])).given, 1, "the next network");
});

test("c98_many_at_once: they are no way around it", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 5, ipv4_share: 1 } });
  const visitors = Array.from({ length: 60 }, () => world.visitor(from("203.0.113.7")));
  await Promise.all(visitors.map((visitor) => visitor.status()));
  const answers = await Promise.all(visitors.map((visitor) => visitor.join()));
  assert.equal(answers.filter(({ status }) => status === 201).length, 5);
});

test("the page says why, in the visitor's language, and a form without JavaScript leads back to it; a socket is refused", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 1, ipv4_share: 1 } });
  assert.equal((await joins(world, ["203.0.113.7"])).given, 1);
  for (const [language, words] of [
    ["en", /Too many people are in line over your internet connection/],
    ["ja", /すでに多くの方が並ばれています/],
  ]) {
    const visitor = world.visitor({ language, ...from("203.0.113.7") });
    await visitor.status();
    const page = await visitor.arrive();
    assert.deepEqual([page.status, page.state], [200, "waiting"]);
    assert.match(page.body, words);
    assert.equal(page.status_object.state, "none");
    const form = await visitor.call("join", {
      method: "POST",
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
    });
    assert.deepEqual([form.status, form.headers.location], [303, "/buy/"], "back to the page, which says so");
    await assert.rejects(visitor.openSocket(), { status: 429, error: "too_many_requests" });
  }
});

test("joins_per_visitor_per_minute: a cookie that takes number after number is slowed", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, joins_per_visitor_per_minute: 3 } });
  const visitor = world.visitor();
  await visitor.status();
  const statuses = [];
  for (let i = 0; i < 5; i += 1) {
    statuses.push((await visitor.join()).status);
    await visitor.leave();
  }
  assert.deepEqual(statuses, [201, 201, 201, 429, 429]);
});

test("c55_c100_walk_ins_per_ip_max: requests without cookies hold that many permits, whoever sends so many", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, permits: 50, crowd: 10_000, walk_ins_per_ip_max: 4, ipv4_share: 1 } });
  const visit = (address) => raw(world.baton.port, "/buy/", { headers: { accept: "text/html", "cf-connecting-ip": address } });
  const answers = await Promise.all(Array.from({ length: 30 }, () => visit("203.0.113.7")));
  const walkIns = () => answers.filter(({ headers }) => headers["baton-state"] !== "waiting").length;
  // Until the front has heard of the lobby, two ask it whether they can walk in, and the others get the page (gate/pace.rs).
  assert.ok(walkIns() >= 1 && walkIns() <= 4, `${walkIns()} of 30 at once`);
  for (let more = 0; more < 6; more++) answers.push(await visit("203.0.113.7"));
  assert.equal(walkIns(), 4);
  const waits = answers.filter(({ headers }) => headers["baton-state"] === "waiting");
  assert.ok(
    waits.every((answer) => setCookies(answer)["baton-visitor"]),
    "each gets a name, and goes in with it",
  );
  const other = await visit("198.51.100.1");
  assert.equal(other.headers["baton-state"], undefined, "others walk in");
  const visitor = world.visitor(from("203.0.113.7"));
  await visitor.status();
  assert.equal((await visitor.join()).status, 201, "with a cookie there is a number");
});

test("c190_walk_ins_per_ip_max_percent: with cookies too one address walks in to a share, is called to the rest in order, and the desk is told", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, permits: 40, walk_ins_per_ip_max_percent: 20 }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const comes = async (address) => {
    const visitor = world.visitor(from(address));
    const { state } = await visitor.arrive();
    if (state === "shop") await visitor.status();
    return { visitor, walkedIn: state === "shop" };
  };
  const came = [];
  for (const address of times(10, "203.0.113.7")) came.push(await comes(address));
  assert.deepEqual(
    came.map(({ walkedIn }) => walkedIn),
    [...times(8, true), false, false],
  );
  assert.ok((await comes("198.51.100.1")).walkedIn, "others walk in");
  for (const address of times(2, "203.0.113.7")) assert.ok(!(await comes(address)).walkedIn, "as many as before");
  for (const { visitor } of came.slice(8))
    await eventually(async () => (await visitor.arrive()).state === "shop", { what: "a call: no permit waits for an address" });
  const { body } = await world.raw("/__baton/admin/rooms", { headers: { authorization: `Bearer ${TOKEN}` } });
  const { inside, inside_of_one_address: ofOne } = JSON.parse(body).rooms[0].report;
  assert.deepEqual([inside, ofOne], [11, 10]);
  assert.doesNotMatch(body, /203\.0\.113/);
});

test("without CF-Connecting-IP every visitor stands alone, as `npm start` runs", async (t) => {
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 1, joins_per_ip_per_minute: 1, ipv4_share: 1 } });
  const visitors = Array.from({ length: 5 }, () => world.visitor());
  for (const visitor of visitors) {
    await visitor.status();
    assert.equal((await visitor.join()).status, 201);
  }
  const forged = world.visitor({ headers: { "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.7" } });
  await forged.status();
  assert.equal((await forged.join()).status, 201, "no other header counts");
});

test("c99_addresses: none is written anywhere, and none is in a log", async (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-limits-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const world = await startWorld(t, { room: { ...LINE, tickets_per_ip_max: 1, ipv4_share: 1 }, runtime: { dataDir } });
  const address = "203.0.113.77";
  await joins(world, times(3, address));
  await world.baton.kill();
  const needles = [Buffer.from(address), Buffer.from([203, 0, 113, 77])];
  for (const file of readdirSync(dataDir, { recursive: true }).filter((name) => name.includes("sqlite"))) {
    const bytes = readFileSync(path.join(dataDir, file));
    for (const needle of needles) assert.ok(!bytes.includes(needle), `${file} holds the address`);
  }
  assert.ok(!world.logs().includes(address));
});

const LIMITER = inRoot("tests", "runtime", "support", "limiter.js");

test("the platform's rate limit, where it is bound, is asked by a keyed name and refuses before any object is", async (t) => {
  const world = await startWorld(t, { room: LINE, vars: { LIMITER_MAX: "3" }, runtime: { wrapper: LIMITER } });
  const { given, refused } = await joins(world, times(5, "203.0.113.7"));
  assert.deepEqual(
    [given, refused.map(({ status, error }) => [status, error])],
    [
      3,
      [
        [429, "too_many_requests"],
        [429, "too_many_requests"],
      ],
    ],
  );
  assert.equal((await joins(world, ["198.51.100.1"])).given, 1);
  const keys = JSON.parse((await raw(world.baton.port, "/limiter-keys")).body);
  assert.equal(keys.length, 2);
  assert.ok(
    keys.every((key) => /^onsale\/[0-9a-f]{32}$/.test(key)),
    keys.join(),
  );
});

test("a rate limit that fails lets everybody through", async (t) => {
  const world = await startWorld(t, { room: LINE, vars: { LIMITER_MAX: "0", LIMITER_FAILS: "1" }, runtime: { wrapper: LIMITER } });
  assert.equal((await joins(world, times(3, "203.0.113.7"))).given, 3);
});

test("c117_the_limits_that_are_on_by_default: a thousand joins of one address are a handful of tickets, and others get theirs", {
  timeout: 120_000,
}, async (t) => {
  const world = await startWorld(t, { room: { permits: 0 } });
  const thousand = (address) =>
    joins(
      world,
      Array.from({ length: 1_000 }, () => address),
    );
  const { given: ofNetwork } = await thousand("2001:db8:0:7::1");
  assert.ok(ofNetwork >= 5 && ofNetwork <= 9, `${ofNetwork} of an IPv6 network: five, and one each ten seconds`);
  const { given } = await thousand("203.0.113.7");
  assert.ok(given >= 12 && given <= 60, `${given} of an IPv4 address: twelve, and two a second`);
  assert.equal((await joins(world, ["198.51.100.1", "2001:db8:0:8::1"])).given, 2, "neighbours elsewhere");
});
