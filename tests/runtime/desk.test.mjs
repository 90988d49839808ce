// The desk's door: the token is traded for a cookie, which stands for it here and nowhere else, and ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { cookieOf, startWorld } from "./support/world.mjs";

const TOKEN = "an operator's token that nobody guesses";
const ROOMS = "/__baton/admin/rooms";
const ROOM = `${ROOMS}/onsale`;
const DOOR = "/__baton/admin/session";

async function guarded(t, token = TOKEN, more = {}, runtime = {}) {
  const world = await startWorld(t, { room: { permits: 1 }, vars: { BATON_ADMIN_TOKEN: token, ...more }, runtime });
  const origin = new URL(world.url).origin;
  const call = (path, method = "GET", headers = {}, body) => fetch(origin + path, { method, headers, body });
  const signIn = async () => {
    const answer = await call(DOOR, "POST", {}, JSON.stringify({ token: TOKEN }));
    assert.equal(answer.status, 204, await answer.text());
    return cookieOf(answer.headers.get("set-cookie"));
  };
  return { ...world, origin, call, signIn };
}

test("the token, in the body or the header, gives a cookie that no script reads and that is not the token", async (t) => {
  const { call, signIn } = await guarded(t);
  const cookie = await signIn();
  assert.equal(cookie.name, "baton-admin");
  assert.deepEqual(cookie.attributes, ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Strict"]);
  for (const text of [cookie.value, Buffer.from(cookie.value, "base64url").toString("latin1")]) assert.ok(!text.includes(TOKEN));
  const byHeader = await call(DOOR, "POST", { authorization: `Bearer ${TOKEN}` });
  assert.equal(byHeader.status, 204);
  assert.equal(byHeader.headers.get("cache-control"), "private, no-store");
  for (const path of [ROOMS, ROOM, `${ROOM}/journal`, "/__baton/metrics"]) {
    const answer = await call(path, "GET", { cookie: `baton-admin=${cookie.value}` });
    assert.equal(answer.status, 200, path);
  }
});

test("the cookie is good at the host that gave it, and at no other", async (t) => {
  const { raw } = await guarded(t);
  const headers = { host: "tickets.example.com", authorization: `Bearer ${TOKEN}` };
  const answer = await raw(DOOR, { method: "POST", headers });
  assert.equal(answer.status, 204, answer.body);
  const cookie = cookieOf(answer.headers["set-cookie"][0]);
  const at = async (host) => (await raw(ROOMS, { headers: { host, cookie: `${cookie.name}=${cookie.value}; baton-admin=${cookie.value}` } })).status;
  assert.deepEqual([await at("tickets.example.com"), await at("127.0.0.1")], [200, 401]);
});

test("whatever is wrong gets the same 401; what is no token at all gets the cure", async (t) => {
  const { call, signIn } = await guarded(t);
  const { value } = await signIn();
  const bent = value.slice(0, -2) + (value.endsWith("AA") ? "BA" : "AA");
  const wrong = [
    [DOOR, "POST", {}, JSON.stringify({ token: "guess" })],
    [DOOR, "POST", {}, JSON.stringify({ token: "" })],
    [DOOR, "POST", {}, JSON.stringify({ token: `${TOKEN} ` })],
    [DOOR, "POST", { authorization: "Bearer guess" }],
    [DOOR, "POST", { authorization: `Basic ${TOKEN}` }],
    [ROOMS, "GET"],
    [ROOMS, "GET", { cookie: `baton-admin=${bent}` }],
    [ROOMS, "GET", { cookie: `baton-admin=${TOKEN}` }],
    [ROOMS, "GET", { cookie: "baton-admin=" }],
    // A wrong header isn't made good by a cookie.
    [ROOMS, "GET", { authorization: "Bearer guess", cookie: `baton-admin=${value}` }],
  ];
  const bodies = new Set();
  for (const request of wrong) {
    const answer = await call(...request);
    assert.equal(answer.status, 401, JSON.stringify(request));
    assert.equal(answer.headers.get("set-cookie"), null);
    bodies.add(await answer.text());
  }
  assert.equal(bodies.size, 1);
  for (const body of ["", "{", "[]", '{"token":5}', JSON.stringify({ token: "a".repeat(5_000) })]) {
    const answer = await call(DOOR, "POST", {}, body);
    assert.equal(answer.status, 400, body.slice(0, 20));
    assert.match((await answer.json()).error.message, /"token".*Bearer/);
  }
});

test("by the cookie things change from the desk's own origin only", async (t) => {
  const { call, signIn, origin } = await guarded(t);
  const cookie = `baton-admin=${(await signIn()).value}`;
  const patch = (headers) => call(ROOM, "PATCH", { cookie, ...headers }, '{"permits":7}');
  const foreign = [
    [{}, 401],
    [{ origin: "null" }, 401],
    [{ origin: "https://evil.example" }, 401],
    [{ origin, "sec-fetch-site": "cross-site" }, 403],
    // A sibling host is of the same site: the browser sends the cookie there.
    [{ origin: "http://blog.localhost", "sec-fetch-site": "same-site" }, 401],
  ];
  for (const [headers, status] of foreign) assert.equal((await patch(headers)).status, status, JSON.stringify(headers));
  assert.equal((await call(`${ROOM}/tickets/1/release`, "POST", { cookie })).status, 401);
  assert.equal((await call(ROOMS, "GET", { cookie, "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await call(DOOR, "POST", { origin: "https://evil.example" }, JSON.stringify({ token: TOKEN }))).status, 401);
  const look = async () => (await (await call(ROOM, "GET", { cookie })).json()).settings.permits.value;
  assert.equal(await look(), 1, "nothing was changed by any of them");
  assert.equal((await patch({ origin, "sec-fetch-site": "same-origin" })).status, 200);
  assert.equal(await look(), 7);
});

test("signing out takes the cookie away", async (t) => {
  const { call } = await guarded(t);
  const out = await call(DOOR, "DELETE");
  assert.equal(out.status, 204);
  const cleared = cookieOf(out.headers.get("set-cookie"));
  assert.deepEqual([cleared.name, cleared.value, cleared.attributes.includes("Max-Age=0")], ["baton-admin", "", true]);
});

test("signing out ends the session for good: its cookie opens nothing, from anywhere, after a restart too; other sessions go on", async (t) => {
  const { baton, call, signIn, origin } = await guarded(t);
  const [one, other] = [`baton-admin=${(await signIn()).value}`, `baton-admin=${(await signIn()).value}`];
  const look = async (cookie) => (await call(ROOMS, "GET", { cookie, "cf-connecting-ip": "203.0.113.9" })).status;
  assert.deepEqual([await look(one), await look(other)], [200, 200]);
  // Another site, and a page of a sibling host, sign nobody out.
  for (const headers of [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "http://blog.localhost", "sec-fetch-site": "same-site" },
    {},
  ]) {
    assert.equal((await call(DOOR, "DELETE", { cookie: one, ...headers })).status, 401, JSON.stringify(headers));
  }
  assert.equal(await look(one), 200);
  assert.equal((await call(DOOR, "DELETE", { cookie: one, origin })).status, 204);
  assert.deepEqual([await look(one), await look(other)], [401, 200]);
  const patch = await call(ROOM, "PATCH", { cookie: one, origin, "sec-fetch-site": "same-origin" }, '{"permits":7}');
  assert.equal(patch.status, 401);
  assert.equal(await look(`${one}; ${other}`), 200, "a dead one beside a good one");
  assert.equal((await call(DOOR, "DELETE", { cookie: one, origin })).status, 204, "once more");
  await baton.restart({ signal: "SIGTERM" });
  assert.deepEqual([await look(one), await look(other)], [401, 200]);
});

test("while nobody can tell which sessions were signed out, a cookie opens nothing, and nobody believes to be signed out; a token goes on", async (t) => {
  const wrapper = inRoot("tests", "runtime", "support", "no_house.js");
  const { call, signIn, origin } = await guarded(t, TOKEN, {}, { wrapper });
  const cookie = `baton-admin=${(await signIn()).value}`;
  const away = (is) => call(`/no-house/${is}`);
  await away(true);
  const refused = [await call(ROOMS, "GET", { cookie }), await call(DOOR, "DELETE", { cookie, origin })];
  for (const answer of refused)
    assert.deepEqual([answer.status, (await answer.json()).error.code, answer.headers.get("set-cookie")], [503, "room_unavailable", null]);
  assert.equal((await call(ROOMS, "GET", { authorization: `Bearer ${TOKEN}` })).status, 200);
  await away(false);
  assert.equal((await call(ROOMS, "GET", { cookie })).status, 200);
  assert.equal((await call(DOOR, "DELETE", { cookie, origin })).status, 204);
  assert.equal((await call(ROOMS, "GET", { cookie })).status, 401);
});

test("another token of the operator, or another secret, ends every cookie", async (t) => {
  // One host for all, since a cookie of another host would be refused anyway.
  const host = "tickets.example.com";
  const first = await guarded(t);
  const answer = await first.raw(DOOR, { method: "POST", headers: { host, authorization: `Bearer ${TOKEN}` } });
  const { name, value } = cookieOf(answer.headers["set-cookie"][0]);
  const at = async ({ raw }) => (await raw(ROOMS, { headers: { host, cookie: `${name}=${value}` } })).status;
  const same = await guarded(t);
  const nextToken = await guarded(t, "the next token of the operator, as long as it must be");
  const nextSecret = await guarded(t, TOKEN, { BATON_SECRET: "another-secret-another-secret-another" });
  assert.deepEqual([await at(same), await at(nextToken), await at(nextSecret)], [200, 401, 401]);
});

test("the shell has no data and may do nothing but its own; without a token of the operator none of it exists", async (t) => {
  const { call } = await guarded(t);
  const shell = await call("/__baton/admin/");
  assert.equal(shell.status, 200);
  assert.match(shell.headers.get("content-security-policy"), /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'$/);
  assert.equal(shell.headers.get("cache-control"), "private, no-store");
  const html = await shell.text();
  assert.ok(!html.includes("onsale"));
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file);
  assert.equal(files.length, 2);
  for (const file of files) {
    const answer = await call(file);
    assert.equal(answer.status, 200, file);
    assert.match(answer.headers.get("cache-control"), /immutable/);
  }
  const none = await guarded(t, "");
  for (const [path, method] of [
    ["/__baton/admin/", "GET"],
    ["/__baton/admin", "GET"],
    [DOOR, "POST"],
    [DOOR, "DELETE"],
    [DOOR, "PUT"],
    [ROOMS, "GET"],
  ]) {
    assert.equal((await none.call(path, method)).status, 404, `${method} ${path}`);
  }
});
