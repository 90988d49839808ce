// Pages of apps in browsers: preflights, what they may read, and sockets that are opened with a token.

import assert from "node:assert/strict";
import { test } from "node:test";
import WebSocket from "ws";
import { App } from "../support/app.mjs";
import { pass } from "./harness.mjs";
import { eventually, raw, startOrigin, startWorld } from "./support/world.mjs";

const APP = "https://app.example.com";
const WRAPPED = "capacitor://localhost";
const ROOM = { permits: 1, linger_s: 60, app_origins: [APP, WRAPPED], paths: ["/buy/*", "POST /api/orders"] };
/** Other sites, and what looks nearly like the app. */
const STRANGERS = [
  "null",
  "https://evil.example",
  "https://app.example.com.evil.example",
  "https://app.example.com:444",
  "http://app.example.com",
  "HTTPS://APP.EXAMPLE.COM",
  `${APP}, https://evil.example`,
  `${APP}/`,
  "https://sub.app.example.com",
  "*",
  "",
];

async function appWorld(t, room = ROOM) {
  const origin = await startOrigin(t, (request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "https://of-the-shop.example");
    if (request.url.includes("release")) response.setHeader("Baton-Release", "1");
    response.end(JSON.stringify({ method: request.method, headers: request.headers }));
  });
  const world = await startWorld(t, { origin: origin.url, room });
  const page = (from = APP, more = {}) =>
    new App({ url: world.baton.url, headers: { origin: from, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, ...more });
  return { ...world, origin, page };
}

const preflight = (world, path, { from = APP, method = "POST", headers = "baton-credentials, content-type" } = {}) =>
  raw(world.baton.port, path, {
    method: "OPTIONS",
    headers: { origin: from, "access-control-request-method": method, "access-control-request-headers": headers, "sec-fetch-site": "cross-site" },
  });

test("a preflight of the app is answered exactly, here and at the gated paths, and reaches no origin", async (t) => {
  const world = await appWorld(t);
  for (const [path, method, methods] of [
    ["/__baton/onsale/enter", "POST", "POST"],
    ["/__baton/onsale/socket", "POST", "GET, POST"],
    ["/__baton/onsale/status?wait_s=5", "GET", "GET"],
    ["/buy/order", "PUT", "PUT"],
    ["/api/orders", "POST", "POST"],
  ]) {
    for (const from of [APP, WRAPPED]) {
      const { status, headers } = await preflight(world, path, { from, method });
      assert.deepEqual([status, headers["access-control-allow-origin"], headers["access-control-allow-methods"]], [204, from, methods], path);
      assert.equal(headers["access-control-allow-headers"], "baton-credentials, content-type");
      assert.equal(headers["access-control-allow-credentials"], undefined, "cookies never come along");
      assert.match(headers.vary, /\bOrigin\b/);
    }
  }
  assert.equal(world.origin.requests.length, 0);
  const ungated = await preflight(world, "/api/orders", { method: "GET" });
  assert.equal(ungated.status, 200, "what no room gates is the shop's to answer");
  assert.equal(ungated.headers["access-control-allow-origin"], "https://of-the-shop.example");
  const odd = await preflight(world, "/__baton/onsale/enter", { headers: 'x"<script>' });
  assert.deepEqual([odd.status, odd.headers["access-control-allow-headers"]], [204, undefined]);
});

test("a page of the app enters, reads its refusals and goes in", async (t) => {
  const world = await appWorld(t);
  const [first, next] = [world.page(), world.page(WRAPPED)];
  const fresh = await first.call("enter");
  assert.deepEqual([fresh.status, fresh.headers["access-control-allow-origin"]], [401, APP]);
  assert.match(fresh.headers["access-control-expose-headers"], /Baton-State, Retry-After, Baton-Credentials/);
  assert.equal((await first.enter()).json.in, true);
  assert.equal((await next.enter()).json.in, false);
  const refused = await next.send("POST", "/api/orders");
  assert.deepEqual([refused.status, refused.headers["access-control-allow-origin"]], [429, WRAPPED]);
  assert.match(refused.headers["access-control-expose-headers"], /Retry-After/);
  assert.match(refused.headers.vary, /\bOrigin\b/);
  const order = await first.send("POST", "/api/orders");
  assert.deepEqual(
    [order.status, order.headers["access-control-allow-origin"]],
    [200, "https://of-the-shop.example"],
    "the shop's answers keep the shop's own",
  );
  const done = await first.send("POST", "/api/orders?release");
  assert.match(done.headers["access-control-expose-headers"], /Baton-Credentials/, "but new credentials can be read");
  const unknown = await next.call("nothing");
  assert.deepEqual([unknown.status, unknown.headers["access-control-allow-origin"]], [404, WRAPPED]);
});

test("c134_other_origins: null, wildcards and what is nearly the app may call nothing and read nothing", async (t) => {
  const world = await appWorld(t);
  for (const from of STRANGERS) {
    const asked = await preflight(world, "/__baton/onsale/enter", { from });
    assert.deepEqual([asked.status, asked.headers["access-control-allow-origin"]], [405, undefined], from);
    for (const call of ["enter", "join", "socket"]) {
      const answer = await world.page(from, { credentials: "" }).call(call);
      assert.deepEqual([answer.status, answer.headers["access-control-allow-origin"]], [403, undefined], `${call} from ${from}`);
    }
    const gated = await world.page(from, { credentials: "" }).send("GET", "/buy/x");
    assert.deepEqual([gated.status, gated.headers["access-control-allow-origin"]], [429, undefined], from);
  }
  const other = await appWorld(t, { permits: 1 });
  assert.equal((await preflight(other, "/__baton/onsale/enter")).status, 405, "a room that names no app has none");
});

test("c135_an_app_with_cookies: calls of its pages are refused without credentials, whatever cookies come along", async (t) => {
  const world = await appWorld(t);
  const visitor = world.visitor();
  assert.equal((await visitor.arrive()).state, "shop");
  const cookie = visitor.jar.header();
  for (const call of ["leave", "join", "claim", "carry"]) {
    const answer = await world.page().call(call, "POST", { headers: { cookie } });
    assert.deepEqual([answer.status, answer.json.error.code], [403, "forbidden_origin"], call);
    const empty = await world.page(APP, { credentials: "" }).call(call, "POST", { headers: { cookie } });
    assert.ok(call === "leave" ? empty.status === 204 : empty.status === 401, `${call}: ${empty.status}`);
  }
  assert.equal((await visitor.status()).json.state, "admitted", "the cookies' place is untouched");
});

/** Opens a socket as a browser does; resolves to `{ socket, messages }`, or to the status of the refusal. */
function open(world, { protocols, from = APP, cookie }) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${world.baton.port}/__baton/onsale/socket`, protocols, {
      origin: from,
      headers: { ...(cookie && { cookie }) },
    });
    const messages = [];
    socket.on("message", (data, isBinary) => !isBinary && messages.push(JSON.parse(data)));
    socket.on("open", () => resolve({ socket, messages }));
    socket.on("unexpected-response", (_, { statusCode }) => resolve({ status: statusCode }));
    socket.on("error", reject);
  });
}

test("a page's socket opens with a token, tells the place and its call, and takes no number", async (t) => {
  const world = await appWorld(t);
  const [first, next] = [world.page(), world.page()];
  await first.enter();
  const { json: place } = await next.enter();
  const { json: knock, status } = await next.call("socket");
  assert.equal(status, 200);
  assert.ok(knock.expires_at_ms > Date.now() + 20_000 && knock.expires_at_ms <= Date.now() + 31_000);
  const { socket, messages } = await open(world, { protocols: knock.protocols });
  t.after(() => socket.terminate());
  assert.equal(socket.protocol, "baton.v1");
  await eventually(() => messages.length > 0, { what: "the first status" });
  assert.deepEqual([messages[0].state, messages[0].number], ["waiting", place.number]);
  await first.call("leave");
  await eventually(() => messages.some(({ state }) => state === "called"), { what: "the call" });
  assert.equal((await next.call("enter")).json.in, true);
  const stranger = world.page();
  await stranger.call("enter");
  const { json: empty } = await stranger.call("socket");
  const { socket: idle, messages: heard } = await open(world, { protocols: empty.protocols });
  t.after(() => idle.terminate());
  await eventually(() => heard.length > 0, { what: "its status" });
  assert.equal(heard[0].state, "none", "it took no number");
});

test("c136_a_token_among_protocols: over after 30 seconds, of one room, for the app's origins, and no credential", {
  timeout: 120_000,
}, async (t) => {
  const world = await appWorld(t);
  const app = world.page();
  await app.enter();
  const visitor = world.visitor();
  await visitor.arrive();
  const { json: knock } = await app.call("socket");
  const [protocol, token] = knock.protocols;
  const refused = async (options) => (await open(world, options)).status;
  assert.equal(await refused({ protocols: knock.protocols, from: "https://evil.example" }), 403);
  assert.equal(await refused({ protocols: [protocol] }), 403, "no token");
  assert.equal(await refused({ protocols: [protocol], cookie: visitor.jar.header() }), 403, "nor do cookies serve");
  assert.equal(await refused({ protocols: [protocol, `${token.slice(0, -2)}AA`] }), 401);
  assert.equal(await refused({ protocols: [protocol, `baton.token.${app.token("visitor")}`] }), 401, "another kind of token");
  const bare = token.replace("baton.token.", "");
  for (const name of ["visitor", "onsale-ticket", "onsale-pass"]) {
    const answer = await world.page(APP, { credentials: `${name}=${bare}` }).send("GET", "/buy/x");
    assert.equal(answer.status, 429, `as ${name}`);
  }
  const opened = await open(world, { protocols: knock.protocols });
  opened.socket.terminate();
  await pass(knock.expires_at_ms - Date.now() + 50);
  assert.equal(await refused({ protocols: knock.protocols }), 401, "half a minute later");
  const withCookies = await visitor.call("socket", { method: "POST" });
  assert.deepEqual([withCookies.status, withCookies.json.error.code], [401, "credentials_required"], "who keeps cookies needs none");
});
