// Origins that misbehave: down, slow, not speaking HTTP, redirecting in circles, setting Baton's cookies, sending broken headers.
// Whatever they do, somebody inside sees an answer or a clear page, and keeps the lease.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { eventually, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const PASS = "baton-onsale-pass";
const ROOM = { permits: 1, lease_idle_s: 600, pass_ttl_s: 60 };
const WELL = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/** An origin that writes exactly these bytes, whatever is asked, and ends the connection. */
async function rawOrigin(t, state) {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      if (state.bytes === null) return socket.destroy();
      return socket.end(Buffer.from(state.bytes, "latin1"));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

/** Somebody inside keeps the lease: the same fence is shown to the shop, and nobody else gets in. */
async function keepsLease(visitor) {
  const { headers, status } = await visitor.request("/buy/");
  assert.equal(status, 200);
  assert.notEqual(headers["baton-state"], "waiting");
}

const page = (answer, what) => {
  assert.equal(answer.status, 502, `${what}: ${answer.status} ${answer.body}`);
  assert.match(answer.body, /data-state="down"/, what);
  assert.equal(answer.headers["cache-control"], "private, no-store", what);
};

/** Bytes that are no answer: people see the page. */
const NONSENSE = {
  "nothing at all": null,
  "an empty answer": "",
  "another protocol": "SSH-2.0-OpenSSH_9.2\r\n",
  "half a head": "HTTP/1.1 200 OK\r\nContent-Le",
  "a status of letters": "HTTP/1.1 OK 200\r\n\r\n",
  "two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
  "a length of letters": "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok",
  "an upgrade that nobody asked for": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
};

test("an origin that answers nonsense: a page, and the lease is kept, also by who just came in", { timeout: 120_000 }, async (t) => {
  const state = { bytes: WELL };
  const world = await startWorld(t, { room: ROOM, origin: await rawOrigin(t, state) });
  for (const [what, bytes] of Object.entries(NONSENSE)) {
    const visitor = world.visitor();
    state.bytes = bytes;
    const first = await visitor.arrive("/buy/");
    page(first, what);
    assert.ok(setCookies(first)[PASS], `${what}: the pass comes with the page`);
    page(await visitor.request("/buy/", { headers: { accept: "text/html" } }), what);
    state.bytes = WELL;
    await keepsLease(visitor);
    await visitor.leave();
  }
});

/** Answers with something odd in them: they are answers all the same. */
const ODD = {
  "a command that is none": ["200 OK", "Baton-Release: perhaps\r\nBaton-Extend: -1\r\nBaton-Checked: no;\x01\r\nBaton-Stock: \xff"],
  "bytes that are no UTF-8": ["302 Found", "Location: /\xff\xfe\r\nX-Odd: \xe9"],
  "an address that is none": ["302 Found", "Location: http://[::1:\r\nRefresh: ;;url=\r\nContent-Location: //"],
  "no reason": ["200", "X-A: 1"],
  "a cookie without a name": ["200 OK", "Set-Cookie: =\r\nSet-Cookie: ;Domain=127.0.0.1\r\nSet-Cookie: a"],
  "a status beyond all": ["799 Odd", "Baton-Checked: ok"],
  "a status of success that nobody knows": ["299 Odd", "Baton-Checked: ok"],
  "no content, with a length": ["204 No Content", "Baton-Checked: ok\r\nContent-Length: 0"],
  "a cache's word": ["200 OK", 'Cache-Control: ,,="\r\nVary: *'],
};

test("an origin that sends broken headers: they are relayed or left out, and the lease is kept", { timeout: 120_000 }, async (t) => {
  const state = { bytes: WELL };
  const world = await startWorld(t, { room: ROOM, origin: await rawOrigin(t, state) });
  for (const [what, [status, headers]] of Object.entries(ODD)) {
    const visitor = world.visitor();
    const body = status.startsWith("204") ? "" : `${headers.includes("Content-Length") ? "" : "Content-Length: 2\r\n"}\r\nok`;
    state.bytes = `HTTP/1.1 ${status}\r\n${headers}\r\nConnection: close\r\n${body || "\r\n"}`;
    const first = await visitor.arrive("/buy/");
    assert.ok(first.status !== 500, `${what}: ${first.status} ${first.body}`);
    assert.ok(setCookies(first)[PASS], `${what}: the pass comes with ${first.status}`);
    const again = await visitor.request("/buy/", { headers: { accept: "text/html" } });
    assert.notEqual(again.status, 500, what);
    const ours = Object.keys(again.headers).filter((name) => name.startsWith("baton-"));
    assert.deepEqual(ours, [], what);
    state.bytes = WELL;
    await keepsLease(visitor);
    await visitor.leave();
  }
});

test("an answer that breaks off in the middle breaks off for the visitor too, and costs no lease", { timeout: 60_000 }, async (t) => {
  const state = { bytes: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this" };
  const world = await startWorld(t, { room: ROOM, origin: await rawOrigin(t, state) });
  const visitor = world.visitor();
  await assert.rejects(visitor.arrive("/buy/"), "whoever gets half must not take it for the whole");
  state.bytes = WELL;
  assert.equal((await visitor.arrive("/buy/")).status, 200);
});

test("an origin that is slow: the answer comes when it comes; who goes away meanwhile keeps the lease", { timeout: 60_000 }, async (t) => {
  const held = [];
  const origin = await startOrigin(t, (request, response) => (request.url === "/buy/slow" ? held.push(response) : response.end("ok")));
  const world = await startWorld(t, { room: ROOM, origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  const slow = visitor.request("/buy/slow");
  await eventually(() => held.length === 1, { what: "the slow request" });
  await keepsLease(visitor);
  held[0].end("late");
  assert.equal((await slow).body, "late");
  const left = http.get(`${world.baton.url}/buy/slow`, { headers: { cookie: visitor.jar.header() }, agent: false });
  left.on("error", () => {});
  await eventually(() => held.length === 2, { what: "the second" });
  left.destroy();
  await keepsLease(visitor);
  held[1].end();
});

test("an origin that does not begin to answer in time: a page and the lease; what is sent is waited for", { timeout: 60_000 }, async (t) => {
  const held = [];
  const origin = await startOrigin(t, (request, response) => {
    request.resume();
    if (request.url === "/buy/slow") return held.push(response);
    if (request.url !== "/buy/drip") return response.end("ok");
    // It begins in time and goes on until the test has seen the page.
    response.write("first ");
    return held.push(response);
  });
  const world = await startWorld(t, { room: ROOM, origin: origin.url, vars: { ORIGIN_TIMEOUT_S: 1 } });
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  const dripping = visitor.request("/buy/drip");
  const posted = visitor.request("/buy/slow", { method: "POST", body: "seats=1" });
  await eventually(() => held.length === 2, { what: "both under way" });
  page(await visitor.request("/buy/slow", { headers: { accept: "text/html" } }), "slow");
  assert.match(world.logs(), /"code":"origin_unreachable".*no answer within 1000 ms/);
  const program = await visitor.request("/open/../buy/slow", { headers: { accept: "application/json" } });
  assert.equal(program.json.error.code, "origin_unreachable");
  await keepsLease(visitor);
  for (const response of held) response.end("last");
  assert.deepEqual([(await dripping).body, (await posted).body], ["first last", "last"]);
});

/** Begins a POST of `length` bytes and sends one of them now and then. `answered`: what came back; `ended`: the connection has gone. */
function trickle(world, path, { length, cookie }) {
  const request = http.request(new URL(path, world.baton.url), {
    method: "POST",
    agent: false,
    headers: { cookie, accept: "text/html", "content-length": length },
  });
  const drip = setInterval(() => request.write("x"), 100);
  const answered = new Promise((resolve, reject) => {
    request.on("response", (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }));
    });
    request.on("error", reject);
  });
  return { answered: answered.finally(() => clearInterval(drip)), leave: () => request.destroy() };
}

test("an upload that never ends is ended: a page, the origin's connection is free, and the lease is kept", { timeout: 60_000 }, async (t) => {
  const ended = Promise.withResolvers();
  const origin = await startOrigin(t, (request, response) => {
    if (request.method === "GET") return response.end("ok");
    request.on("close", ended.resolve).on("error", () => {});
    return request.resume();
  });
  // Shorter than the upload: only a lease that is renewed meanwhile outlives it.
  const world = await startWorld(t, { room: { permits: 1, lease_idle_s: 3, pass_ttl_s: 2 }, origin: origin.url, vars: { ORIGIN_TIMEOUT_S: 1 } });
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  const fence = () => origin.requests.at(-1).headers["baton-fence"];
  const before = fence();
  const since = Date.now();
  const { answered } = trickle(world, "/buy/file", { length: 1_000_000, cookie: visitor.jar.header() });
  const other = world.visitor();
  page(await answered, "the upload");
  assert.ok(Date.now() - since >= 6_000, "it has six times the time of a page");
  await ended.promise;
  assert.match(world.logs(), /"code":"origin_unreachable".*no answer within 6000 ms/);
  assert.equal((await other.arrive("/buy/")).headers["baton-state"], "waiting", "the permit is still the first visitor's");
  await keepsLease(visitor);
  assert.equal(fence(), before, "the same lease");
});

test("an origin that redirects in circles: each step is the visitor's own, Baton follows none", { timeout: 60_000 }, async (t) => {
  let own;
  const origin = await startOrigin(t, (request, response) => {
    const to = { "/buy/a": `${own}/buy/b`, "/buy/b": "/buy/c", "/buy/c": `//${new URL(own).host}/buy/a` }[request.url];
    response.writeHead(to ? 307 : 200, to ? { location: to } : {}).end("ok");
  });
  own = origin.url;
  const world = await startWorld(t, { room: ROOM, origin: own });
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  const asked = origin.requests.length;
  let at = `${world.baton.url}/buy/a`;
  for (let step = 0; step < 9; step += 1) {
    const { status, headers } = await visitor.request(new URL(at).pathname, { method: "POST", body: "x" });
    assert.equal(status, 307);
    at = new URL(headers.location, at).href;
    assert.equal(new URL(at).host, new URL(world.baton.url).host, "never the origin's own address");
  }
  assert.equal(at, `${world.baton.url}/buy/a`);
  assert.equal(origin.requests.length - asked, 9, "one request each");
  await keepsLease(visitor);
});

test("an origin that sets Baton's cookies, or takes them away: they stay as they are", { timeout: 60_000 }, async (t) => {
  const origin = await startOrigin(t, (request, response) => {
    const names = ["baton-visitor", PASS, "baton-onsale-ticket", "BATON-onsale-pass"];
    const lines = names.flatMap((name) => [`${name}=; Max-Age=0; Path=/`, `${name}=stolen; Path=/`, `${name}=x; Domain=127.0.0.1`]);
    response.writeHead(200, { "set-cookie": [...lines, "theirs=1"], "clear-site-data": '"cache"' }).end(request.headers["baton-fence"]);
  });
  const world = await startWorld(t, { room: ROOM, origin: origin.url });
  const visitor = world.visitor();
  const { body: fence } = await visitor.arrive("/buy/");
  const own = [visitor.jar.get("baton-visitor"), visitor.jar.get("baton-onsale-ticket")];
  for (let time = 0; time < 3; time += 1) {
    const answer = await visitor.request("/buy/");
    assert.deepEqual(
      Object.keys(setCookies(answer)).filter((name) => !name.startsWith("baton-onsale-pass")),
      ["theirs"],
    );
    assert.equal(answer.body, fence);
    assert.match(visitor.jar.get(PASS), /^[\w-]{100,}$/, "a pass of Baton's");
  }
  assert.deepEqual([visitor.jar.get("baton-visitor"), visitor.jar.get("baton-onsale-ticket")], own);
  assert.equal((await raw(world.baton.port, "/open")).headers["set-cookie"].join(), "theirs=1");
});

test("c25_site_data: a shop that signs out by Clear-Site-Data ends its own session, and no place", { timeout: 60_000 }, async (t) => {
  const origin = await startOrigin(t, (request, response) => {
    const more = request.url === "/buy/out" ? { "set-cookie": ["session=again; Path=/", "flash=bye"], "cache-control": "public, max-age=60" } : {};
    response.writeHead(200, { "clear-site-data": '"*"', ...more }).end("bye");
  });
  const world = await startWorld(t, { room: { ...ROOM, permits: 1 }, origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  await visitor.arrive("/buy/");
  const own = visitor.jar.header();
  const types = '"cache", "clientHints", "executionContexts", "prefetchCache", "prerenderCache", "storage"';
  const expired = (...paths) => paths.map((path) => `session=; Max-Age=0; Path=${path}`);
  const leave = (path, cookie = `${own}; session=1`) => raw(world.baton.port, path, { headers: { cookie, accept: "text/html" } });
  const free = await leave("/account/out?x");
  assert.deepEqual(
    [free.headers["clear-site-data"], free.headers["set-cookie"]],
    [types, expired("/", "/account", "/account/", "/account/out")],
    "where no room gates",
  );
  const inside = await leave("/buy/out");
  assert.equal(inside.body, "bye");
  assert.deepEqual(
    inside.headers["set-cookie"],
    ["session=again; Path=/", "flash=bye", ...expired("/", "/buy", "/buy/", "/buy/out")],
    "behind the shop's own, which the header would have ended too",
  );
  assert.deepEqual([inside.headers["clear-site-data"], inside.headers["cache-control"]], [types, "private, no-store"]);
  const stranger = await leave("/account/out", "session=1");
  assert.deepEqual([stranger.headers["clear-site-data"], stranger.headers["set-cookie"]], ['"*"', undefined], "without a place it stays");
  assert.equal(world.logs().split("shop_clears_cookies").length - 1, 1, "one line an isolate");
  const through = await startWorld(t, { room: ROOM, origin: origin.url, vars: { CLEAR_SITE_DATA: "through" } });
  const other = through.visitor();
  await other.arrive("/buy/");
  const answer = await other.request("/account/out");
  assert.deepEqual([answer.headers["clear-site-data"], answer.headers["set-cookie"]], ['"*"', undefined]);
});
