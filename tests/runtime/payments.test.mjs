// Payments as docs/payments.md has them: webhooks that give the permit back, returns from a bank, checkouts on another site.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { pass } from "./harness.mjs";
import { eventually, raw, startOrigin, startWorld } from "./support/world.mjs";

const PAGE = { accept: "text/html,*/*;q=0.8" };
const FORM = { ...PAGE, "content-type": "application/x-www-form-urlencoded" };
const FAR = "2099-01-01T00:00:00Z";
const sha256 = (token) => createHash("sha256").update(token).digest("hex");
const [HOOKS, OTHERS, OLD, READER, PERSON] = ["hooks", "others", "old", "reader", "person"].map((name) => `${name}-${"x".repeat(40)}`);
const OPERATORS = [
  { name: "hooks", role: "release", sha256: sha256(HOOKS), rooms: ["onsale"], ends_at: FAR },
  { name: "others", role: "release", sha256: sha256(OTHERS), rooms: ["other"], ends_at: FAR },
  { name: "old", role: "release", sha256: sha256(OLD), rooms: ["onsale"], ends_at: "2020-01-01T00:00:00Z" },
  { name: "reader", role: "view", sha256: sha256(READER) },
  { name: "person", role: "operate", sha256: sha256(PERSON) },
];

/** A shop that remembers which order was made with which fence, and hears its gateway. */
async function paying(t, room = {}) {
  const orders = new Map();
  const reached = [];
  const shop = await startOrigin(t, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url, "http://shop");
    reached.push({ method: request.method, pathname, body, fence: request.headers["baton-fence"] });
    if (pathname === "/buy/pay") {
      orders.set(searchParams.get("order"), Number(request.headers["baton-fence"]));
      if (searchParams.has("hosted")) response.setHeader("Baton-Extend", "60");
      response.setHeader("Location", "https://gateway.example/checkout");
      response.statusCode = 303;
    }
    response.end("thanks");
  });
  const rooms = {
    onsale: { paths: ["/buy/*"], bypass_paths: ["POST /buy/webhook", "POST /buy/3ds"], permits: 1, tick_ms: 50, linger_s: 60, ...room },
    other: { paths: ["/other/*"], permits: 1, tick_ms: 50 },
  };
  const world = await startWorld(t, { origin: shop.url, rooms, vars: { OPERATORS } });
  const release = (fence, { token = HOOKS, name = "onsale" } = {}) =>
    raw(world.baton.port, `/__baton/admin/rooms/${name}/leases/${fence}/release`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  return { ...world, orders, reached, release };
}

const codeOf = ({ status, body }) => (body ? [status, JSON.parse(body).error.code] : [status]);

test("a gateway's webhook comes without a pass, and its shop gives the permit back by the fence, once and again", async (t) => {
  const world = await paying(t);
  const buyer = world.visitor();
  assert.equal((await buyer.arrive()).state, "shop");
  await buyer.request("/buy/pay?order=7");
  const next = world.visitor();
  assert.equal((await next.arrive()).state, "waiting");
  await next.openSocket();
  // The buyer's phone is off. The gateway tells the shop.
  const hook = await raw(world.baton.port, "/buy/webhook", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"order":"7","paid":true}',
  });
  assert.equal(hook.status, 200);
  assert.deepEqual(world.reached.at(-1), { method: "POST", pathname: "/buy/webhook", body: '{"order":"7","paid":true}', fence: undefined });
  const fence = world.orders.get("7");
  assert.deepEqual(codeOf(await world.release(fence)), [204]);
  await eventually(() => next.state === "called", { what: "the next in line is called" });
  assert.equal((await next.arrive()).state, "shop");
  assert.deepEqual(codeOf(await world.release(fence)), [204], "gateways tell twice");
  assert.equal((await next.status()).json.state, "admitted", "and it is nobody else's end");
  assert.equal((await buyer.status()).json.state, "over");
  for (const [method, path] of [
    ["GET", "/buy/webhook"],
    ["POST", "/buy/webhook/x"],
    ["PUT", "/buy/webhook"],
  ]) {
    assert.equal((await raw(world.baton.port, path, { method })).status, 429, `${method} ${path} is gated`);
  }
});

test("c137_a_machines_token: another room's, an old one, a reader's, and whatever it was not made for", async (t) => {
  const world = await paying(t);
  const buyer = world.visitor();
  await buyer.arrive();
  await buyer.request("/buy/pay?order=1");
  const fence = world.orders.get("1");
  assert.deepEqual(codeOf(await world.release(fence, { token: OTHERS })), [403, "forbidden"], "another room's");
  assert.deepEqual(codeOf(await world.release(fence, { token: OTHERS, name: "other" })), [404, "unknown_lease"], "a fence is one room's");
  assert.deepEqual(codeOf(await world.release(fence, { token: OLD })), [401, "unauthorized"], "its time is over");
  assert.deepEqual(codeOf(await world.release(fence, { token: READER })), [403, "forbidden"], "a reader releases nothing");
  assert.deepEqual(codeOf(await world.release(fence, { token: "x".repeat(40) })), [401, "unauthorized"]);
  assert.deepEqual(codeOf(await world.release(fence + 1)), [404, "unknown_lease"], "never given");
  assert.deepEqual(codeOf(await world.release(0)), [404, "unknown_lease"]);
  assert.deepEqual(codeOf(await world.release("x")), [400, "bad_request"]);
  const bearer = { authorization: `Bearer ${HOOKS}` };
  const room = "/__baton/admin/rooms/onsale";
  for (const [method, path, body] of [
    ["GET", room],
    ["GET", "/__baton/admin/rooms"],
    ["GET", "/__baton/metrics"],
    ["GET", `${room}/journal`],
    ["GET", "/__baton/admin/openapi.json"],
    ["PATCH", room, "{}"],
    ["POST", `${room}/tickets/1/release`],
    ["POST", `${room}/reset`, "{}"],
    ["POST", "/__baton/admin/session"],
  ]) {
    const answer = await raw(world.baton.port, path, { method, headers: bearer, body });
    assert.deepEqual(codeOf(answer), [403, "forbidden"], `${method} ${path}`);
    assert.equal(answer.headers["set-cookie"], undefined);
  }
  assert.equal((await buyer.status()).json.state, "admitted", "nothing of it ended the lease");
  assert.deepEqual(codeOf(await world.release(fence, { token: PERSON })), [204], "an operator may");
});

test("a return from 3-D Secure is another site's POST: the pass comes along, and where it does not the path is an exception", async (t) => {
  const world = await paying(t);
  const buyer = world.visitor();
  await buyer.arrive();
  const bank = { ...FORM, origin: "https://acs.bank.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  const cookie = `baton-onsale-pass=${buyer.cookie("pass")}`;
  const post = (path, headers) => raw(world.baton.port, path, { method: "POST", headers: { ...bank, ...headers }, body: "cres=abc" });
  const returned = await post("/buy/done", { cookie });
  assert.equal(returned.status, 200);
  assert.deepEqual([world.reached.at(-1).body, Number(world.reached.at(-1).fence) > 0], ["cres=abc", true]);
  const lost = await post("/buy/done", {});
  assert.equal(lost.status, 429, "a browser or an app that sends no cookie from there");
  assert.match(lost.body, /data-notice="not_submitted"/);
  const kept = await post("/buy/3ds", {});
  assert.deepEqual([kept.status, world.reached.at(-1).body, world.reached.at(-1).fence], [200, "cres=abc", undefined]);
});

test("a hosted checkout reaches past the visit's end: the step before asks for the time", async (t) => {
  const world = await paying(t, { permits: 2, lease_idle_s: 6, lease_max_s: 6, lease_extend_max_s: 600, pass_ttl_s: 1 });
  const [patient, hasty] = [world.visitor(), world.visitor()];
  for (const buyer of [patient, hasty]) assert.equal((await buyer.arrive()).state, "shop");
  // The times themselves are the story: choosing seats, then paying elsewhere.
  await pass(4_000);
  const sent = await patient.request("/buy/pay?order=1&hosted");
  assert.deepEqual([sent.status, sent.headers.location, sent.headers["baton-extend"]], [303, "https://gateway.example/checkout", undefined]);
  await hasty.request("/buy/pay?order=2");
  await pass(3_000);
  assert.equal((await patient.arrive("/buy/paid?order=1")).state, "shop");
  assert.equal(Number(world.reached.at(-1).fence), world.orders.get("1"), "by the same lease");
  const late = await hasty.request("/buy/paid?order=2", { headers: { accept: "application/json" } });
  assert.equal(late.status, 429, "without it the lease is over");
});
