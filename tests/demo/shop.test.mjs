// The shop as an origin: it refuses who did not come through Baton, counts who is inside, and says when one is done.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import WebSocket from "ws";
import { makeProof } from "../../demo/proof.mjs";
import { startShop } from "../../demo/shop.mjs";
import { languageOf } from "../../demo/texts.mjs";

const SECRET = "a secret that only Baton and the shop know";
const START_MS = 1_800_000_000_000;

/** A shop with a clock that stands still until a test moves it. */
async function open(t, options = {}) {
  const clock = { ms: START_MS };
  const shop = await startShop({ originSecret: SECRET, lockMs: 0, now: () => clock.ms, testRoutes: true, ...options });
  t.after(() => shop.stop());
  shop.trustHost(new URL(shop.url).host);
  return { shop, clock, ...callersOf(shop, clock) };
}

function callersOf(shop, clock) {
  /** The headers that Baton would add for this guest; `null` for a request without a lease. */
  const throughBaton = (method, path, guest, atMs = clock.ms) => {
    const fence = guest ? String(guest.fence) : "0";
    const proofOf = (room) => makeProof({ secret: SECRET, atMs, method, host: new URL(shop.url).host, path, room, fence });
    if (!guest) return { "baton-proof": proofOf("") };
    const { number, endsAtMs = clock.ms + 300_000, room = "onsale" } = guest;
    const proof = proofOf(room);
    return {
      "baton-proof": proof,
      "baton-fence": fence,
      "baton-ticket": String(number),
      "baton-room": room,
      "baton-ends-at-ms": String(endsAtMs),
    };
  };
  const send = (method, path, headers, body) => call(shop.url + path, method, headers, body);
  const post = (path, guest, body = "") => {
    clock.ms += 1; // a proof knows milliseconds: the same request in the same one would be a replay
    return send("POST", path, throughBaton("POST", path, guest), body);
  };
  return {
    send,
    throughBaton,
    get: (path, guest) => send("GET", path, throughBaton("GET", path, guest)),
    post,
    book: (guest, seats = 1, key = crypto.randomUUID()) => post("/buy/book", guest, `seats=${seats}&key=${key}`),
  };
}

function call(url, method, headers = {}, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() });
    });
    request.on("error", reject);
    request.end(body);
  });
}

const refusals = (shop) => shop.stats().refused_by;

// ------------------------------------------------------------------------------------------------ the proof

test("refuses a gated request without proof, and says so in plain words", async (t) => {
  const { shop, send } = await open(t);
  for (const [method, path] of [
    ["GET", "/buy/"],
    ["POST", "/buy/book"],
    ["GET", "/buy/thanks/x"],
    ["HEAD", "/buy/"],
  ]) {
    assert.equal((await send(method, path)).status, 403, `${method} ${path}`);
  }
  assert.match((await send("GET", "/buy/")).body, /front door/);
  assert.deepEqual(refusals(shop), { missing: 5 });
  assert.equal(shop.stats().refused, 5);
  assert.equal(shop.stats().inside, 0);
});

test("what is not gated needs no proof", async (t) => {
  const { send } = await open(t);
  for (const path of ["/", "/healthz", "/shop/stats", "/shop/shop.css"]) assert.equal((await send("GET", path)).status, 200, path);
});

test("the proof is bound to method, path with query, host, fence, time and secret", async (t) => {
  const { shop, clock, send, throughBaton } = await open(t);
  const guest = { number: 7, fence: 3 };
  const right = throughBaton("GET", "/buy/?a=1", guest);
  const host = new URL(shop.url).host;
  const proofOf = (changes) => ({
    ...right,
    "baton-proof": makeProof({ secret: SECRET, atMs: clock.ms, method: "GET", host, path: "/buy/?a=1", room: "onsale", fence: "3", ...changes }),
  });
  assert.equal((await send("GET", "/buy/?a=1", right)).status, 200);
  assert.equal((await send("GET", "/buy/?a=2", right)).status, 403, "another query");
  assert.equal((await send("POST", "/buy/?a=1", right)).status, 403, "another method");
  assert.equal((await send("GET", "/buy/?a=1", { ...right, "baton-fence": "4" })).status, 403, "another fence");
  assert.equal((await send("GET", "/buy/?a=1", { ...right, "baton-fence": "03" })).status, 403, "fence spelled otherwise");
  const { "baton-fence": _, ...fenceless } = right;
  assert.equal((await send("GET", "/buy/?a=1", fenceless)).status, 403, "fence taken away");
  assert.equal((await send("GET", "/buy/?a=1", proofOf({ secret: "other" }))).status, 403, "another secret");
  assert.equal((await send("GET", "/buy/?a=1", { ...right, "baton-room": "parking" })).status, 403, "another room");
  assert.equal((await send("GET", "/buy/?a=1", proofOf({ host: "evil.example" }))).status, 403, "another host");
  assert.equal(
    (await send("GET", "/buy/?a=1", { ...right, "baton-proof": right["baton-proof"].replace(/t=\d/, "t=2") })).status,
    403,
    "another time",
  );
  assert.deepEqual(refusals(shop), { mac: 9 });
  for (const bad of ["v1", "v2;t=1;mac=00", `v1;t=1;mac=${"g".repeat(64)}`, `${right["baton-proof"]}0`]) {
    assert.equal((await send("GET", "/buy/?a=1", { ...right, "baton-proof": bad })).status, 403, bad);
  }
  assert.equal(refusals(shop).malformed, 4);
});

test("the proven host is the visitor's: one that the shop was told to trust, whatever its own Host says", async (t) => {
  const { shop, clock, send } = await open(t, { publicHosts: ["tickets.example"] });
  const from = (host) => ({
    "x-forwarded-host": host,
    "baton-proof": makeProof({ secret: SECRET, atMs: clock.ms, method: "GET", host, path: "/buy/" }),
  });
  assert.equal((await send("GET", "/buy/", from("tickets.example"))).status, 200);
  assert.equal((await send("GET", "/buy/", { ...from("evil.example"), host: "evil.example" })).status, 403, "a Host of the client's own choice");
  const later = from("localhost:8787");
  assert.equal((await send("GET", "/buy/", later)).status, 403);
  shop.trustHost("localhost:8787");
  assert.equal((await send("GET", "/buy/", later)).status, 200);
});

test("a proof counts for a minute, in both directions", async (t) => {
  const { shop, clock, send, throughBaton } = await open(t);
  for (const [off, status] of [
    [-60_000, 200],
    [60_000, 200],
    [-60_001, 403],
    [60_001, 403],
  ]) {
    const headers = throughBaton("GET", "/buy/", null, clock.ms + off);
    assert.equal((await send("GET", "/buy/", headers)).status, status, `${off} ms`);
  }
  assert.deepEqual(refusals(shop), { time: 2 });
});

test("a proof of an unsafe method counts once; of a safe one as often as it likes", async (t) => {
  const { shop, clock, send, throughBaton } = await open(t);
  const post = throughBaton("POST", "/buy/echo", { number: 1, fence: 1 }, clock.ms + 60_000);
  assert.equal((await send("POST", "/buy/echo", post, "x")).status, 200);
  assert.equal((await send("POST", "/buy/echo", post, "x")).status, 403);
  clock.ms += 119_999; // still within what a proof from a fast clock may live
  assert.equal((await send("POST", "/buy/echo", post, "x")).status, 403);
  clock.ms += 2;
  assert.equal((await send("POST", "/buy/echo", post, "x")).status, 403, "forgotten, but late by now");
  assert.deepEqual(refusals(shop), { replay: 2, time: 1 });
  const get = throughBaton("GET", "/buy/", { number: 1, fence: 1 });
  for (let i = 0; i < 3; i += 1) assert.equal((await send("GET", "/buy/", get)).status, 200);
});

test("without a secret the shop is open to anybody", async (t) => {
  const { send } = await open(t, { originSecret: undefined });
  assert.equal((await send("GET", "/buy/")).status, 200);
});

test("a socket is gated like everything else", async (t) => {
  const { shop, throughBaton } = await open(t);
  const url = `${shop.url.replace("http", "ws")}/buy/ws`;
  const refused = new WebSocket(url);
  const opened = once(refused, "open").then(
    () => assert.fail("a socket without proof"),
    (error) => error,
  );
  assert.match((await opened).message, /403/);
  assert.deepEqual(refusals(shop), { missing: 1 });
  const socket = new WebSocket(url, { headers: throughBaton("GET", "/buy/ws", { number: 5, fence: 9 }) });
  await once(socket, "open");
  socket.send("hello");
  const [echoed, binary] = await once(socket, "message");
  assert.deepEqual([echoed.toString(), binary], ["hello", false]);
  socket.terminate();
  assert.equal(shop.stats().inside, 1);
});

// ------------------------------------------------------------------------------------------------ who is inside

test("counts distinct fences from the first request until the lease's end, which may slide", async (t) => {
  const { shop, clock, get } = await open(t);
  await get("/buy/", { number: 1, fence: 1, endsAtMs: START_MS + 1_000 });
  await get("/buy/", { number: 1, fence: 1, endsAtMs: START_MS + 1_000 });
  await get("/buy/", { number: 2, fence: 2, endsAtMs: START_MS + 5_000 });
  assert.equal(shop.stats().inside, 2);
  await get("/buy/", { number: 1, fence: 1, endsAtMs: START_MS + 3_000 });
  clock.ms += 2_999;
  assert.equal(shop.stats().inside, 2, "slid");
  clock.ms += 1;
  assert.equal(shop.stats().inside, 1, "ended to the millisecond");
  await get("/buy/", { number: 3, fence: 3, endsAtMs: clock.ms + 1 });
  const { inside, inside_max, admitted_total, order } = shop.stats();
  assert.deepEqual({ inside, inside_max, admitted_total, order }, { inside: 2, inside_max: 2, admitted_total: 3, order: [1, 2, 3] });
});

test("a guest leaves with the shop's own answer, and the permit is given back there", async (t) => {
  const { shop, get, book } = await open(t);
  const guest = { number: 4, fence: 8 };
  await get("/buy/", guest);
  const answer = await book(guest);
  assert.equal(answer.status, 303);
  assert.equal(answer.headers["baton-release"], "1");
  assert.equal(shop.stats().inside, 0);
  assert.equal((await get(answer.headers.location, guest)).status, 200, "the thank-you page still shows");
  assert.equal((await get(answer.headers.location, null)).status, 200, "also with a farewell pass");
  assert.equal(shop.stats().inside, 0);
  assert.equal((await get("/buy/", guest)).status, 403, "but the shop is closed to a finished lease");
  assert.equal((await book(guest)).status, 403, "and so is a second booking with it");
  assert.deepEqual(refusals(shop), { finished: 2 });
  assert.equal(shop.stats().bookings, 1);
});

test("with several permits people finish in any order", async (t) => {
  const { get, book } = await open(t);
  await get("/buy/", { number: 1, fence: 1 });
  await get("/buy/", { number: 2, fence: 2 });
  assert.equal((await book({ number: 2, fence: 2 })).status, 303);
  assert.equal((await book({ number: 1, fence: 1 })).status, 303);
});

test("the same ticket's older fence is refused once a newer one came", async (t) => {
  const { shop, get } = await open(t);
  await get("/buy/", { number: 6, fence: 10 });
  await get("/buy/", { number: 6, fence: 12 });
  assert.equal((await get("/buy/", { number: 6, fence: 10 })).status, 403);
  assert.equal((await get("/buy/", { number: 5, fence: 9 })).status, 200, "another ticket's lower fence means nothing");
  assert.equal((await get("/buy/", { number: 6, fence: 3, room: "other" })).status, 200, "nor does another room's");
  assert.deepEqual(refusals(shop), { old_fence: 1 });
});

test("two tabs of one guest that book at the same moment book once", async (t) => {
  const { shop, book } = await open(t, { segments: 2, lockMs: 5 });
  const guest = { number: 4, fence: 8 };
  const statuses = (await Promise.all([book(guest), book(guest)])).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [303, 403]);
  assert.equal(shop.stats().bookings, 1);
});

test("requests without a fence count nobody", async (t) => {
  const { shop, get } = await open(t);
  assert.equal((await get("/buy/", null)).status, 200);
  assert.equal(shop.stats().admitted_total, 0);
});

test("forgets its guests on request, for a room that counts from one again", async (t) => {
  const { shop, get, book } = await open(t);
  await book({ number: 1, fence: 1 });
  shop.reset();
  assert.equal((await get("/buy/", { number: 1, fence: 1 })).status, 200);
  assert.deepEqual(shop.stats().order, [1]);
});

// ------------------------------------------------------------------------------------------------ booking and pages

test("a form that is sent twice books once and leads to the same page", async (t) => {
  const { shop, book } = await open(t);
  const guest = { number: 1, fence: 1 };
  const key = "the-same-form-key";
  const first = await book(guest, 2, key);
  const second = await book(guest, 2, key);
  assert.equal(second.status, 303);
  assert.equal(second.headers.location, first.headers.location);
  assert.equal(shop.stats().bookings, 1);
});

test("sold out ends the visit; too few left does not", async (t) => {
  const { shop, book, get } = await open(t, { seats: 3, segments: 2 });
  const few = await book({ number: 1, fence: 1 }, 4);
  assert.equal(few.status, 409);
  assert.equal(few.headers["baton-release"], undefined);
  assert.equal((await book({ number: 1, fence: 1 }, 3)).status, 303);
  const late = await book({ number: 2, fence: 2 }, 1);
  assert.deepEqual([late.status, late.headers["baton-release"]], [409, "1"]);
  const page = await get("/buy/", { number: 3, fence: 3 });
  assert.deepEqual([page.status, page.headers["baton-release"]], [200, "1"]);
  assert.match(page.body, /Sold out/);
  assert.deepEqual([shop.stats().inside, shop.stats().seats_left], [0, 0]);
});

test("nonsense in the form is refused", async (t) => {
  const { shop, post } = await open(t);
  for (const body of [
    "",
    "seats=0&key=12345678",
    "seats=7&key=12345678",
    "seats=1.5&key=12345678",
    "seats=1&key=short",
    "seats=1&key=<script>alert</script>",
    `seats=1&key=12345678&x=${"y".repeat(20_000)}`,
  ]) {
    assert.equal((await post("/buy/book", { number: 1, fence: 1 }, body)).status, 400, body.slice(0, 40));
  }
  assert.equal(shop.stats().bookings, 0);
});

test("the page shows the number, carries keep.js, and speaks the visitor's language", async (t) => {
  const { send, throughBaton } = await open(t);
  const headers = { ...throughBaton("GET", "/buy/", { number: 1234, fence: 1 }), "accept-language": "ja,en;q=0.8" };
  const { body, headers: got } = await send("GET", "/buy/", headers);
  assert.match(body, /<html lang="ja">/);
  assert.match(body, /待ち番号 <strong>1234<\/strong>/);
  assert.match(body, /<script src="\/__baton\/static\/keep\.js" data-room="onsale" defer><\/script>/);
  assert.equal(got["shop-ticket"], "1234");
  assert.equal(got.vary, "Accept-Language");
});

test("chooses a language by the visitor's wishes", () => {
  const cases = {
    "": "en",
    ja: "ja",
    "ja-JP,en;q=0.9": "ja",
    "en-GB,ja;q=0.9": "en",
    "fr,ja;q=0.4,en;q=0.3": "ja",
    "ja;q=0,en": "en",
    fr: "en",
    "*": "en",
    "ja;q=0.2,en;q=0.8": "en",
  };
  for (const [header, language] of Object.entries(cases)) assert.equal(languageOf(header), language, header);
});

test("the crowd's button exists only where a crowd was asked for", async (t) => {
  const { send } = await open(t);
  assert.doesNotMatch((await send("GET", "/")).body, /shop\/crowd/);
  assert.equal((await send("POST", "/shop/crowd")).status, 404);
  const other = await open(t, { crowdUrl: "http://127.0.0.1:9/buy/" });
  assert.match((await other.send("GET", "/")).body, /action="\/shop\/crowd"/);
  assert.equal((await other.send("POST", "/shop/crowd", { "sec-fetch-site": "cross-site" })).status, 403);
});

test("test routes exist only when they are wanted", async (t) => {
  const { get } = await open(t, { testRoutes: false });
  assert.equal((await get("/buy/echo", null)).status, 404);
  const wanted = await open(t);
  const echo = JSON.parse((await wanted.post("/buy/echo?x=1", { number: 1, fence: 1 }, "héllo")).body);
  assert.deepEqual([echo.method, echo.path, echo.body, echo.bytes], ["POST", "/buy/echo?x=1", "héllo", 6]);
  assert.equal((await wanted.get("/buy/cookie", null)).headers["set-cookie"].length, 3);
  assert.equal((await wanted.get("/buy/extend?s=90", null)).headers["baton-extend"], "90");
  assert.equal((await wanted.get("/buy/error", null)).status, 503);
  assert.equal((await wanted.get("/buy/redirect", null)).headers.location, "/buy/");
  assert.match((await wanted.get("/buy/cached", null)).headers["cache-control"], /public/);
  assert.equal((await wanted.get("/buy/stream?chunks=3&ms=0", null)).body.split("\n").length, 4);
});
