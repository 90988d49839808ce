// A shop's widgets in other people's pages: who may read that somebody must wait, and what no such page gets. The requests are those of pretix 2026.8.0:
// its widget fetches without cookies and without a preflight, its frame navigates, and a 429 that it can read leads to a new tab.

import assert from "node:assert/strict";
import { test } from "node:test";
import { raw, startOrigin, startWorld } from "./support/world.mjs";

const BAND = "https://band.example";
const OTHER = "https://other.example";
const EVENT = "/demo/fest/";
const ROOM = {
  permits: 1,
  paths: ["/demo/fest", "/demo/fest/cart/*", "/demo/fest/checkout/*", "/demo/fest/w/*"],
  widget_origins: [BAND],
};
const ADDED = "/demo/fest/w/abcdefghijklmnop/cart/add?iframe=1&locale=en&ajax=1";
const FETCHES = { accept: "*/*", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
/** What lets a page read an answer, and what it may read of it. */
const readable = ({ headers }) => [headers["access-control-allow-origin"], headers["access-control-allow-credentials"]];

/** The shop lets every page read what its widget fetches, as pretix does. */
async function widgetWorld(t, room = {}) {
  const origin = await startOrigin(t, (request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.end(`${request.method} ${request.url}`);
  });
  const world = await startWorld(t, { origin: origin.url, room: { ...ROOM, ...room } });
  const fetches = (path, { from = BAND, method = "GET", headers = {}, body } = {}) =>
    raw(world.baton.port, path, { method, body, headers: { ...FETCHES, ...(from && { origin: from }), ...headers } });
  return { ...world, asked: origin.requests, fetches };
}

test("pretix' widget loads from open paths, reads that its cart must wait, and learns which page to open", async (t) => {
  const { fetches, asked } = await widgetWorld(t);
  const list = await fetches(`${EVENT}widget/product_list?lang=en`);
  assert.deepEqual([list.status, readable(list)[0]], [200, "*"], "what no room gates is the shop's");
  const cart = await fetches(ADDED, { method: "POST", headers: FORM, body: "item_1=1" });
  assert.deepEqual([cart.status, ...readable(cart)], [429, BAND, undefined]);
  assert.match(cart.headers["access-control-expose-headers"], /Baton-Page, Baton-State, Retry-After/);
  assert.match(cart.headers.vary, /\bOrigin\b/);
  assert.deepEqual([cart.headers["baton-page"], cart.headers["baton-state"]], ["/demo/fest", "waiting"]);
  assert.equal(JSON.parse(cart.body).room, "onsale");
  assert.equal(cart.headers["set-cookie"], undefined);
  assert.equal(asked.length, 1, "nothing of it reached the shop, though a permit is free");
});

test("other sites' pages read nothing, and where every page may, it is said to none in particular", async (t) => {
  const { fetches } = await widgetWorld(t);
  for (const from of [OTHER, "null", `${BAND}.evil.example`, `${BAND}:444`, `${BAND}/`, "HTTPS://BAND.EXAMPLE", `${BAND}, ${OTHER}`, null]) {
    const answer = await fetches(ADDED, { from, method: "POST" });
    assert.deepEqual([answer.status, ...readable(answer)], [429, undefined, undefined], from);
  }
  const open = await widgetWorld(t, { widget_origins: ["*"] });
  for (const from of [OTHER, "null"]) {
    const answer = await open.fetches(ADDED, { from });
    assert.deepEqual([answer.status, ...readable(answer)], [429, "*", undefined]);
  }
  const none = await widgetWorld(t, { widget_origins: [] });
  assert.deepEqual(readable(await none.fetches(ADDED)), [undefined, undefined]);
});

test("c194_a_widgets_page_with_cookies: no pass of the visitor's counts, and no answer says that it may be read with cookies", async (t) => {
  const world = await widgetWorld(t);
  const visitor = world.visitor({ url: new URL(EVENT, world.baton.url).href });
  assert.equal((await visitor.arrive()).state, "shop");
  const cookie = visitor.jar.header();
  const reached = world.asked.length;
  for (const method of ["GET", "POST"]) {
    const answer = await world.fetches(ADDED, { method, headers: { cookie } });
    assert.deepEqual([answer.status, ...readable(answer)], [429, BAND, undefined], method);
  }
  assert.equal(world.asked.length, reached);
  for (const path of ["status", "join", "leave", "enter", "socket"]) {
    const answer = await world.fetches(`/__baton/onsale/${path}`, { method: path === "status" ? "GET" : "POST", headers: { cookie } });
    assert.deepEqual(readable(answer), [undefined, undefined], `${path}: Baton's own routes are no widget's`);
  }
  const shown = await world.fetches(ADDED, { headers: { "baton-credentials": "visitor=x" } });
  assert.doesNotMatch(shown.headers["access-control-expose-headers"] ?? "", /Baton-Credentials/, "nor are an app's credentials");
});

test("the shop answers a widget's preflights; where it answers none, Baton does", async (t) => {
  const asks = (world, from) =>
    world.fetches("/demo/fest/cart/add", {
      from,
      method: "OPTIONS",
      headers: { "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
    });
  const shops = await widgetWorld(t);
  const permitted = await asks(shops, BAND);
  assert.deepEqual([permitted.status, readable(permitted)[0], shops.asked.length], [200, "*", 1]);
  const batons = await widgetWorld(t, { preflights: "answer" });
  const own = await asks(batons, BAND);
  assert.deepEqual([own.status, ...readable(own), own.headers["access-control-allow-methods"]], [204, BAND, undefined, "POST"]);
  const others = await asks(batons, OTHER);
  assert.deepEqual([others.status, ...readable(others), batons.asked.length], [403, undefined, undefined, 0]);
});

test("while the room only observes, a widget's requests and answers are the shop's", async (t) => {
  const { fetches, asked } = await widgetWorld(t, { mode: "observe" });
  const cart = await fetches(ADDED, { method: "POST", headers: FORM, body: "item_1=1" });
  assert.deepEqual([cart.status, cart.body, readable(cart)[0], asked.length], [200, `POST ${ADDED}`, "*", 1]);
});

test("pretix' frame: on another site one link that opens the shop, on a page of the same site the same, and no permit is taken", async (t) => {
  const { baton, asked, visitor } = await widgetWorld(t);
  for (const site of ["cross-site", "same-site"]) {
    const headers = { accept: "text/html", "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" };
    const full = visitor({ url: new URL(EVENT, baton.url).href });
    assert.equal((await full.arrive()).state, "shop");
    const reached = asked.length;
    const frame = await raw(baton.port, `${EVENT}?iframe=1`, { headers });
    assert.match(frame.body, /<a href="\/demo\/fest\/\?iframe=1" target="_blank" rel="noopener">/, site);
    assert.match(frame.headers["content-security-policy"], /frame-ancestors \*/);
    assert.deepEqual([frame.headers["set-cookie"], asked.length], [undefined, reached]);
    await full.leave();
  }
});
