// The visitor's own calls under /__baton/{room}/, and what else is under /__baton/.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import WebSocket from "ws";
import { eventually, raw, setCookies, startWorld } from "./support/world.mjs";

const VISITOR = "baton-visitor";
const TICKET = "baton-onsale-ticket";
const PASS = "baton-onsale-pass";
const FORM = { accept: "text/html,*/*;q=0.8", "content-type": "application/x-www-form-urlencoded" };

/** Every answer under /__baton/ is private; an error has its code. */
function assertOwn(answer, status, code) {
  assert.equal(answer.status, status, answer.body);
  assert.equal(answer.headers["cache-control"], "private, no-store");
  if (code) assert.equal(JSON.parse(answer.body).error.code, code);
}

/** A world whose only permit is taken. */
async function full(t, options = {}) {
  const world = await startWorld(t, { ...options, room: { permits: 1, ...options.room } });
  const holder = world.visitor();
  await holder.arrive();
  await holder.arrive();
  return { world, holder };
}

test("join needs the visitor's cookie, gives a number, and gives it again", async (t) => {
  const { world } = await full(t);
  const visitor = world.visitor();
  const refused = await visitor.join();
  assertOwn(refused, 403, "cookies_required");
  assert.deepEqual(Object.keys(setCookies(refused)), [VISITOR]);
  const joined = await visitor.join();
  assertOwn(joined, 201);
  assert.deepEqual([joined.json.state, joined.json.number, joined.json.room, joined.json.mode], ["waiting", 2, "onsale", "open"]);
  assert.deepEqual(Object.keys(setCookies(joined)), [TICKET]);
  const again = await visitor.join();
  assertOwn(again, 200);
  assert.deepEqual([again.json.number, again.headers["set-cookie"]], [2, undefined]);
  visitor.jar.delete(TICKET);
  const lost = await visitor.join();
  assert.deepEqual([lost.status, lost.json.number], [200, 2], "a lost ticket cookie costs no place");
  assert.ok(setCookies(lost)[TICKET]);
});

test("status: nobody is `none` and nobody is asked; a place; a poll that ends when something happens", async (t) => {
  const { world, holder } = await full(t);
  const visitor = world.visitor();
  const nobody = await visitor.status();
  assertOwn(nobody, 200);
  assert.deepEqual([nobody.json.state, nobody.json.room, nobody.json.number], ["none", "onsale", undefined]);
  assert.ok(setCookies(nobody)[VISITOR]);
  await visitor.join();
  assert.deepEqual([(await visitor.status()).json.number, (await visitor.status()).json.ahead], [2, 0]);
  const poll = visitor.status({ wait_s: 20 });
  const startedAt = Date.now();
  await holder.leave();
  const { json } = await poll;
  assert.equal(json.state, "called");
  assert.ok(json.claim_by_at_ms > Date.now());
  assert.ok(Date.now() - startedAt < 10_000, "long before its 20 s");
  assertOwn(await visitor.call("status?wait_s=-1"), 400, "bad_request");
  assertOwn(await visitor.call("status?wait_s=soon"), 400, "bad_request");
});

test("claim: 409 while waiting, then the lease, and the same one again; 410 when it is over", async (t) => {
  const { world, holder } = await full(t);
  const visitor = world.visitor();
  await visitor.join();
  await visitor.join();
  assertOwn(await visitor.claim(), 409, "not_called");
  await holder.leave();
  await eventually(async () => (await visitor.status()).json.state === "called");
  const claimed = await visitor.claim();
  assertOwn(claimed, 200);
  assert.equal(claimed.json.state, "admitted");
  assert.ok(claimed.json.ends_at_ms > Date.now());
  assert.ok(setCookies(claimed)[PASS]);
  const echo = async () => (await visitor.request("/buy/echo")).json.headers["baton-fence"];
  const fence = await echo();
  const again = await visitor.claim();
  assertOwn(again, 200);
  assert.equal(await echo(), fence);
  const ticket = visitor.cookie("ticket");
  await visitor.leave();
  visitor.jar.set(TICKET, ticket);
  assertOwn(await visitor.claim(), 410, "ticket_over");
  assert.equal(visitor.cookie("ticket"), undefined, "cleared");
});

test("leave gives up the place or the permit, for all tabs, as often as one likes", async (t) => {
  const { world, holder } = await full(t);
  const visitor = world.visitor();
  await visitor.join();
  await visitor.join();
  for (let i = 0; i < 2; i += 1) {
    const left = await visitor.leave();
    assert.deepEqual([left.status, left.body], [204, ""]);
  }
  assert.deepEqual(visitor.jar.names(), [VISITOR]);
  const anew = await visitor.join();
  assert.deepEqual([anew.status, anew.json.number], [201, 3]);
  const pass = holder.cookie("pass");
  await holder.leave();
  assert.deepEqual([holder.cookie("pass"), holder.cookie("ticket")], [undefined, undefined]);
  await eventually(async () => (await visitor.status()).json.state === "called", { what: "the permit that was given back" });
  assert.ok(pass);
  const stranger = await raw(world.baton.port, "/__baton/onsale/leave", { method: "POST", headers: { cookie: `${PASS}=x; ${TICKET}=y` } });
  assert.equal(stranger.status, 204);
  assert.deepEqual(Object.keys(setCookies(stranger)).sort(), [PASS, TICKET]);
});

test("c30_c36_another_visitors_ticket: it is no ticket", async (t) => {
  const { world } = await full(t);
  const [one, two] = [world.visitor(), world.visitor()];
  for (const visitor of [one, two]) {
    await visitor.join();
    await visitor.join();
  }
  const own = two.cookie("ticket");
  for (const bad of [one.cookie("ticket"), "x", `${own.slice(0, -2)}AA`]) {
    two.jar.set(TICKET, bad);
    const answer = await two.status();
    assertOwn(answer, 401, "bad_ticket");
    assert.equal(two.cookie("ticket"), undefined, "cleared, so that the next call works");
  }
  assert.equal((await two.status()).json.number, 3);
  const body = JSON.stringify({ number: 2, ticket: one.cookie("ticket") });
  const joined = await two.call("join", { method: "POST", body, headers: { "content-type": "application/json" } });
  assert.equal(joined.json.number, 3, "another's ticket in the body is not looked at");
});

test("c29_c35_another_site: it may not join, claim, leave or open a socket; what is no browser may", async (t) => {
  const { world } = await full(t);
  const visitor = world.visitor();
  await visitor.join();
  await visitor.join();
  const cookie = visitor.jar.header();
  const { port } = world.baton;
  for (const origin of ["https://evil.example", "null", `https://127.0.0.1:${port}`, "http://127.0.0.1:1"]) {
    for (const call of ["join", "claim", "leave"]) {
      assertOwn(await raw(port, `/__baton/onsale/${call}`, { method: "POST", headers: { cookie, origin } }), 403, "forbidden_origin");
    }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/__baton/onsale/socket`, { headers: { cookie, origin } });
    const [, response] = await once(socket, "unexpected-response");
    assert.equal(response.statusCode, 403);
    response.resume();
  }
  const hidden = await raw(port, "/__baton/onsale/leave", { method: "POST", headers: { cookie, "sec-fetch-site": "cross-site" } });
  assertOwn(hidden, 403, "forbidden_origin");
  assert.equal((await raw(port, "/__baton/onsale/join", { method: "POST", headers: { cookie } })).status, 200);
});

test("c31_c35_wrong_methods_and_names: 405 with Allow, 404, HEAD without a body", async (t) => {
  const world = await startWorld(t);
  const { port } = world.baton;
  for (const [path, method, allow] of [
    ["join", "GET", "POST"],
    ["leave", "GET", "POST"],
    ["claim", "PUT", "POST"],
    ["status", "POST", "GET"],
    ["socket", "PUT", "GET, POST"],
  ]) {
    const answer = await raw(port, `/__baton/onsale/${path}`, { method });
    assertOwn(answer, 405, "method_not_allowed");
    assert.equal(answer.headers.allow, allow);
  }
  const head = await raw(port, "/__baton/onsale/join", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [405, ""]);
  assertOwn(await raw(port, "/__baton/nowhere/status"), 404, "unknown_room");
  assertOwn(await raw(port, "/__baton/onsale/nothing"), 404, "not_found");
  assertOwn(await raw(port, "/__baton/"), 404, "not_found");
  assertOwn(await raw(port, "/__baton/onsale/socket"), 426, "upgrade_required");
  const health = await raw(port, "/__baton/health");
  assertOwn(health, 200);
  assert.deepEqual(JSON.parse(health.body), { status: "ok" });
});

test("c41_an_unset_token: there is no operator's route, by any method", async (t) => {
  const world = await startWorld(t);
  const { port } = world.baton;
  for (const path of ["/__baton/admin/", "/__baton/admin/rooms", "/__baton/admin/rooms/onsale", "/__baton/metrics"]) {
    for (const method of ["GET", "POST", "PATCH"]) assertOwn(await raw(port, path, { method }), 404, "not_found");
  }
});

test("the socket: without the cookie 403 and the cookie, with it 101, the ticket, a status at once", async (t) => {
  const { world, holder } = await full(t);
  const visitor = world.visitor();
  await assert.rejects(visitor.openSocket(), { status: 403, error: "cookies_required" });
  assert.ok(visitor.cookie("visitor"));
  const first = await visitor.openSocket();
  assert.deepEqual([first.state, first.number], ["waiting", 2]);
  assert.ok(visitor.cookie("ticket"), "it came with the 101");
  visitor.ping();
  await visitor.waitFor(({ history }) => history.some(({ kind }) => kind === "pong"));
  await holder.leave();
  await visitor.waitForState("called");
  const landed = await visitor.claimByLanding("/buy/echo");
  assert.equal(landed.json.headers["baton-ticket"], "2");
  visitor.closeSocket();
});

test("a socket that resumes takes no number", async (t) => {
  const { world } = await full(t);
  const visitor = world.visitor();
  await visitor.status();
  const url = `ws://127.0.0.1:${world.baton.port}/__baton/onsale/socket?resume=1`;
  const socket = new WebSocket(url, { headers: { cookie: visitor.jar.header(), origin: new URL(world.url).origin } });
  const [, response] = await Promise.race([
    once(socket, "message").then((message) => ["message", message]),
    once(socket, "unexpected-response").then(([, refused]) => ["refused", refused]),
  ]);
  if (response.resume) response.resume();
  socket.terminate();
  assert.equal((await visitor.status()).json.state, "none");
  const joined = await visitor.join();
  assert.deepEqual([joined.status, joined.json.number], [201, 2]);
});

test("without JavaScript the page's forms work: join leads back to the page, leave says goodbye", async (t) => {
  const { world, holder } = await full(t);
  const visitor = world.visitor();
  const origin = new URL(world.url).origin;
  const form = (call, referer) =>
    visitor.request(`/__baton/onsale/${call}`, { method: "POST", body: "", headers: { ...FORM, origin, ...(referer && { referer }) } });
  const stranger = await form("join", `${origin}/buy/seats?x=1`);
  assert.deepEqual([stranger.status, stranger.headers.location], [303, "/buy/seats?x=1"]);
  assert.ok(visitor.cookie("visitor"));
  for (const [referer, location] of [
    [`${origin}/buy/seats?x=1`, "/buy/seats?x=1"],
    [undefined, "/buy/"],
    [`${origin}/elsewhere`, "/buy/"],
    [`${origin}/__baton/onsale/leave`, "/buy/"],
    ["https://evil.example/buy/", "/buy/"],
    [`${origin}//evil.example/buy/x`, "/buy/"],
    [`${origin}//buy/x`, "/buy/"],
    ["nonsense", "/buy/"],
  ]) {
    const joined = await form("join", referer);
    assert.deepEqual([joined.status, joined.headers.location], [303, location], String(referer));
  }
  assert.ok(visitor.cookie("ticket"));
  const left = await form("leave", `${origin}/buy/`);
  assert.deepEqual([left.status, left.headers.location], [303, "/__baton/onsale/left"]);
  assert.deepEqual(visitor.jar.names(), [VISITOR]);
  await holder.leave();
  assert.equal((await world.visitor().arrive()).state, "shop", "nobody is in the line");
});

test("static files have a type, and hashed ones a year; through the worker as from the edge", async (t) => {
  const world = await startWorld(t, { room: { permits: 0 }, runtime: { door: false } });
  const page = await raw(world.baton.port, "/buy/", { headers: { accept: "text/html" } });
  const files = [...page.body.matchAll(/(?:src|href)="(\/__baton\/static\/[^"]+)"/g)].map(([, file]) => file);
  assert.ok(files.length >= 3, files.join());
  for (const file of files) {
    const answer = await raw(world.baton.port, file);
    assert.equal(answer.status, 200, file);
    assert.match(answer.headers["content-type"], file.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
    assert.match(answer.headers["cache-control"], /public, max-age=31536000, immutable/);
  }
  const keep = await raw(world.baton.port, "/__baton/static/keep.js", { headers: { cookie: "a=1" } });
  assert.deepEqual([keep.status, /javascript/.test(keep.headers["content-type"])], [200, true]);
  const head = await raw(world.baton.port, "/__baton/static/keep.js", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  assertOwn(await raw(world.baton.port, "/__baton/static/nothing.js"), 404, "not_found");
  assertOwn(await raw(world.baton.port, "/__baton/static/keep.js", { method: "POST" }), 405, "method_not_allowed");
});
