// Preflights to gated paths, which show no pass: what of them reaches a shop that does not look at the method, how many, and what comes back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { raw, startOrigin, startWorld } from "./support/world.mjs";

const BROWSERS = { origin: "https://pay.example", "access-control-request-method": "POST", "access-control-request-headers": "x-a", accept: "*/*" };
const CARRIED = {
  cookie: "basket=mine",
  authorization: "Basic eDp5",
  "proxy-authorization": "Basic eDp5",
  "x-api-key": "k",
  "x-session": "s",
  referer: "https://pay.example/?add=A1",
  "content-type": "text/plain",
};
const PERMISSION = {
  "Access-Control-Allow-Origin": "https://pay.example",
  "Access-Control-Allow-Methods": "POST",
  "Access-Control-Max-Age": "600",
  Vary: "Origin",
};

const world = async (t, answer, options) => {
  const origin = await startOrigin(t, answer);
  const { baton, logs } = await startWorld(t, { origin: origin.url, room: { permits: 0 }, ...options });
  const ask = (path, headers = {}) => raw(baton.port, path, { method: "OPTIONS", headers: { ...BROWSERS, ...headers } });
  return { ask, asked: origin.requests, logs };
};

test("a preflight does nothing: it reaches the shop without cookie, credentials and query, and brings back a permission alone", async (t) => {
  const { ask, asked } = await world(t, (request, response) => {
    const told = {
      ...PERMISSION,
      "Set-Cookie": "seat=4-12",
      "X-Seats": "4-12",
      Location: "/buy/pay",
      "Cache-Control": "public, max-age=60",
      "Baton-Release": "1",
      "Baton-Anything": "x",
    };
    response.writeHead(200, told).end("the page with its seats");
  });
  for (const path of ["/buy/cart?add=A1&add=A2", "/buy/cart"]) {
    const answer = await ask(path, CARRIED);
    const { headers, method, url } = asked.at(-1);
    assert.deepEqual([method, url], ["OPTIONS", "/buy/cart"]);
    for (const name of Object.keys(CARRIED)) assert.equal(headers[name], undefined, name);
    for (const [name, value] of Object.entries(BROWSERS)) assert.equal(headers[name], value);
    assert.deepEqual([headers["baton-room"], headers["baton-fence"], headers["baton-target"]], [undefined, undefined, "/buy/cart"]);
    assert.match(headers["baton-proof"], /^v1;/);
    assert.equal(headers["baton-preflight"], "1");
    assert.deepEqual([answer.status, answer.body], [200, ""]);
    for (const [name, value] of Object.entries(PERMISSION)) assert.equal(answer.headers[name.toLowerCase()], value);
    for (const name of ["set-cookie", "x-seats", "location", "baton-release", "baton-anything", "content-type"])
      assert.equal(answer.headers[name], undefined, name);
    assert.equal(answer.headers["cache-control"], "private, no-store");
  }
  const ungated = await ask("/api?add=A1", { ...CARRIED, "Baton-Preflight": "1" });
  assert.equal(asked.at(-1).headers["baton-preflight"], undefined);
  assert.deepEqual(
    [asked.at(-1).url, asked.at(-1).headers.cookie, ungated.body],
    ["/api?add=A1", CARRIED.cookie, "the page with its seats"],
    "a path of no room is the shop's affair",
  );
});

test("a shop permits nothing: whatever it answers but a 2xx is one answer of Baton's", async (t) => {
  const statuses = [302, 404, 405, 500, 503];
  const { ask } = await world(t, ({ url }, response) =>
    response.writeHead(Number(url.split("/").at(-1)), { ...PERMISSION, Location: "/in" }).end("what the shop knows"),
  );
  const answers = await Promise.all(statuses.map((status) => ask(`/buy/${status}`)));
  for (const { status, headers, body } of answers) {
    assert.deepEqual(
      [status, JSON.parse(body).error.code, headers.location, headers["access-control-allow-origin"]],
      [403, "forbidden_origin", undefined, undefined],
    );
  }
  assert.equal((await ask("/buy/204")).status, 204);
});

test("a room whose preflights Baton answers: its apps may call, all others are refused, and the shop is not asked", async (t) => {
  const app = "https://app.example";
  const { ask, asked } = await world(t, (request, response) => response.writeHead(204, PERMISSION).end(), {
    room: { permits: 0, preflights: "answer", app_origins: [app], bypass_paths: ["POST /buy/hook"] },
  });
  const others = await ask("/buy/cart");
  assert.deepEqual(
    [others.status, JSON.parse(others.body).error.code, others.headers["access-control-allow-origin"]],
    [403, "forbidden_origin", undefined],
  );
  const own = await ask("/buy/cart", { origin: app });
  assert.deepEqual([own.status, own.headers["access-control-allow-origin"], own.headers["access-control-allow-methods"]], [204, app, "POST"]);
  assert.equal(asked.length, 0);
  assert.equal((await ask("/about")).status, 204, "a path of no room is the shop's affair");
  const hook = await ask("/buy/hook", CARRIED);
  assert.deepEqual([hook.status, asked.at(-1).url, asked.at(-1).headers.cookie], [204, "/buy/hook", undefined], "a call that needs no pass is, too");
});

test("a room that holds nobody back changes nothing for other sites' pages", async (t) => {
  const { ask, asked } = await world(t, (request, response) => response.writeHead(204, PERMISSION).end(), {
    room: { permits: 0, preflights: "answer", mode: "observe" },
  });
  assert.equal((await ask("/buy/cart")).status, 204);
  assert.equal(asked.length, 1);
});

test("a flood of preflights: a room's shop is asked so many a second, and the log says it once", { timeout: 60_000 }, async (t) => {
  const { ask, asked, logs } = await world(t, (request, response) => response.writeHead(204, PERMISSION).end());
  const began = Date.now();
  const answers = [];
  for (let wave = 0; wave < 15; wave += 1) answers.push(...(await Promise.all(Array.from({ length: 40 }, () => ask("/buy/")))));
  const seconds = Math.ceil((Date.now() - began) / 1_000) + 1;
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && asked.length <= 100 * seconds, `${asked.length} of ${answers.length} within ${seconds} s`);
  assert.equal(asked.length + refused.length, answers.length);
  assert.deepEqual([JSON.parse(refused[0].body).error.code, refused[0].headers["retry-after"]], ["too_many_requests", "1"]);
  assert.equal(coded(logs(), "preflights_refused").length, 1);
  assert.equal((await ask("/about")).status, 204, "a path of no room is not counted");
});
