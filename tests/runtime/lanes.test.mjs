// Lanes on the real runtime: members before everybody under both rules, a presale, a better token, a lane that nobody can forge, and one
// that an operator closes or wants to take out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../scripts/draw.mjs";
import { audited, journalOf } from "../support/audit.mjs";
import { claimsOf, entry, shopKeys } from "../support/entry.mjs";
import { judge } from "../support/openapi.mjs";
import { eventually, startWorld } from "./support/world.mjs";

const keys = shopKeys();
const ADMIN = "the operator's token of this test, long enough";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const MEMBERS = { name: "members", title: "Members" };
const EVERYBODY = { name: "everybody", title: "Everybody" };
const date = (inMs) => new Date(Date.now() + inMs).toISOString();

/** A room with lanes in which nobody walks in. `comes(sub, lane)`: somebody with a token for the lane, or without one, who has joined. */
async function begin(t, room = {}) {
  const vars = { ENTRY_KEYS: JSON.stringify([keys.shared, keys.public]), BATON_ADMIN_TOKEN: ADMIN };
  const settings = { entry: "optional", permits: 0, walk_in: false, linger_s: 60, tick_ms: 50, lanes: [MEMBERS, EVERYBODY], ...room };
  const world = await startWorld(t, { vars, room: settings });
  const host = `127.0.0.1:${world.baton.port}`;
  const link = (visitor, sub, lane) => {
    const text = entry(claimsOf(sub, host, lane && { lane }));
    return visitor.request(`/buy/?baton_entry=${text}`, { headers: PAGE });
  };
  const comes = async (sub, lane) => {
    const visitor = world.visitor();
    if (lane !== undefined) assert.equal((await link(visitor, sub, lane)).status, 303);
    await visitor.arrive();
    const joined = await visitor.join();
    return Object.assign(visitor, { joined });
  };
  const operate = async (method, path = "", body) => {
    const url = new URL(`/__baton/admin/rooms/onsale${path}`, world.baton.url);
    const answer = await fetch(url, { method, headers: { authorization: `Bearer ${ADMIN}` }, body: body && JSON.stringify(body) });
    return { status: answer.status, json: await answer.json() };
  };
  const set = async (values) => {
    const answer = await operate("PATCH", "", values);
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    return answer.json;
  };
  const audit = async () => audited(await journalOf({ url: world.baton.url, token: ADMIN }));
  return { ...world, link, comes, operate, set, audit };
}

const laneOf = ({ json }) => [json.lane?.name, json.lane?.number];
const statusOf = async (visitor) => (await visitor.status()).json;
const isCalled = async (visitor) => ["called", "admitted"].includes((await statusOf(visitor)).state);

/** The order in which these are called while one permit passes from each to the next. */
async function orderOf(visitors) {
  const order = [];
  const left = new Set(visitors);
  while (left.size > 0) {
    const next = await eventually(
      async () => {
        for (const visitor of left) if (await isCalled(visitor)) return visitor;
        return undefined;
      },
      { everyMs: 50, what: "somebody who is called" },
    );
    order.push(visitors.indexOf(next));
    left.delete(next);
    assert.equal((await next.leave()).status, 204);
  }
  return order;
}

test("strictly, members are called before everybody; who is behind them is told no wait, and why", async (t) => {
  const { comes, set } = await begin(t);
  const eve = await comes("eve");
  const dan = await comes("dan", null);
  const ann = await comes("ann", "members");
  const bob = await comes("bob", "members");
  assert.deepEqual(
    [eve, dan, ann, bob].map(({ joined }) => laneOf(joined)),
    [
      ["everybody", 1],
      ["everybody", 2],
      ["members", 1],
      ["members", 2],
    ],
  );
  assert.equal(new Set([eve, dan, ann, bob].map(({ joined }) => joined.json.number)).size, 4, "no number is two people's");
  const [behind, first] = [await statusOf(dan), await statusOf(bob)];
  assert.deepEqual([behind.behind, behind.ahead, behind.eta_max_s, first.behind, first.ahead], [true, 1, undefined, undefined, 1]);
  const page = await dan.request("/buy/", { headers: PAGE });
  assert.match(page.body, /data-behind="true"/);
  assert.match(page.body, /data-lane="Everybody"/);
  assert.match(page.body, /data-number="2"/);
  await set({ permits: 1 });
  assert.deepEqual(await orderOf([eve, dan, ann, bob]), [2, 3, 0, 1]);
});

test("by shares, each lane is called as often as its share in its turn", async (t) => {
  const { comes, set } = await begin(t, { lanes_rule: "shares", lanes: [{ ...MEMBERS, share: 2 }, EVERYBODY] });
  const waiting = [];
  for (const lane of [null, null, "members", "members", "members", "members"]) waiting.push(await comes(`sub-${waiting.length}`, lane));
  assert.equal((await statusOf(waiting[0])).behind, undefined);
  const { report } = await set({ permits: 1 });
  assert.deepEqual(
    [report.lanes_rule, report.lanes.map(({ name, waiting: count }) => [name, count])],
    [
      "shares",
      [
        ["members", 4],
        ["everybody", 2],
      ],
    ],
  );
  assert.deepEqual(await orderOf(waiting), [2, 3, 0, 4, 5, 1]);
});

test("a presale: members are in while everybody's lane waits for its own opening", async (t) => {
  const opens = date(3_600_000);
  const { comes, set } = await begin(t, { permits: 1, lanes: [MEMBERS, { ...EVERYBODY, opens_at: opens, hall_s: 7_200 }] });
  const eve = await comes("eve");
  const ann = await comes("ann", "members");
  const waits = await statusOf(eve);
  assert.deepEqual([waits.state, waits.opens_at_ms, waits.lane.title], ["hall", Date.parse(opens), "Everybody"]);
  await eventually(() => isCalled(ann), { what: "the member's call" });
  assert.equal((await statusOf(eve)).state, "hall");
  assert.equal((await ann.leave()).status, 204);
  await set({ lanes: [MEMBERS, { ...EVERYBODY, opens_at: date(-1_000), hall_s: 7_200 }] });
  await eventually(() => isCalled(eve), { what: "everybody's opening" });
});

test("each lane's draw is told beside the others', and can be done again", async (t) => {
  const opens = date(3_600_000);
  const { baton, comes, set, audit } = await begin(t, { lanes: [{ ...MEMBERS, opens_at: opens, hall_s: 7_200 }, EVERYBODY] });
  const api = judge(JSON.parse(await operateText(baton.url, "/__baton/admin/openapi.json")));
  const drawOf = async () =>
    api.check("/__baton/{room}/draw", "GET", await fetch(new URL("/__baton/onsale/draw", baton.url), { headers: { accept: "application/json" } }));
  const people = [];
  for (const sub of ["ann", "bob", "cid"]) people.push(await comes(sub, "members"));
  await comes("eve");
  const before = await drawOf();
  assert.deepEqual(
    before.lanes.map(({ name, title }) => [name, title]),
    [
      ["members", "Members"],
      ["everybody", "Everybody"],
    ],
  );
  assert.deepEqual([before.next, before.lanes[0].next.entries, before.lanes[1].next], [undefined, 3, undefined]);
  await set({ lanes: [{ ...MEMBERS, opens_at: date(-1_000), hall_s: 7_200 }, EVERYBODY] });
  const last = await eventually(async () => (await drawOf()).lanes[0].last, { everyMs: 250, what: "the draw" });
  assert.deepEqual([last.first_number, last.count, last.commitment], [1, 3, before.lanes[0].next.commitment]);
  const said = [];
  assert.ok(await check([String(baton.url), "onsale", "--lane", "members", "2"], (line) => said.push(line)), said.join("\n"));
  const number = Number(said.at(-1).match(/entry 2 got number (\d)$/)[1]);
  assert.equal((await statusOf(people[1])).lane.number, number);
  const { sound, text } = await audit();
  assert.ok(sound && /3 entries, 3 numbers drawn as was committed to/.test(text), text);
});

test("a better token moves a place when its holder joins, never by a look at a page; a worse one moves nothing", async (t) => {
  const { comes, link } = await begin(t);
  const ann = await comes("ann", "everybody");
  const bob = await comes("bob", "members");
  const before = await statusOf(ann);
  assert.equal((await link(ann, "ann", "members")).status, 303);
  const page = (await ann.arrive()).status_object;
  assert.deepEqual([page.number, page.lane.name, page.lane.better], [before.number, "everybody", true], "scanners open links too");
  const moved = await ann.join();
  assert.deepEqual([moved.status, ...laneOf(moved), moved.json.ahead], [200, "members", 2, 1]);
  assert.notEqual(moved.json.number, before.number);
  assert.equal((await statusOf(ann)).number, moved.json.number);
  assert.equal((await link(bob, "bob", "everybody")).status, 303);
  assert.deepEqual(laneOf(await bob.join()), ["members", 1]);
});

test("an app moves by its next call, and gets its place of its lane by one", async (t) => {
  const { baton, set } = await begin(t);
  const { App } = await import("../support/app.mjs");
  const host = `127.0.0.1:${baton.port}`;
  const token = (lane) => ({ headers: { "baton-entry": entry(claimsOf("ann", host, lane && { lane })) } });
  const app = new App({ url: baton.url });
  const first = await app.call("enter", "POST", token(null));
  assert.deepEqual([first.status, first.json.in, ...laneOf(first)], [200, false, "everybody", 1]);
  const moved = await app.call("enter", "POST", token("members"));
  assert.deepEqual([moved.status, moved.json.in, ...laneOf(moved)], [200, false, "members", 1]);
  const unknown = await new App({ url: baton.url }).call("enter", "POST", {
    headers: { "baton-entry": entry(claimsOf("bob", host, { lane: "golden" })) },
  });
  assert.deepEqual([unknown.status, unknown.json.reason], [403, "lane"]);
  await set({ permits: 1 });
  await eventually(async () => (await app.call("enter")).json.in, { what: "the way in" });
});

test("a lane that the room has not: refused where a token is required, everybody's where it is only welcome", async (t) => {
  const welcome = await begin(t);
  assert.deepEqual(laneOf((await welcome.comes("ann", "golden")).joined), ["everybody", 1]);
  const { comes, set } = await begin(t, { entry: "required" });
  const { joined } = await comes("bob", "golden");
  assert.deepEqual([joined.status, joined.json.reason], [403, "lane"]);
  await set({ lanes: [{ name: "golden" }, MEMBERS, EVERYBODY] });
  assert.deepEqual(laneOf((await comes("cat", "golden")).joined), ["golden", 1]);
});

test("a lane is closed and opened live; one with people in it is taken out by nobody", async (t) => {
  const { comes, operate, set } = await begin(t);
  const ann = await comes("ann", "members");
  const eve = await comes("eve");
  const out = await operate("PATCH", "", { lanes: [EVERYBODY] });
  assert.equal(out.status, 409);
  assert.match(out.json.error.message, /members.*1 /s);
  const closed = await set({ permits: 1, lanes: [{ ...MEMBERS, closes_at: date(-1_000) }, EVERYBODY] });
  assert.deepEqual(
    closed.report.lanes.map(({ name, mode }) => [name, mode]),
    [
      ["members", "closed"],
      ["everybody", "open"],
    ],
  );
  await eventually(() => isCalled(eve), { what: "the call past the closed lane" });
  assert.deepEqual([(await statusOf(ann)).state, (await statusOf(ann)).mode], ["waiting", "closed"]);
  const late = await comes("cat", "members");
  assert.equal(late.joined.json.state, "none", "nobody joins it");
  assert.equal((await eve.leave()).status, 204);
  assert.equal(await isCalled(ann), false);
  const metrics = await operateText(ann.url, "/__baton/metrics");
  assert.match(metrics, /baton_lane_waiting\{room="onsale",lane="members",state="present"\} 1\n/);
  assert.match(metrics, /baton_lane_open\{room="onsale",lane="members"\} 0\n/);
  await set({ lanes: [{ ...MEMBERS, opens_at: date(-1_000) }, EVERYBODY] });
  await eventually(() => isCalled(ann), { what: "the lane's call" });
  assert.equal((await ann.leave()).status, 204);
  assert.equal((await operate("PATCH", "", { lanes: [EVERYBODY] })).status, 200, "nobody is in it any more");
});

test("the audit finds a room with lanes sound: turns, a move, and who was called", async (t) => {
  const { comes, link, set, audit } = await begin(t, { lanes_rule: "shares", lanes: [{ ...MEMBERS, share: 2 }, EVERYBODY] });
  const waiting = [];
  for (const lane of [null, null, "members", "members", "members"]) waiting.push(await comes(`sub-${waiting.length}`, lane));
  await link(waiting[1], "sub-1", "members");
  await waiting[1].join();
  await set({ permits: 1 });
  await orderOf(waiting);
  const { sound, text } = await audit();
  assert.ok(sound && /1 tickets moved to a better lane/.test(text), text);
});

async function operateText(url, path) {
  return (await fetch(new URL(path, url), { headers: { authorization: `Bearer ${ADMIN}` } })).text();
}
