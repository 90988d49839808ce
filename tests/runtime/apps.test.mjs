// Clients without cookies: credentials in a header, both ways, and one call that does everything.

import assert from "node:assert/strict";
import { test } from "node:test";
import { App } from "../support/app.mjs";
import { eventually, startOrigin, startWorld } from "./support/world.mjs";

/** A shop that shows what reached it, and answers as the path says. */
async function echoWorld(t, options = {}) {
  const origin = await startOrigin(t, (request, response) => {
    if (request.url.includes("release")) response.setHeader("Baton-Release", "1");
    if (request.url.includes("public")) response.setHeader("Cache-Control", "public, max-age=60");
    response.setHeader("Set-Cookie", "theirs=1");
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }));
  });
  const world = await startWorld(t, { origin: origin.url, ...options });
  return { ...world, origin, app: (more = {}) => new App({ url: world.baton.url, ...more }) };
}

test("the first call gives credentials and asks no object, the second is in, and no cookie is set", async (t) => {
  const world = await echoWorld(t, { room: { permits: 1, linger_s: 60 } });
  const app = world.app();
  const first = await app.call("enter");
  assert.deepEqual([first.status, first.json.error.code], [401, "credentials_required"]);
  assert.match(first.json.credentials, /^visitor=[\w-]+$/);
  assert.equal(first.headers["baton-credentials"], first.json.credentials);
  assert.equal(first.headers["cache-control"], "private, no-store");
  const second = await app.call("enter");
  assert.deepEqual([second.status, second.json.in, second.json.state], [200, true, "admitted"]);
  assert.ok(app.token("onsale-pass") && app.token("onsale-ticket"));
  for (const { headers } of [first, second]) assert.equal(headers["set-cookie"], undefined);
  const order = await app.send("POST", "/buy/order", { headers: { authorization: "Bearer of the app" }, body: "x" });
  assert.equal(order.status, 200);
  const reached = JSON.parse(order.body);
  assert.equal(reached.headers.authorization, "Bearer of the app");
  assert.equal(reached.headers["baton-ticket"], "1");
  assert.equal(reached.headers["baton-credentials"], undefined, "they never reach the origin");
  assert.deepEqual(order.headers["set-cookie"], ["theirs=1"]);
  const again = await app.call("enter");
  assert.deepEqual([again.status, again.json.in, again.json.number], [200, true, second.json.number], "the same place");
});

test("who has to wait has a place, is called, and goes in by the same call", async (t) => {
  const world = await echoWorld(t, { room: { permits: 1, linger_s: 60 } });
  const [first, next] = [world.app(), world.app()];
  assert.equal((await first.enter()).json.in, true);
  const waits = await next.enter();
  assert.deepEqual([waits.status, waits.json.in, waits.json.state, waits.json.ahead], [200, false, "waiting", 0]);
  assert.equal(waits.headers["retry-after"], String(waits.json.poll_after_s));
  const refused = await next.send("GET", "/buy/order");
  assert.deepEqual([refused.status, refused.json.state, refused.json.enter], [429, "waiting", "/__baton/onsale/enter"]);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  assert.equal((await first.call("leave")).status, 204);
  assert.equal(first.token("onsale-pass") ?? first.token("onsale-ticket"), undefined, "what is over is not carried on");
  assert.ok(first.token("visitor"));
  const called = await eventually(
    async () => {
      const { json } = await next.call("status?wait_s=5", "GET");
      return json.state === "called" && json;
    },
    { what: "the call" },
  );
  assert.equal(called.credentials, next.credentials, "in JSON too");
  const inside = await next.call("enter");
  assert.deepEqual([inside.json.in, inside.json.state], [true, "admitted"]);
  assert.equal((await next.send("GET", "/buy/order")).status, 200);
});

test("where credentials are, cookies are ignored; where cookies are, no credentials are told", async (t) => {
  const world = await echoWorld(t, { room: { permits: 2, linger_s: 60 } });
  const visitor = world.visitor();
  assert.equal((await visitor.arrive()).state, "shop");
  const cookie = visitor.jar.header();
  const app = world.app({ credentials: "" });
  const nobody = await app.call("status", "GET", { headers: { cookie } });
  assert.equal(nobody.json.state, "none", "the cookies' place is not the app's");
  const shut = await world.app({ credentials: "" }).send("GET", "/buy/x", { headers: { cookie } });
  assert.equal(shut.status, 429, "nor is the pass");
  const page = await visitor.call("status", { method: "GET" });
  assert.equal(page.json.credentials, undefined);
  const enter = await world.app().call("enter", "POST", { headers: { cookie } });
  assert.equal(enter.status, 401, "a page of another site could do nothing with it");
  const mixed = await app.send("GET", "/buy/x", { headers: { cookie: "theirs=2; baton-visitor=x" } });
  assert.equal(mixed.headers["set-cookie"], undefined);
});

test("an answer of the origin that brings new credentials is kept by nobody, any other only by the app", async (t) => {
  const world = await echoWorld(t, { room: { permits: 1, linger_s: 60 } });
  const app = world.app();
  await app.enter();
  const kept = await app.send("GET", "/buy/public");
  assert.deepEqual([kept.headers["cache-control"], kept.headers["baton-credentials"]], ["private, max-age=60", undefined]);
  const released = await app.send("GET", "/buy/public/release");
  assert.equal(released.headers["cache-control"], "private, no-store");
  assert.ok(released.headers["baton-credentials"].includes("onsale-pass="), "a farewell");
  assert.equal((await app.send("GET", "/buy/thanks")).status, 200);
  assert.equal((await app.send("POST", "/buy/thanks")).status, 429);
});

test("c133_credentials_of_another_room_or_host_or_of_nobody: worth nothing, and never told back unread", async (t) => {
  const rooms = { onsale: { paths: ["/buy/*"], permits: 1, tick_ms: 50 }, other: { paths: ["/other/*"], permits: 0, tick_ms: 50 } };
  const world = await echoWorld(t, { rooms });
  const app = world.app();
  await app.enter();
  const pass = app.token("onsale-pass");
  const as = (credentials, path, headers = {}) => world.app({ credentials }).send("GET", path, { headers });
  assert.equal((await as(`onsale-pass=${pass}`, "/buy/x")).status, 200, "a pass alone opens");
  assert.equal((await as(`other-pass=${pass}`, "/other/x")).status, 429, "not another room");
  assert.equal((await as(`onsale-pass=${pass}`, "/buy/x", { host: `localhost:${world.baton.port}` })).status, 429, "not under another host");
  assert.equal((await as(`onsale-ticket=${pass}; visitor=${pass}`, "/buy/x")).status, 429, "nor as another kind");
  assert.equal((await as(`baton-onsale-pass=${pass}`, "/buy/x")).status, 429, "nor by a cookie's name");
  for (const odd of [
    "<script>",
    "visitor=<b>",
    'visitor=a"b',
    "x=1; __Host-baton-visitor=2",
    "onsale-pass=é",
    `visitor=${"a".repeat(9_000)}`,
    "=;=;;;",
  ]) {
    const answer = await as(Buffer.from(odd, "utf8").toString("latin1"), "/buy/x");
    assert.equal(answer.status, 429, odd);
    assert.match(answer.headers["baton-credentials"], /^[\w; =-]*$/);
    assert.doesNotMatch(answer.headers["baton-credentials"], /script|__Host|<b>|aaaa/, odd);
  }
  const two = world.app();
  await two.call("enter");
  const contradicting = await as(`visitor=${two.token("visitor")}; visitor=${app.token("visitor")}`, "/__baton/onsale/status");
  assert.equal(contradicting.json.state, "none", "of two visitors neither counts");
});
