// Deaths on demand: a panic, a trap or an exhausted stack, at every place where Baton's own code runs. It costs at most
// one error answer or one closed socket; everybody else is served, nobody's number changes, the room goes on.
//
// One scene for all, the deaths one after the other: what an earlier one broke, a later one would show.

import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { eventually, scene, tellHowToReplay } from "./harness.mjs";
import { startOrigin } from "./support/world.mjs";

/**
 * How many errors visitors see together, [least, most]: exactly one where a visitor's own request is what dies; none
 * where Baton itself does it again. In a lobby it may be either: a release that the front delivers beside its answer is
 * a request too, and a socket may be closed when its owner needs it no longer.
 */
const PLACES = {
  "front.fetch": [1, 1],
  "front.straight": [1, 1],
  "front.resume": [1, 1],
  "room.fetch": [0, 1],
  "room.alarm": [0, 0],
  "room.write": [0, 1],
  "room.push": [0, 0],
  "lobby.fetch": [0, 1],
  "lobby.alarm": [0, 0],
  "lobby.message": [0, 1],
  "lobby.close": [0, 0],
  "lobby.call": [0, 1],
  "lobby.timer": [0, 1],
};
const KINDS = ["panic", "trap", "overflow"];
const VISITORS = 4;
/** Told on the socket that is open, or it counts as an error. The usher comes every 50 ms; a dead alarm comes again after 1 s. */
const CALLED_WITHIN_MS = 20_000;
/** A front that dies between the origin's answer and its own cannot release: then this gives the permit back. */
const LEASE_IDLE_S = 5;
const TITLE = "c43_c51_a_death_at_any_place: it costs at most one answer, and everybody is served";

/** Does it once more after an error answer or a closed socket, as a browser or a person would. Counts those. */
async function insist(errors, what, act) {
  for (let left = 4; ; left -= 1) {
    let seen;
    try {
      const answer = await act();
      if (![500, 503].includes(answer?.status)) return answer;
      seen = `${what}: ${answer.status}`;
    } catch (error) {
      seen = `${what}: ${error.message.slice(0, 100)}`;
    }
    errors.push(seen);
    assert.ok(left > 0, `errors do not end: ${errors.join("; ")}`);
  }
}

/** To the page, into the line, into the shop: reads and sockets only. */
async function comeIn(visitor, errors) {
  await insist(errors, "page", () => visitor.arrive());
  await insist(errors, "socket", () => visitor.openSocket());
  visitor.socket.send("{}");
  await insist(errors, "call", async () => {
    if (visitor.tab.closed || !visitor.socket) await visitor.openSocket();
    await visitor.waitForState(["called", "admitted"], CALLED_WITHIN_MS);
  });
  const landed = await insist(errors, "landing", () => visitor.claimByLanding());
  assert.equal(landed.state, "shop", `${visitor.name} landed: ${landed.status}`);
}

test(TITLE, { timeout: 300_000 }, async (t) => {
  const it = await scene({ faults: true, permits: 3, walk_in: false, tick_ms: 50, linger_s: 1, lease_idle_s: LEASE_IDLE_S });
  try {
    for (const [place, errors] of Object.entries(PLACES)) {
      for (const kind of KINDS) await t.test(`${place}: ${kind}`, () => die(it, place, kind, errors));
    }
    it.checkLaws();
    const { admitted_total: admitted } = it.shop.stats();
    assert.equal(admitted, VISITORS * KINDS.length * Object.keys(PLACES).length);
  } catch (error) {
    tellHowToReplay(TITLE, it.rt.logs());
    throw error;
  } finally {
    await it.stop();
  }
});

async function die(it, place, kind, [least, most]) {
  const errors = [];
  const visitors = Array.from({ length: VISITORS }, () => it.visitor());
  // What an earlier death makes workerd print at the next request is not this one's.
  await it.visitor().request("/");
  const from = it.rt.logs().length;
  const ordered = await fetch(`${it.rt.url}/__baton/fault/${place}/${kind}`);
  assert.equal(await ordered.text(), "ordered");
  const trips = visitors.map(async (visitor, i) => {
    await comeIn(visitor, errors);
    // The fourth waits for a permit of the others'.
    if (i > 0) visitor.closeSocket();
    if (i < 2) await insist(errors, "release", () => visitor.request("/buy/release"));
  });
  await Promise.all(trips);
  for (const visitor of visitors) {
    await insist(errors, "release", () => visitor.request("/buy/release"));
    // A front that dies loses what it wanted to release, and an open socket would keep that permit until `lease_max_s`.
    visitor.closeSocket();
  }
  // A lobby's alarm rings when the first of them has lingered out, at the latest.
  await eventually(() => coded(it.rt.logs().slice(from), "instance_died").length > 0, { what: `the death at ${place}` });
  assert.ok(errors.length >= least && errors.length <= most, `visitors saw ${errors.length} errors: ${errors.join("; ")}`);
}

const LOST = "a release whose delivery is hit by a death is delivered all the same";
test(LOST, { timeout: 60_000 }, async () => {
  const it = await scene({ faults: true });
  try {
    const holder = await it.holder();
    const [next] = await it.line(1);
    await fetch(`${it.rt.url}/__baton/fault/room.fetch/panic`);
    assert.equal((await holder.request("/buy/release")).status, 200);
    await next.waitForState("called", 8_000);
  } finally {
    await it.stop();
  }
});

const STRAIGHT =
  "a death when a straight answer comes back costs that one: what else is at the origin is asked again if it only looks, and else waited for";
test(STRAIGHT, { timeout: 120_000 }, async (t) => {
  const held = [];
  const origin = await startOrigin(t, (request, response) => (request.url.includes("held") ? held.push({ request, response }) : response.end("in")));
  const it = await scene({ faults: true, lease_idle_s: 600, lease_max_s: 1_200, pass_ttl_s: 600, vars: { ORIGIN: origin.url } });
  try {
    const holder = await it.holder();
    for (const kind of KINDS) {
      const looked = holder.request("/buy/held");
      const posted = holder.request("/buy/held", { method: "POST", body: "x" });
      const preflight = holder.request("/buy/held", { method: "OPTIONS", headers: PREFLIGHT });
      const outside = holder.request("/held", { method: "PUT", body: "x" });
      await eventually(() => held.length === 4, { what: "all at the origin" });
      await fetch(`${it.rt.url}/__baton/fault/front.back/${kind}`);
      assert.equal((await holder.request("/buy/")).status, 500, kind);
      await eventually(() => held.length === 5, { what: "the look comes again" });
      for (const { request, response } of held.splice(0)) response.end(`done ${request.method}`);
      assert.deepEqual([(await looked).status, (await posted).status, (await outside).status], [200, 200, 200], kind);
      assert.deepEqual([(await posted).body, (await outside).body], ["done POST", "done PUT"], kind);
      const unsaid = await preflight;
      assert.deepEqual([unsaid.status, unsaid.body.includes("done")], [503, false], "nobody is shown a page for a preflight");
      assert.equal((await holder.request("/buy/")).status, 200, "and it goes on");
    }
    const asked = origin.requests.filter(({ url, method }) => url.includes("held") && method !== "GET");
    assert.equal(asked.length, 3 * KINDS.length, "nothing that may have been done was asked again");
  } finally {
    await it.stop();
  }
});

const PREFLIGHT = { origin: "https://elsewhere.example", "access-control-request-method": "POST" };
const ORDER =
  "an order whose own handler dies after the shop has answered: the buyer sees the answer, the shop sees one order, and the permit goes on";
/** Where a request with a fresh pass passes on its way back, and where one of a strict room does: that one waits for the room on its way there. */
const WAYS = { "front.back": {}, "front.fetch": { strict: "all" } };
for (const [place, settings] of Object.entries(WAYS))
  test(`${ORDER}: ${place}`, { timeout: 120_000 }, async (t) => {
    const held = [];
    const origin = await startOrigin(t, (request, response) => (request.method === "POST" ? held.push(response) : response.end("in")));
    const it = await scene({ faults: true, lease_idle_s: 600, lease_max_s: 1_200, pass_ttl_s: 600, vars: { ORIGIN: origin.url }, ...settings });
    try {
      for (const kind of KINDS) {
        const holder = await it.holder();
        const [next] = await it.line(1);
        const posted = holder.request("/buy/order", { method: "POST", body: "x" });
        await eventually(() => held.length === 1, { what: "the order at the shop" });
        await fetch(`${it.rt.url}/__baton/fault/${place}/${kind}`);
        const headers = { location: `${origin.url}/buy/thanks`, "baton-release": "1", "set-cookie": "basket=empty; Path=/" };
        for (const response of held.splice(0)) response.writeHead(303, headers).end();
        const seen = await posted;
        assert.equal(seen.status, 303, kind);
        assert.equal(seen.headers.location, new URL("/buy/thanks", holder.url).href, "the visitors' address, and not the shop's own");
        assert.equal(seen.headers["baton-release"], undefined, "nothing that is for Baton");
        assert.ok(seen.headers["set-cookie"].some((line) => line.startsWith("basket=empty")));
        await next.waitForState("called", 8_000);
        assert.equal((await next.claimByLanding()).state, "shop");
        await next.call("leave", { method: "POST" });
      }
      assert.equal(origin.requests.filter(({ method }) => method === "POST").length, KINDS.length, "one order each");
    } finally {
      await it.stop();
    }
  });
