// Behind a proxy that speaks in other words than Cloudflare: what it calls a socket's scheme, and the header in which it sets the address.

import assert from "node:assert/strict";
import { test } from "node:test";
import { raw, startOrigin, startWorld } from "./support/world.mjs";

const HOST = "tickets.example.com";

async function behind(t, runtime) {
  const origin = await startOrigin(t, (request, response) => response.end("in"));
  const { baton } = await startWorld(t, { origin: origin.url, room: { permits: 0 }, runtime: { behindProxy: true, ...runtime } });
  return { ask: (path, headers) => raw(baton.port, path, { headers: { host: HOST, ...headers } }), seen: () => origin.requests.at(-1).headers };
}

test("a socket's scheme may be called wss", async (t) => {
  const { ask, seen } = await behind(t);
  const socket = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  for (const scheme of ["https", "wss"]) {
    const answer = await ask("/__baton/onsale/socket", { ...socket, origin: `https://${HOST}`, "x-forwarded-proto": scheme });
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [403, "cookies_required"], scheme);
    assert.equal((await ask("/about", { "x-forwarded-proto": scheme })).status, 200);
    assert.equal(seen()["x-forwarded-proto"], "https", scheme);
  }
  await ask("/about", { "x-forwarded-proto": "ws" });
  assert.equal(seen()["x-forwarded-proto"], "http");
});

test("several proxies may each say the scheme, and what is none moves nothing", async (t) => {
  const { ask, seen } = await behind(t);
  for (const [said, scheme] of [
    ["https, http", "https"],
    ["http,https", "http"],
    ["HTTPS", "https"],
  ]) {
    assert.equal((await ask("/about", { "x-forwarded-proto": said })).status, 200, said);
    assert.equal(seen()["x-forwarded-proto"], scheme, said);
  }
  for (const said of ["x", "http:", "http/1.1", "https://other.example", "http://other.example/about?", `http://${HOST}.other.example/#`]) {
    const answer = await ask("/about", { "x-forwarded-proto": said });
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code, answer.headers["cache-control"]], [400, "bad_request", "no-store"], said);
  }
  for (const host of ["Tickets.Example.COM", `${HOST}:443`, `${HOST}:`, "[2001:DB8::7]:8443"]) {
    assert.equal((await ask("/about?to=https://other.example/", { host, "x-forwarded-proto": "https" })).status, 200, host);
  }
});

test("the address is what the proxy sets in the header that was named, and nothing that a client says elsewhere", async (t) => {
  const { ask, seen } = await behind(t, { addressHeader: "X-Real-IP" });
  const told = async (headers) => {
    assert.equal((await ask("/about", { "x-forwarded-proto": "https", ...headers })).status, 200);
    return [seen()["x-forwarded-for"], seen()["cf-connecting-ip"]];
  };
  assert.deepEqual(await told({ "x-real-ip": "192.0.2.7", "cf-connecting-ip": "198.51.100.1", "x-forwarded-for": "198.51.100.2" }), [
    "192.0.2.7",
    "192.0.2.7",
  ]);
  assert.deepEqual(await told({ "x-real-ip": "198.51.100.3, 2001:db8::7" }), ["2001:db8::7", "2001:db8::7"], "a proxy adds what it saw at the end");
  const [none] = await told({ "cf-connecting-ip": "198.51.100.1" });
  assert.ok(!none, `${none}`);
});

test("a Host that is no host moves no path: it is refused before an address is made of it", async (t) => {
  const { ask } = await behind(t);
  for (const host of [
    "a/b",
    `${HOST}/buy`,
    `${HOST}?x`,
    `${HOST}#x`,
    `u@${HOST}`,
    `${HOST}:1/buy`,
    "a b",
    "a\\b",
    `${HOST}%2fbuy`,
    "[::1",
    `${HOST}:x`,
  ]) {
    const answer = await ask("/about", { host });
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code, answer.headers["cache-control"]], [400, "bad_request", "no-store"], host);
  }
  for (const host of [HOST, `${HOST}:8443`, `${HOST}.`, "[::1]:8787", HOST.toUpperCase()])
    assert.equal((await ask("/about", { host })).status, 200, host);
});
