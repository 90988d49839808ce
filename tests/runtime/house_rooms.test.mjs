// Rooms of the house beside everything else that a room goes through: deploys that take their names or grounds, names that are used
// again, definitions that change under a crowd, rehearsals.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CookieJar } from "../support/visitor.mjs";
import { BOUND_MS, housed, isShop, ROOM } from "./support/housed.mjs";
import { eventually } from "./support/world.mjs";

/** Waits until the room gates: nobody new goes through. */
const gates = (guest, path) =>
  eventually(async () => (await guest(path).arrive()).state === "waiting", { what: `a gate at ${path}`, timeoutMs: BOUND_MS });

/** The room ends, with nobody in it. */
async function ends(house, room, { released = true } = {}) {
  await house.patch(room, { mode: "closed" });
  await eventually(async () => (await house.call(`house/rooms/${room}`, { method: "DELETE" })).status === 200, { what: "an empty room that may go" });
  if (released) assert.equal((await house.call(`house/rooms/${room}/release`, { method: "POST" })).status, 200);
}

test("a deploy that takes a house room's name leaves that room's paths shut", async (t) => {
  const { house, guest, baton, logs } = await housed(t);
  await house.put("shows", { ...ROOM, permits: 0 });
  await gates(guest, "/buy/1");
  const rooms = { onsale: { paths: ["/file/*"], permits: 1 }, shows: { paths: ["/other/*"], permits: 5 } };
  await baton.restart({ signal: "SIGTERM", vars: { ROOMS: rooms } });
  for (const at of [1, 2]) {
    const late = await guest("/buy/1").arrive();
    assert.notEqual(late.status, 302, at);
    assert.ok(late.state === "waiting" || late.status === 503, `/buy/ is shut: ${late.status} ${late.state}`);
    assert.ok(await isShop(guest("/other/1")), "the room of the file is one");
  }
  assert.match(logs(), /house_room_bad.*is a room of wrangler\.toml as well/);
  await baton.restart({ signal: "SIGTERM", vars: { ROOMS: { onsale: rooms.onsale } } });
  assert.equal((await house.report("shows")).permits, 0, "taken back, it is what it was");
});

test("a deploy that puts a room of the file where a house room is leaves nothing open", async (t) => {
  const { house, guest, baton } = await housed(t);
  await house.put("shows", { ...ROOM, permits: 0 });
  await gates(guest, "/buy/1");
  const other = { onsale: { paths: ["/file/*"], permits: 1 }, other: { paths: ["/buy/*"], permits: 0 } };
  await baton.restart({ signal: "SIGTERM", vars: { ROOMS: other } });
  for (const at of [1, 2]) assert.ok(!(await isShop(guest("/buy/1"))), `time ${at}: it is shut by one of the two`);
});

test("outside the grounds nobody asks the house: a deploy that narrows them ends the gate there", async (t) => {
  const { house, guest, baton } = await housed(t);
  await house.put("shows", { ...ROOM, permits: 0 });
  await gates(guest, "/buy/1");
  await baton.restart({ signal: "SIGTERM", vars: { GROUNDS: { paths: ["/events/*"] } } });
  assert.ok(await isShop(guest("/buy/1")), "as docs/house.md says");
  const late = await house.call("house/rooms/shows", { method: "PUT", body: { ...ROOM, permits: 5 } });
  assert.match(late.text, /outside the grounds of the house \(\/events\/\*\)/);
});

test("nothing of generation 1 opens anything in generation 2", async (t) => {
  const { house, guest } = await housed(t);
  const table = { ...ROOM, permits: 1, pass_ttl_s: 3_600, lease_idle_s: 3_600, lease_max_s: 3_600 };
  await house.put("shows", table);
  const inside = guest("/buy/1");
  await eventually(async () => (await inside.arrive()).number === 1, { what: "somebody who walked in", timeoutMs: BOUND_MS });
  await inside.arrive();
  assert.ok(inside.cookie("pass"), "it has a pass for an hour");
  const waiter = guest("/buy/2");
  await eventually(async () => (await waiter.arrive()).state === "waiting", { what: "somebody who waits" });
  await waiter.openSocket();
  const number = waiter.number;
  assert.equal(number, 2);
  const kept = [inside, waiter].map(({ jar }) => jar.header());
  assert.ok(kept.every((cookies) => /ticket|pass/.test(cookies)));
  await waiter.leave();
  await inside.leave();
  await ends(house, "shows");
  await house.put("shows", { ...table, permits: 0 });
  await gates(guest, "/buy/1");

  assert.equal((await house.report("shows")).next_number, 1, "nobody has a number of the new room");
  const again = kept.map((cookies) => {
    const jar = new CookieJar();
    jar.take(cookies.split("; "));
    const visitor = guest("/buy/1");
    visitor.jar = jar;
    return visitor;
  });
  const [pass, ticket] = again;
  assert.ok(!(await isShop(pass)), "the pass opens nothing");
  const old = await ticket.status();
  assert.deepEqual([old.status, old.error], [401, "bad_ticket"], "the ticket is none of this room");
  const heard = await ticket.openSocket().then(
    () => ticket.last.state,
    ({ status }) => status,
  );
  assert.ok(["none", "waiting", 401].includes(heard), `a socket is told of no old place: ${heard}`);
  await ticket.arrive();
  const { number: fresh } = (await ticket.join()).json;
  const { next_number: next, waiting, inside: within } = await house.report("shows");
  assert.ok(fresh < next && next <= 3, `a number of the new room: ${fresh} of ${next}`);
  assert.deepEqual([waiting, within], [next - 1, 0], "everybody waits as somebody new");
});

test("a definition that changes under a crowd takes nobody's place, and closes no socket and no poll", async (t) => {
  const { house, guest } = await housed(t);
  await house.put("shows", { ...ROOM, permits: 0, walk_in: false });
  await gates(guest, "/buy/1");
  const crowd = [];
  for (let at = 0; at < 6; at++) {
    const one = guest(`/buy/${at}`);
    await one.arrive();
    await one.openSocket();
    crowd.push(one);
  }
  const poller = guest("/buy/poll");
  await poller.arrive();
  await poller.join();
  assert.equal(poller.number, 7);
  const poll = poller.status({ wait_s: 20 });
  // Each is a new life of room and lobby: settings of the page, of the front, of the core.
  for (const change of [{ page_title: "Spring" }, { linger_s: 50 }, { grace_s: 1_800 }])
    await house.put("shows", { ...ROOM, permits: 0, walk_in: false, ...change });
  assert.equal((await house.report("shows")).waiting, 7);
  await house.put("shows", { ...ROOM, walk_in: false, permits: 7 });
  await Promise.all(crowd.map((one) => one.waitForState("called")));
  // A poll that was out goes on or is asked to come again at once; what it says then is the same place.
  let polled = await poll;
  if (polled.status === 503) {
    assert.ok(Number(polled.headers["retry-after"]) <= 5);
    polled = await poller.status({ wait_s: 20 });
  }
  assert.deepEqual([polled.status, polled.json.state, polled.json.number], [200, "called", 7], "the poll heard of it");
  assert.deepEqual(
    crowd.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6],
  );
  for (const one of crowd) {
    assert.equal(one.history.filter(({ kind }) => kind === "closed").length, 0, `${one.number}: its socket stayed`);
    assert.deepEqual(one.numbers(), [one.number]);
    assert.deepEqual(one.aheadRises(), []);
  }
});

test("a room of the house is rehearsed like any other", async (t) => {
  const { house, guest, url } = await housed(t);
  await house.put("shows", { ...ROOM, mode: "closed" });
  await gates(guest, "/buy/1");
  const begun = await house.call("rooms/shows/rehearsal", { method: "POST", headers: { origin: new URL(url).origin }, body: {} });
  assert.equal(begun.status, 201, begun.text);
  const { token } = JSON.parse(begun.text);
  const actor = guest("/buy/1");
  actor.extraHeaders = { "baton-rehearsal": token };
  await actor.arrive();
  await eventually(() => isShop(actor), { what: "an actor who comes in" });
  assert.equal((await guest("/buy/1").arrive()).state, "waiting", "the public sees a closed room");
  const stage = await house.call("rooms/shows/rehearsal");
  assert.equal(stage.json.report.inside, 1);
  assert.equal((await house.report("shows")).next_number, 1, "the room itself gave no number");
  assert.equal((await house.call("rooms/shows/rehearsal", { method: "DELETE", headers: { origin: new URL(url).origin } })).status, 204);
  assert.equal((await actor.arrive()).status, 403, "and the token is void");
});

test("an undo removes no room while somebody is in it", async (t) => {
  const { house, guest } = await housed(t);
  const { etag } = await house.put("shows", ROOM);
  const inside = guest("/buy/1");
  await eventually(async () => (await inside.arrive()).number === 1, { what: "somebody who walked in", timeoutMs: BOUND_MS });
  const undo = () => house.call("house/undo", { method: "POST", headers: { "if-match": etag } });
  const refused = await undo();
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /not closed/);
  await house.patch("shows", { mode: "closed" });
  assert.match((await undo()).text, /one person has a place|1 people have a place/);
  await inside.leave();
  await eventually(async () => (await undo()).status === 200, { what: "an empty room that may go" });
  assert.deepEqual((await house.look()).json.released, { shows: 1 });
});
