// The front and lobbies that misbehave: full, hanging, throwing, talking nonsense. The front is real, the lobbies are
// scripted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, passTimes, raw, setCookies } from "./support/world.mjs";
import { startScripted, told } from "./support/scripted.mjs";

/** How long a request waits to hear of a mode by which it would pass. */
const ROOM_PATIENCE_MS = 2_000;

const waitingIn = (lobby, number) => told({ state: "waiting", number, ahead: 3, waiting: 9, issued: true, lobby });
const lease = (fence, more = {}) => ({ number: 7, edition: 1, fence, idle_in_ms: 60_000, hard_in_ms: 90_000, provisional: false, ...more });

/** A visitor with the cookie. */
async function known(world) {
  const visitor = world.visitor();
  await visitor.status();
  return visitor;
}

test("full lobbies are passed; number and cookie belong to the one that has room, and the next call goes there", async (t) => {
  const world = await startScripted(t, {
    room: { crowd: 100_000 },
    script: ({ lobby, ask }) => (ask.wish === "join" && lobby < world_home + 3 ? { told: told({ full: true }) } : { told: waitingIn(lobby, 12) }),
  });
  let world_home = 0;
  const visitor = await known(world);
  world_home = Infinity;
  await visitor.join();
  const first = world.calls[0].lobby;
  assert.deepEqual(
    world.calls.map(({ lobby }) => lobby - first),
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
    "at most 8 hops",
  );
  world_home = first;
  const joined = await visitor.join();
  assert.deepEqual([joined.status, joined.json.number], [201, 12]);
  await visitor.status();
  assert.equal(world.calls.at(-1).lobby, first + 3);
  assert.deepEqual(world.calls.at(-1).ask.shown, { edition: 1, number: 12, row: 1 });
  for (const _ of [1, 2, 3]) {
    const other = await known(world);
    await other.status();
    assert.ok(world.calls.at(-1).lobby < 10, "crowd 100,000: ten lobbies");
  }
});

test("a ticket is shown to the lobby that it names, and to none on the way from there", async (t) => {
  let full = false;
  const world = await startScripted(t, {
    script: ({ lobby }) => (full && lobby === 0 ? { told: told({ full: true }) } : { told: waitingIn(lobby, 12) }),
  });
  const visitor = await known(world);
  await visitor.join();
  full = true;
  const before = world.calls.length;
  await visitor.join();
  const shown = world.calls.slice(before).map(({ lobby, ask }) => [lobby, ask.shown?.number ?? null]);
  assert.deepEqual(shown, [
    [0, 12],
    [1, null],
  ]);
});

test("a socket hops too, and its ticket is the last lobby's", async (t) => {
  const world = await startScripted(t, {
    script: ({ lobby, path }) => {
      if (path !== "/socket") return { told: told() };
      return lobby === 0 ? { status: 503, told: told({ full: true }) } : { socket: true, told: waitingIn(lobby, 5) };
    },
  });
  const visitor = await known(world);
  const status = await visitor.openSocket();
  assert.equal(status.number, 5);
  const sockets = world.calls.filter(({ path }) => path === "/socket");
  assert.deepEqual(
    sockets.map(({ lobby, ask }) => [lobby, ask.wish]),
    [
      [0, "attend"],
      [1, "attend"],
    ],
  );
  await visitor.status();
  assert.deepEqual([world.calls.at(-1).lobby, world.calls.at(-1).ask.shown?.number], [1, 5]);
});

test("a place in another lobby is asked for there, and the cookie names that one", async (t) => {
  const world = await startScripted(t, {
    script: ({ lobby, path }) => {
      if (path === "/socket") return lobby === 7 ? { socket: true, told: waitingIn(7, 12) } : { status: 421, told: told({ at: 7 }) };
      return { told: lobby === 7 ? waitingIn(7, 12) : told({ at: 7 }) };
    },
  });
  const visitor = await known(world);
  assert.equal((await visitor.join()).json.number, 12);
  assert.deepEqual(
    world.calls.map(({ lobby, ask }) => [lobby, ask.shown]),
    [
      [0, null],
      [7, null],
    ],
  );
  await visitor.status();
  assert.deepEqual([world.calls.at(-1).lobby, world.calls.at(-1).ask.shown?.number], [7, 12]);
  const other = await known(world);
  assert.equal((await other.openSocket()).number, 12);
  assert.deepEqual(
    world.calls.slice(-2).map(({ lobby, path }) => [lobby, path]),
    [
      [0, "/socket"],
      [7, "/socket"],
    ],
  );
});

test("lobbies that send a visitor round and round: the way has an end", async (t) => {
  const world = await startScripted(t, { script: ({ lobby }) => ({ told: told({ at: lobby === 3 ? 4 : 3 }) }) });
  const visitor = await known(world);
  const { status, error } = await visitor.join();
  assert.deepEqual([status, error], [503, "room_unavailable"]);
  assert.deepEqual(
    world.calls.map(({ lobby }) => lobby),
    [0, 3, 4, 3],
  );
});

test('a lobby that says "try again" is asked once more, and then it counts as out of reach', async (t) => {
  let left = 1;
  const again = { status: 503, text: "", headers: { "Retry-After": "1" } };
  const world = await startScripted(t, { script: ({ lobby }) => (left-- > 0 ? again : { told: waitingIn(lobby, 3) }) });
  const visitor = await known(world);
  assert.equal((await visitor.join()).status, 201);
  assert.equal(world.calls.length, 2);
  left = Infinity;
  assert.deepEqual([(await visitor.join()).error, world.calls.length], ["room_unavailable", 4]);
});

test("c49_answers_that_cannot_be_read: a call that was never answered is made once more; an answer, however bad, is not", async (t) => {
  let order = {};
  const world = await startScripted(t, { script: (_call, count) => (count === 1 ? { throws: {} } : order) });
  const visitor = await known(world);
  order = { told: waitingIn(0, 1) };
  assert.equal((await visitor.join()).status, 201);
  assert.equal(world.calls.length, 2, "thrown, and again");
  for (const bad of [
    { status: 503, text: "away" },
    { text: "{" },
    { text: "" },
    { text: '"told"' },
    { text: "1" },
    { text: "1{" },
    { text: "2{}" },
    { status: 500, text: "{}" },
  ]) {
    order = bad;
    const before = world.calls.length;
    const { status, error } = await visitor.join();
    assert.deepEqual([status, error, world.calls.length - before], [503, "room_unavailable", 1], JSON.stringify(bad));
  }
});

test("a lobby that throws and throws, or hangs: the page says so, and nobody waits longer than 8 s", async (t) => {
  let order = { throws: {} };
  const world = await startScripted(t, { script: () => order });
  const visitor = await known(world);
  const thrown = await visitor.arrive();
  assert.deepEqual([thrown.status, thrown.state, world.calls.length], [200, "waiting", 2]);
  assert.match(thrown.body, /data-state="unreachable"/);
  order = new Promise(() => {});
  const startedAt = Date.now();
  const hung = await visitor.arrive();
  assert.match(hung.body, /data-state="unreachable"/);
  const tookMs = Date.now() - startedAt;
  assert.ok(tookMs > 7_500 && tookMs < 12_000, `${tookMs} ms`);
});

test("while no lobby answers, the page shows the number of the signed ticket", async (t) => {
  const inLane = 2 ** 49 + 5;
  const places = [
    [waitingIn(0, 12), "12", { number: 12, edition: 1 }],
    [waitingIn(0, inLane), "5", { number: inLane, edition: 1, lane: { name: "", title: "", number: 5 } }],
    [told({ state: "hall", entry: 3, edition: 1, issued: true }), "", {}],
  ];
  for (const [place, shown, told] of places) {
    let order = { told: place };
    const world = await startScripted(t, { script: () => order });
    const visitor = await known(world);
    await visitor.join();
    assert.ok(visitor.cookie("ticket"), shown);
    order = { throws: {} };
    for (const method of ["GET", "POST"]) {
      const page = await visitor.arrive(undefined, { method });
      assert.match(page.body, new RegExp(`data-state="unreachable"[^]*<p></p><p>${shown}</p>`), method);
      const { number, edition, lane } = page.status_object;
      assert.deepEqual(JSON.parse(JSON.stringify({ number, edition, lane })), told, method);
    }
    visitor.jar.clear();
    assert.match((await visitor.arrive()).body, /<p><\/p><p><\/p>/, "nobody else's");
  }
});

test("c52_an_overloaded_object: it is not asked again", async (t) => {
  const world = await startScripted(t, { script: () => ({ throws: { overloaded: true } }) });
  const visitor = await known(world);
  assert.equal((await visitor.join()).status, 503);
  assert.equal(world.calls.length, 1);
});

test("what is asked: an arrival walks in without the cookie, joins with it, and shows its number", async (t) => {
  const world = await startScripted(t, { script: () => ({ told: waitingIn(0, 4) }) });
  const visitor = world.visitor();
  await visitor.arrive();
  assert.deepEqual(world.calls[0].ask.wish, { arrive: { walk_in: true, join: false } });
  assert.equal(world.calls[0].ask.shown, null);
  visitor.jar.delete("baton-onsale-ticket");
  await visitor.arrive("/buy/", { method: "HEAD" });
  assert.equal(world.calls.length, 1, "HEAD goes nowhere");
  await visitor.arrive();
  assert.deepEqual(world.calls[1].ask.wish, { arrive: { walk_in: true, join: true } });
  assert.equal(world.calls[1].ask.visitor.length, 16);
  assert.deepEqual(world.calls[1].ask.visitor, world.calls[0].ask.visitor, "the name given at first");
  await visitor.arrive();
  assert.deepEqual(world.calls[2].ask.shown, { edition: 1, number: 4, row: 1 });
});

test("c55_a_flood_of_first_requests: while it is known to be vain it costs one call in 32 pages", async (t) => {
  const world = await startScripted(t, { room: { tick_ms: 60_000, claim_within_s: 60 }, script: () => ({ told: told({ no_walk_in: true }) }) });
  for (let i = 0; i < 50; i += 1) {
    const answer = await raw(world.port, "/buy/", { headers: { accept: "text/html" } });
    assert.equal(answer.headers["baton-state"], "waiting");
    assert.ok(setCookies(answer)["baton-visitor"]);
  }
  // Of each 32 pages one tells a lobby, for the pace of their sockets.
  assert.deepEqual(
    world.calls.map(({ path }) => path),
    ["/ask", "/origin"],
  );
});

test("a pass ends with its lease, however slow the lobby was: remaining time counts from before the question", async (t) => {
  const world = await startScripted(t, {
    room: { pass_ttl_s: 3600 },
    script: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { told: told({ state: "admitted", number: 7, lease: lease(3, { idle_in_ms: 1_200, hard_in_ms: 5_000 }) }) };
    },
  });
  const visitor = world.visitor();
  const before = Date.now();
  assert.equal((await visitor.arrive()).body, "in");
  const { freshUntil, leaseEnds, hardEnds } = passTimes(visitor.cookie("pass"));
  assert.ok(freshUntil <= before + 1_200 + 200, `${freshUntil - before} ms`);
  assert.equal(freshUntil, leaseEnds);
  assert.ok(hardEnds <= before + 5_000 + 200);
});

test("a renewal is asked for once at a time, and one that comes too late serves the next request", async (t) => {
  let answer;
  const renewals = [];
  const world = await startScripted(t, {
    room: { pass_ttl_s: 2 },
    script: ({ ask }) => {
      if (!ask.wish.renew) return { told: told({ state: "admitted", number: 7, lease: lease(3) }) };
      renewals.push(ask.wish.renew);
      return new Promise((resolve) => {
        answer = () => resolve({ told: told({ state: "admitted", number: 7, lease: lease(3) }) });
      });
    },
  });
  const visitor = world.visitor();
  await visitor.arrive();
  const old = visitor.cookie("pass");
  const due = passTimes(old).freshUntil - 900;
  await eventually(() => Date.now() >= due, { what: "half its life" });
  const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.arrive()));
  assert.ok(
    answers.every(({ body }) => body === "in"),
    "nobody waits for it",
  );
  assert.deepEqual(renewals, [3]);
  assert.equal(visitor.cookie("pass"), old);
  answer();
  const next = async () => setCookies(await visitor.arrive())["baton-onsale-pass"];
  await eventually(next, { what: "the renewed pass" });
  assert.deepEqual(renewals, [3]);
});

test("an extension is asked for once: a lobby that gave no answer may have added it", async (t) => {
  let order = { throws: {} };
  const world = await startScripted(t, {
    script: ({ ask }) => (ask?.wish.extend ? order : { told: told({ state: "admitted", number: 7, lease: lease(3) }) }),
    origin: (_request, response) => response.writeHead(200, { "baton-extend": "30" }).end("in"),
  });
  const visitor = world.visitor();
  for (const again of [order, { status: 503, text: "", headers: { "Retry-After": "1" } }]) {
    order = again;
    const before = world.calls.length;
    assert.equal((await visitor.arrive()).body, "in");
    assert.equal(world.calls.slice(before).filter(({ ask }) => ask?.wish.extend).length, 1, JSON.stringify(again));
  }
});

test("a release that gets lost is sent again", async (t) => {
  let failures = 2;
  let delivered;
  const done = new Promise((resolve) => {
    delivered = resolve;
  });
  const world = await startScripted(t, {
    script: ({ ask }) => {
      if (!ask.wish.release) return { told: told({ state: "admitted", number: 7, lease: lease(3) }) };
      if (failures > 0) {
        failures -= 1;
        return { status: 503, text: "away" };
      }
      delivered(ask);
      return { told: told({ state: "over", number: 7, reason: "released" }) };
    },
    origin: (_request, response) => response.writeHead(200, { "baton-release": "1" }).end("done"),
  });
  const answer = await world.visitor().arrive();
  assert.equal(answer.body, "done");
  assert.equal((await done).wish.release, 3);
});

test("the room's mode, changed while it runs, wins over the file's: bypass lets all in, its end shuts again", async (t) => {
  let mode = "bypass";
  const world = await startScripted(t, { script: () => ({ told: told({ mode, no_walk_in: true }) }) });
  const visitor = await known(world);
  assert.equal((await visitor.arrive()).body, "in");
  const script = await visitor.request("/buy/api", { method: "POST", body: "x", headers: { accept: "application/json" } });
  assert.deepEqual([script.status, script.body], [200, "in"]);
  mode = "open";
  await eventually(async () => (await visitor.arrive()).state === "waiting", { timeoutMs: 15_000, everyMs: 100, what: "the end of the bypass" });
});

test("c28_text_of_the_operators: it is text", async (t) => {
  const message = "</script><script>alert(1)</script>{{room}}\u2028&";
  const world = await startScripted(t, { script: () => ({ told: told({ state: "waiting", number: 1, message }) }) });
  const visitor = await known(world);
  const page = await visitor.arrive();
  assert.doesNotMatch(page.body, /<script>alert/);
  assert.equal(page.status_object.message, message);
});

test("rooms that let everybody pass and are silent delay nobody for long: who comes first waits, who comes next does not", async (t) => {
  const rooms = (mode) => Object.fromEntries(["buy", "a", "b", "c", "d"].map((name) => [name, { paths: [`/${name}/*`], permits: 1, mode }]));
  for (const [mode, path, headers] of [
    ["bypass", "/buy/", { accept: "application/json" }],
    ["observe", "/buy/", { accept: "application/json" }],
    ["observe", "/buy/", { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }],
    ["observe", "/", { accept: "application/json", script_name: "/buy" }],
  ]) {
    const answer = Promise.withResolvers();
    const { port } = await startScripted(t, { rooms: rooms(mode), script: () => answer.promise });
    const comesIn = async () => (await raw(port, path, { headers })).body;
    const begun = Date.now();
    assert.equal(await comesIn(), "in", mode);
    const waited = Date.now();
    for (let i = 0; i < 20; i += 1) assert.equal(await comesIn(), "in", mode);
    const [first, twenty] = [waited - begun, Date.now() - waited];
    assert.ok(twenty < first && first < 2 * ROOM_PATIENCE_MS, `${mode} ${path}: ${first} ms for the first, ${twenty} ms for twenty`);
    answer.resolve({ told: told({ mode: "paused" }) });
    if (path === "/buy/") await eventually(async () => (await comesIn()) !== "in", { what: "what the room says" });
  }
});
