// The house on the real runtime: rooms that come, change and go without a deploy. The stories say what fronts, rooms and lobbies make
// of a definition, what is refused and why, and what becomes of visitors while the house is away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { BOUND_MS, housed, isShop, ROOM } from "./support/housed.mjs";
import { eventually } from "./support/world.mjs";

// Long because it is the one story of a room from its definition to its release.
test("a room is defined, gates within the bound, is changed while people wait, and goes", async (t) => {
  const { house, guest, baton } = await housed(t);
  const early = guest("/buy/1");
  assert.ok(await isShop(early), "nobody gates it yet");
  const first = await house.put("shows", ROOM);
  assert.equal(first.etag, '"1"');
  assert.deepEqual(first.json.rooms.shows, { definition: ROOM, state: "open", generation: 1, since: 1 });

  const inside = guest("/buy/1");
  assert.equal((await inside.arrive()).number, 1, "it walks in");
  const waiter = guest("/buy/2");
  await eventually(async () => (await waiter.arrive()).state === "waiting", { what: "a second visitor who waits", timeoutMs: BOUND_MS });
  await waiter.openSocket();
  await eventually(
    async () => {
      const { permits, waiting, inside: within } = await house.report("shows");
      return permits === 1 && waiting === 1 && within === 1;
    },
    { what: "one inside and one in line" },
  );

  // The definition changes: the one in line is called, by a room that nobody has asked anything since.
  await house.put("shows", { ...ROOM, permits: 2 });
  await waiter.waitForState("called");
  assert.equal((await house.report("shows")).permits, 2);

  // What decides of which objects it is made does not change while somebody has a place.
  const moved = await house.call("house/rooms/shows", { method: "PUT", body: { ...ROOM, crowd: 200_000 } });
  assert.equal(moved.status, 409);
  assert.match(moved.text, /shows cannot change crowd while 2 people have a place/);

  const link = () => house.call("rooms/shows/staff", { method: "POST", body: { name: "mika", hours: 8 } });
  const made = await link();
  assert.equal(made.status, 201, made.text);
  const staff = guest("/buy/1");
  await staff.request(`/buy/1?baton_entry=${made.json.token}`, { headers: { accept: "text/html" } });

  const open = await house.call("house/rooms/shows", { method: "DELETE" });
  assert.equal(open.status, 409);
  assert.match(open.text, /not closed/);
  await house.patch("shows", { mode: "closed" });
  const living = await house.call("house/rooms/shows", { method: "DELETE" });
  assert.equal(living.status, 409, living.text);
  assert.match(living.text, /2 people have a place/);
  const { etag } = await house.call("rooms/shows");
  assert.equal((await house.call("rooms/shows/reset", { method: "POST", headers: { "if-match": etag }, body: { room: "shows" } })).status, 200);
  await house.patch("shows", { mode: "closed" });
  assert.ok(await isShop(staff), "the staff go into a closed room");
  const gone = await house.call("house/rooms/shows", { method: "DELETE" });
  assert.equal(gone.status, 200, gone.text);
  assert.equal(gone.json.rooms.shows.state, "archived");

  // Its paths stay shut, and no live value opens it.
  const late = guest("/buy/3");
  assert.equal((await late.arrive()).state, "waiting");
  assert.match((await house.call("rooms/shows", { method: "PATCH", body: { mode: "open" } })).text, /archived/);
  await eventually(async () => !(await isShop(staff)), { what: "no way in for the staff", timeoutMs: BOUND_MS });
  assert.match((await link()).text, /a room that is over/);
  assert.match((await house.call("house/rooms/shows", { method: "PUT", body: ROOM })).text, /release its paths/);

  await house.call("house/rooms/shows/release", { method: "POST" });
  await eventually(() => isShop(late), { what: "the paths that are nobody's", timeoutMs: BOUND_MS });
  assert.deepEqual((await house.look()).json.released, { shows: 1 });

  // The name again is another room: nobody of before has anything in it.
  const again = await house.put("shows", ROOM);
  assert.equal(again.json.rooms.shows.generation, 2);
  await eventually(async () => (await house.report("shows")).next_number === 1, { what: "a room that begins anew" });
  assert.ok(await isShop(waiter), "with what it has of the room of before it is somebody new, and walks in");
  assert.equal((await house.report("shows")).next_number, 2);

  await baton.restart({ signal: "SIGKILL" });
  assert.equal((await house.look()).json.revision, 5, "all of it is in the journal");
});

test("a change that is wrong changes nothing and says what to do; somebody quicker is told of", async (t) => {
  const { house } = await housed(t, { vars: { GROUNDS: { paths: ["/buy/*"] } } });
  const wrong = [
    ["shows", { ...ROOM, permitz: 5 }, /rooms\.shows\.permitz.*permits/s],
    ["shows", { ...ROOM, paths: ["/other/*"] }, /outside the grounds of the house \(\/buy\/\*\)/],
    ["shows", { ...ROOM, generation: 3 }, /counts it up/],
    ["onsale", ROOM, /is a room of wrangler\.toml as well/],
    ["shows", { paths: ["/buy/*"] }, /permits.*missing/s],
  ];
  for (const [room, table, why] of wrong) {
    const answer = await house.call(`house/rooms/${room}`, { method: "PUT", body: table });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, why);
  }
  assert.equal((await house.look()).json.revision, 0);
  assert.equal((await house.call("house/rooms/No", { method: "PUT", body: ROOM })).status, 404);
  assert.equal((await house.call("house/rooms/none", { method: "DELETE" })).status, 404);

  const { etag } = await house.put("shows", ROOM);
  const twin = await house.call("house/rooms/twin", { method: "PUT", body: ROOM });
  assert.match(twin.text, /also gated by the room shows/);
  const quick = await house.call("house/rooms/shows", { method: "PUT", body: { ...ROOM, permits: 5 }, headers: { "if-match": '"0"' } });
  assert.equal(quick.status, 412);
  await house.put("shows", { ...ROOM, permits: 5 }, { headers: { "if-match": etag } });
  const same = await house.put("shows", { ...ROOM, permits: 5 });
  assert.equal(same.json.revision, 2, "what is so already is no change");
});

test("a plan says what would change and does nothing; an apply does it whole; an undo takes it back", async (t) => {
  const { house } = await housed(t);
  await house.put("shows", ROOM);
  const file = { rooms: { shows: { ...ROOM, permits: 7 }, hall: { paths: ["/hall/*"], permits: 3 } } };
  const plan = await house.call("house/plan", { method: "POST", body: file });
  assert.deepEqual(plan.json.problems, []);
  assert.deepEqual(
    plan.json.changes.map(({ room, does, keys }) => [room, does, keys.permits]),
    [
      ["hall", "create", { from: null, to: 3 }],
      ["shows", "change", { from: 1, to: 7 }],
    ],
  );
  assert.equal((await house.look()).json.revision, 1);

  const blind = await house.call("house/apply", { method: "POST", body: file });
  assert.equal(blind.status, 428);
  const half = await house.call("house/apply", {
    method: "POST",
    headers: { "if-match": plan.etag },
    body: { rooms: { ...file.rooms, bad: { permits: -1 } } },
  });
  assert.equal(half.status, 400);
  assert.equal((await house.look()).json.revision, 1, "nothing is half done");
  const done = await house.call("house/apply", { method: "POST", headers: { "if-match": plan.etag }, body: file });
  assert.equal(done.status, 200, done.text);
  assert.deepEqual(Object.keys(done.json.rooms), ["hall", "shows"]);
  assert.deepEqual(
    done.json.undo.map(({ room, does }) => [room, does]),
    [
      ["hall", "release"],
      ["shows", "change"],
    ],
  );

  await house.patch("hall", { mode: "closed" });
  const undone = await house.call("house/undo", { method: "POST", headers: { "if-match": done.etag } });
  assert.equal(undone.status, 200, undone.text);
  assert.deepEqual([Object.keys(undone.json.rooms), undone.json.rooms.shows.definition.permits], [["shows"], 1]);
  const journal = (await house.call("house/journal")).text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    journal.slice(1).map(({ version }) => version),
    [1, 2, 3],
  );
  assert.ok(!JSON.stringify(journal).includes("operator"), "who it was stands in the private half");
});

test("while the house is away the last table holds, and an isolate without one lets nobody through", async (t) => {
  const wrapper = inRoot("tests", "runtime", "support", "no_house.js");
  const { house, guest, baton } = await housed(t, { runtime: { wrapper } });
  await house.put("shows", ROOM);
  const inside = guest("/buy/1");
  await inside.arrive();
  await eventually(async () => (await guest("/buy/2").arrive()).state === "waiting", { what: "somebody who waits" });
  await fetch(new URL("/no-house/true", baton.url));
  const until = Date.now() + BOUND_MS + 1_000;
  await eventually(
    async () => {
      assert.equal((await guest("/buy/2").arrive()).state, "waiting", "what was gated stays gated");
      return Date.now() > until;
    },
    { what: "the bound", everyMs: 250, timeoutMs: 30_000 },
  );
  assert.ok(await isShop(inside), "whoever is inside stays inside");

  await baton.restart({ signal: "SIGKILL", vars: { HOUSE_AWAY: "1" } });
  for (const path of ["/buy/1", "/elsewhere"]) {
    const answer = await fetch(new URL(path, baton.url), { headers: { accept: "text/html", "sec-fetch-dest": "document" } });
    const text = await answer.text();
    assert.equal(answer.status, 503, text.slice(0, 200));
    assert.ok(answer.headers.has("retry-after"));
  }
  const file = await fetch(new URL("/file/", baton.url), { headers: { accept: "text/html", "sec-fetch-dest": "document" } });
  assert.equal(file.headers.get("baton-state"), "waiting", "a room of the file shows its own page");
});
