// An origin for each host, and origins that are asked under the visitor's name (`ORIGIN_HOST = "public"`), on a platform that
// does with it what Cloudflare does.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import WebSocket, { WebSocketServer } from "ws";
import { inRoot } from "../../scripts/common.mjs";
import { whereTo } from "../../scripts/self-host.mjs";
import { raw, setCookies, startOrigin, startWorld } from "../runtime/support/world.mjs";

const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/** A shop that says what it was asked, and redirects to the address that it takes for its own. */
const shop = (t, name) =>
  startOrigin(t, (request, response) => {
    const { host, "zone-host": asked = host, "zone-scheme": scheme = "http:" } = request.headers;
    const moved = request.url.startsWith("/moved");
    response.writeHead(moved ? 302 : 200, {
      "set-cookie": `s=1; Domain=${asked.split(":")[0]}; Path=/`,
      ...(moved && { location: `${scheme}//${asked}/x` }),
    });
    response.end(JSON.stringify({ name, asked, headers: request.headers }));
  });

async function zone(t, { ORIGIN, ORIGIN_HOST, machines }) {
  const ZONE = { name: "example.com", machines };
  const world = await startWorld(t, { vars: { ORIGIN, ORIGIN_HOST, ZONE }, runtime: { wrapper: inRoot("tests", "platform", "zone.js") } });
  const ask = (host, path = "/open", headers = {}) => raw(world.baton.port, path, { headers: { host, ...headers } });
  const told = async (...request) => JSON.parse((await ask(...request)).body);
  return { world, ask, told };
}

const at = ({ port }) => `127.0.0.1:${port}`;

test("a host's own origin, under that origin's name; a host that is not named goes to the zone's own", { timeout: 60_000 }, async (t) => {
  const [a, b, own] = [await shop(t, "a"), await shop(t, "b"), await shop(t, "own")];
  const machines = { "a.shop.example.com": at(a), "b.shop.example.com": at(b), "www.example.com": at(own) };
  const ORIGIN = { "tickets.example.com": "https://a.shop.example.com", "booking.example.com": "http://b.shop.example.com" };
  const { ask, told } = await zone(t, { ORIGIN, machines });
  for (const [host, name, asked] of [
    ["tickets.example.com", "a", "a.shop.example.com"],
    ["booking.example.com:8443", "b", "b.shop.example.com"],
    ["www.example.com", "own", "www.example.com"],
  ]) {
    const answer = await told(host);
    assert.deepEqual([answer.name, answer.asked, answer.headers["x-forwarded-host"]], [name, asked, host]);
  }
  const moved = await ask("tickets.example.com", "/moved");
  assert.deepEqual([moved.headers.location, moved.headers["set-cookie"]], ["http://tickets.example.com/x", ["s=1; Path=/"]]);
});

test("under the visitor's name: the machine is the origin's, the Host is the site's, and the answer needs no change", {
  timeout: 60_000,
}, async (t) => {
  const origin = await shop(t, "origin");
  const sockets = new WebSocketServer({ server: origin.server });
  sockets.on("connection", (socket, { headers }) => socket.send(headers["zone-host"]));
  t.after(() => sockets.close());
  const { world, ask, told } = await zone(t, {
    ORIGIN: "http://shop-origin.example.com",
    ORIGIN_HOST: "public",
    machines: { "shop-origin.example.com": at(origin) },
  });
  for (const host of ["tickets.example.com", "www.example.com:8443"]) {
    const answer = await told(host);
    assert.deepEqual([answer.name, answer.asked, answer.headers["x-forwarded-host"]], ["origin", host, host]);
    const moved = await ask(host, "/moved");
    assert.equal(moved.headers.location, `http://${host}/x`);
    assert.deepEqual(moved.headers["set-cookie"], [`s=1; Domain=${host.split(":")[0]}; Path=/`], "the site's own domain stays");
  }
  const inside = await ask("tickets.example.com", "/buy/", PAGE);
  assert.match(JSON.parse(inside.body).headers["baton-fence"], /^\d{13}$/);
  assert.ok(setCookies(inside)["__Host-baton-onsale-pass"]);
  const posted = await raw(world.baton.port, "/open", {
    method: "POST",
    headers: { host: "tickets.example.com", "content-length": 4 },
    body: "body",
  });
  assert.equal(JSON.parse(posted.body).asked, "tickets.example.com");
  const socket = new WebSocket(`ws://127.0.0.1:${world.baton.port}/open/ws`, { headers: { host: "tickets.example.com" } });
  assert.equal(String((await once(socket, "message"))[0]), "tickets.example.com");
  socket.close();
});

test("an origin that is asked by another scheme than the visitor's: its redirect leads to the visitor's", { timeout: 60_000 }, async (t) => {
  const origin = await shop(t, "origin");
  const { ask } = await zone(t, {
    ORIGIN: "https://shop-origin.example.com",
    ORIGIN_HOST: "public",
    machines: { "shop-origin.example.com": at(origin) },
  });
  assert.equal((await ask("tickets.example.com", "/moved")).headers.location, "http://tickets.example.com/x", "the origin said https");
});

test("self-host binds the origin's address, so the visitor's host goes on; of a table it says what to do", async (t) => {
  const ROOMS = {};
  assert.deepEqual(whereTo({ ROOMS, ORIGIN: "https://a.example.com" }), { vars: { ROOMS, ORIGIN: "https://a.example.com" } });
  assert.deepEqual(whereTo({ ROOMS, ORIGIN: "https://a.example.com", ORIGIN_HOST: "public" }), {
    vars: { ROOMS },
    originService: { address: "a.example.com:443", certificateHost: "a.example.com" },
  });
  assert.deepEqual(whereTo({ ROOMS, ORIGIN: "http://a.example.com", ORIGIN_HOST: "public" }).originService, {
    address: "a.example.com:80",
    certificateHost: undefined,
  });
  assert.equal(whereTo({ ROOMS, ORIGIN: "http://localhost:8000", ORIGIN_HOST: "public" }).originService.address, "localhost:8000");
  assert.throws(() => whereTo({ ROOMS, ORIGIN: { "a.example.com": "https://b.example.com" }, ORIGIN_HOST: "public" }), /one Baton a host/);
  // The configuration that is written for TLS is one that workerd takes.
  const world = await startWorld(t, {
    vars: { ORIGIN: undefined },
    runtime: { originService: { address: "127.0.0.1:9", certificateHost: "shop.example.com" } },
  });
  assert.equal((await raw(world.baton.port, "/open", { headers: { accept: "application/json" } })).status, 502);
});
