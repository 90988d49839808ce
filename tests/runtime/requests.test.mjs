// What a request wants: looks ahead of a click, pages of other sites, leaving by the page's form.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { eventually, passTimes, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const VISITOR = "baton-visitor";
const TICKET = "baton-onsale-ticket";
const PASS = "baton-onsale-pass";
const PAGE = { accept: "text/html,*/*;q=0.8" };
const JSON_ONLY = { accept: "application/json" };
const FORM = { ...PAGE, "content-type": "application/x-www-form-urlencoded" };
const TOKEN = "operator-operator-operator-operator";
/** The same look as real clients announce it. */
const LOOKS = {
  "speculation rules": {
    ...PAGE,
    "sec-purpose": "prefetch",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    "sec-fetch-site": "same-origin",
  },
  prerendering: {
    ...PAGE,
    "sec-purpose": "prefetch;prerender",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    "sec-fetch-site": "none",
  },
  "Turbo 8": { accept: "text/html, application/xhtml+xml", "x-sec-purpose": "prefetch", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  "Turbo 7": { ...PAGE, "vnd.prefetch": "true" },
  "Next's router": { accept: "*/*", rsc: "1", "next-router-prefetch": "1", "next-router-segment-prefetch": "/_tree" },
  Inertia: { ...PAGE, purpose: "prefetch", "x-inertia": "true" },
  Firefox: { ...PAGE, "x-moz": "prefetch" },
  "a preview": { ...PAGE, "x-purpose": "preview" },
};
/** Inertia keeps the answer to a look for the click, and loads the page whole by a 409. */
const refusalOf = (headers) => (headers["x-inertia"] ? 409 : 503);
/** How a page of another site makes a visitor's browser ask. */
const cross = (mode, dest, more = PAGE) => ({ ...more, "sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": dest });

/** A world before a shop that speaks to Baton at some addresses; `permits` of them free. */
async function begin(t, room = {}) {
  const secret = "shared-with-the-shop-shared-with-the-shop";
  const shop = await startOrigin(t, (request, response) => {
    const { pathname } = new URL(request.url, "http://shop");
    if (pathname === "/buy/done") response.setHeader("Baton-Release", "1");
    if (pathname === "/buy/more") response.setHeader("Baton-Extend", "60");
    if (pathname === "/buy/left") {
      const at = Date.now();
      const mac = createHmac("sha256", secret).update(`baton-stock-v1\n${at}\nonsale\n7`).digest("hex");
      response.setHeader("Baton-Stock", `v1;left=7;t=${at};mac=${mac}`);
    }
    response.setHeader("Baton-Checked", "ok");
    response.end(`shop ${request.headers["baton-fence"] ?? "-"}`);
  });
  const world = await startWorld(t, {
    origin: shop.url,
    vars: { BATON_ADMIN_TOKEN: TOKEN, ORIGIN_SECRET: secret },
    room: { permits: 1, lease_extend_max_s: 600, stock_line: true, ...room },
  });
  const report = async () => {
    const answer = await world.raw("/__baton/admin/rooms/onsale", { headers: { authorization: `Bearer ${TOKEN}` } });
    return JSON.parse(answer.body).report;
  };
  const inside = async () => {
    const visitor = world.visitor();
    await visitor.arrive();
    await eventually(
      async () => {
        await visitor.arrive();
        return !passTimes(visitor.cookie("pass")).provisional;
      },
      { what: "a confirmed pass" },
    );
    return visitor;
  };
  const reached = () => shop.requests.map(({ method, url }) => `${method} ${url}`);
  return { world, report, inside, reached };
}

test("c76_a_look_takes_nothing: by whatever name it announces itself; and the click after it walks in", async (t) => {
  const { world, report, reached } = await begin(t);
  for (const [name, headers] of Object.entries(LOOKS)) {
    const visitor = world.visitor();
    for (let hover = 0; hover < 3; hover += 1) {
      const look = await visitor.request("/buy/", { headers });
      assert.deepEqual([look.status, look.headers["set-cookie"], look.headers["baton-state"]], [refusalOf(headers), undefined, "waiting"], name);
      assert.match(look.headers["content-type"], /^application\/json/, `${name}: a router would draw a page on the click`);
      assert.match(look.headers["cache-control"], /no-store/);
    }
  }
  assert.deepEqual(reached(), []);
  const { totals, inside, waiting, next_number: next } = await report();
  assert.deepEqual([totals.walked_in, totals.joined, inside, waiting, next], [0, 0, 0, 0, 1]);
  assert.equal((await world.visitor().arrive()).state, "shop");
});

test("a look takes no number in a full room and costs nobody the turn; the room's figures know nothing of it", async (t) => {
  const { world, report, inside } = await begin(t);
  const holder = await inside();
  const visitor = world.visitor();
  await visitor.status();
  const before = JSON.stringify((await report()).totals);
  for (const headers of Object.values(LOOKS)) {
    const look = await visitor.request("/buy/", { headers });
    assert.deepEqual([look.status, look.headers["set-cookie"]], [refusalOf(headers), undefined]);
  }
  assert.equal(JSON.stringify((await report()).totals), before);
  await visitor.join();
  await holder.leave();
  await eventually(async () => (await visitor.status()).json.state === "called", { what: "the call" });
  assert.equal((await visitor.request("/buy/", { headers: LOOKS["speculation rules"] })).status, 503, "a look claims nothing");
  assert.equal((await visitor.status()).json.state, "called");
  assert.equal((await visitor.arrive()).state, "shop");
});

test("Baton's own calls refuse a look, and with it what a page that is prerendered asks", async (t) => {
  const { world, report, inside } = await begin(t);
  const buyer = await inside();
  const stranger = world.visitor();
  await stranger.status();
  const headers = { "sec-purpose": "prefetch;prerender" };
  for (const visitor of [buyer, stranger]) {
    for (const [call, method] of [
      ["join", "POST"],
      ["claim", "POST"],
      ["leave", "POST"],
      ["enter", "POST"],
      ["carry", "POST"],
      ["status", "GET"],
      ["language/ja", "POST"],
    ]) {
      const answer = await visitor.call(call, { method, headers });
      assert.deepEqual([answer.status, answer.error, answer.headers["set-cookie"]], [503, "speculative", undefined], call);
    }
    await assert.rejects(visitor.openSocket({ headers }), { status: 503, error: "speculative" });
  }
  const { inside: people, waiting, totals } = await report();
  assert.deepEqual([people, waiting, totals.joined], [1, 0, 0]);
  assert.equal((await buyer.status()).json.state, "admitted", "without it the call is what it always was");
});

test("c76_a_look_gives_nothing_back: with a pass it sees the shop, and what the shop says to Baton there is not done: the click asks again", async (t) => {
  const { world, report, inside, reached } = await begin(t);
  const buyer = await inside();
  const other = await world.visitor();
  for (const [name, headers] of Object.entries(LOOKS)) {
    const look = await buyer.request("/buy/seats", { headers });
    assert.deepEqual([look.status, look.headers["baton-checked"]], [200, undefined], name);
    assert.match(look.body, /^shop \d+$/, name);
    for (const address of ["/buy/done", "/buy/more", "/buy/left"]) {
      const spoken = await buyer.request(address, { headers });
      assert.deepEqual(
        [spoken.status, spoken.error, spoken.headers["set-cookie"]],
        [refusalOf(headers), "speculative", undefined],
        `${name} ${address}`,
      );
    }
  }
  const { totals, inside: people } = await report();
  assert.deepEqual([totals.released, people], [0, 1]);
  assert.ok(reached().includes("GET /buy/done"));
  assert.equal((await other.arrive()).state, "waiting", "the permit is still the buyer's");
  const click = await buyer.arrive("/buy/done");
  assert.match(click.body, /^shop/);
  await eventually(async () => (await report()).totals.released === 1, { what: "the release by the click" });
  const thanks = await buyer.request("/buy/seats", { headers: LOOKS["speculation rules"] });
  assert.equal(thanks.status, 200, "a farewell looks, too");
});

test("a look slides no lease: a pass that is not fresh needs the click", async (t) => {
  const { inside } = await begin(t, { pass_ttl_s: 1, lease_idle_s: 60 });
  const buyer = await inside();
  const { freshUntil } = passTimes(buyer.cookie("pass"));
  await eventually(() => Date.now() > freshUntil + 50, { what: "the end of the pass's freshness" });
  const look = await buyer.request("/buy/seats", { headers: LOOKS["Turbo 8"] });
  assert.deepEqual([look.status, look.headers["set-cookie"]], [503, undefined]);
  const click = await buyer.arrive("/buy/seats");
  assert.ok(click.state === "shop" && setCookies(click)[PASS], "renewed");
});

test("open to all: a look sees the shop as everybody does", async (t) => {
  const { world } = await begin(t, { mode: "bypass" });
  for (const headers of [...Object.values(LOOKS), cross("no-cors", "image")]) {
    assert.equal((await raw(world.baton.port, "/buy/", { headers })).status, 200);
  }
});

test("pages of other sites walk nobody in, and HEAD does not", async (t) => {
  const { world, report, reached } = await begin(t, { permits: 5 });
  for (const headers of [
    cross("navigate", "iframe"),
    cross("no-cors", "empty"),
    cross("no-cors", "image"),
    cross("cors", "empty"),
    cross("navigate", "object"),
    cross("navigate", "embed"),
  ]) {
    const visitor = world.visitor();
    for (let again = 0; again < 2; again += 1)
      assert.equal((await visitor.request("/buy/", { headers })).headers["baton-state"], "waiting", JSON.stringify(headers));
    assert.equal(visitor.cookie("ticket"), undefined);
  }
  const head = await raw(world.baton.port, "/buy/", { method: "HEAD", headers: PAGE });
  assert.deepEqual([head.status, head.headers["baton-state"]], [200, "waiting"]);
  assert.deepEqual(reached(), []);
  const { totals, inside } = await report();
  assert.deepEqual([totals.walked_in, inside], [0, 0]);
  const linked = await raw(world.baton.port, "/buy/", { headers: cross("navigate", "document") });
  assert.match(linked.body, /^shop/, "who follows a link walks in");
});

test("c35_another_site_ends_no_visit: no pass counts for what its pages fetch; the buyer's own requests, apps and sister hosts do", async (t) => {
  const { world, report, inside, reached } = await begin(t, { app_origins: ["https://app.example"] });
  const buyer = await inside();
  const before = reached().length;
  for (const headers of [
    cross("no-cors", "image", { accept: "image/*" }),
    cross("no-cors", "script"),
    cross("cors", "empty"),
    cross("navigate", "embed"),
    cross("no-cors", "empty", { ...PAGE, origin: "https://evil.example" }),
  ]) {
    for (const method of ["GET", "POST", "HEAD"]) {
      const answer = await buyer.request("/buy/done", { method, headers });
      assert.deepEqual([answer.status, answer.headers["set-cookie"]], [429, undefined], `${method} ${JSON.stringify(headers)}`);
    }
  }
  assert.equal(reached().length, before, "none of it reached the shop");
  assert.equal((await report()).inside, 1);
  for (const headers of [
    cross("cors", "empty", { ...JSON_ONLY, origin: "https://app.example" }),
    { ...JSON_ONLY, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
    { ...JSON_ONLY, "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    JSON_ONLY,
  ])
    assert.equal((await buyer.request("/buy/seats", { headers })).status, 200, JSON.stringify(headers));
  const credentials = buyer.jar.header().replaceAll("baton-", "");
  const app = await raw(world.baton.port, "/buy/seats", {
    headers: { ...cross("cors", "empty", JSON_ONLY), host: buyer.url.host, "baton-credentials": credentials },
  });
  assert.equal(app.status, 200, "credentials are the app's own");
});

test("a bank's way back counts: in the window by GET and POST, in 3-D Secure's frame by POST; the commands there are done", async (t) => {
  const { report, inside, reached } = await begin(t);
  const buyer = await inside();
  const bank = { origin: "https://acs.bank.example" };
  const framed = await buyer.request("/buy/3ds", { method: "POST", body: "cres=abc", headers: { ...cross("navigate", "iframe", FORM), ...bank } });
  assert.match(framed.body, /^shop \d+$/);
  const posted = await buyer.request("/buy/paid", { method: "POST", body: "ok=1", headers: { ...cross("navigate", "document", FORM), ...bank } });
  assert.match(posted.body, /^shop \d+$/);
  const returned = await buyer.request("/buy/done?order=1", { headers: cross("navigate", "document") });
  assert.match(returned.body, /^shop \d+$/);
  assert.deepEqual(reached().slice(-3), ["POST /buy/3ds", "POST /buy/paid", "GET /buy/done?order=1"]);
  await eventually(async () => (await report()).totals.released === 1, { what: "the release on the way back" });
});

test("leave by the form, take a new number, be called, be in: each page is got by GET and says what holds", async (t) => {
  const { world, report, inside } = await begin(t);
  const holder = await inside();
  const visitor = world.visitor();
  const { origin } = visitor.url;
  await visitor.arrive("/buy/seats?row=4");
  const first = await visitor.arrive("/buy/seats?row=4");
  assert.equal(first.state, "waiting");
  const form = (call, referer, more = {}) =>
    visitor.request(`/__baton/onsale/${call}`, { method: "POST", body: "", headers: { ...FORM, origin, referer: origin + referer, ...more } });
  const left = await form("leave", "/buy/seats?row=4");
  assert.deepEqual([left.status, left.headers.location], [303, "/__baton/onsale/left?to=%2Fbuy%2Fseats%3Frow%3D4"]);
  assert.deepEqual(visitor.jar.names(), [VISITOR]);
  const page = await visitor.request(left.headers.location, { headers: { ...PAGE, "accept-language": "de" } });
  assert.equal(page.status, 200);
  assert.match(page.body, /<html lang="de"[^]*data-state="over" data-reason="left"/);
  assert.doesNotMatch(page.body, /http-equiv="refresh"/, "nothing loads it again");
  assert.deepEqual([page.headers["cache-control"], page.headers.refresh, setCookies(page)[TICKET]], ["private, no-store", undefined, undefined]);
  const spoken = await form("language/ja", left.headers.location);
  assert.deepEqual([spoken.status, spoken.headers.location], [303, left.headers.location], "in another language it is the same page");
  assert.equal((await report()).waiting, 0);
  const again = await form("join", left.headers.location);
  assert.deepEqual([again.status, again.headers.location], [303, "/buy/seats?row=4"]);
  const second = await visitor.arrive(again.headers.location);
  assert.deepEqual([second.state, second.number], ["waiting", first.number + 1]);
  const back = await visitor.request(left.headers.location, { headers: PAGE });
  assert.deepEqual([back.status, back.headers.location], [303, "/buy/seats?row=4"], "who has a place again is led to it");
  await holder.leave();
  await eventually(async () => (await visitor.status()).json.state === "called", { what: "the call" });
  assert.match((await visitor.arrive("/buy/seats?row=4")).body, /^shop/);
});

test("the page after leaving leads nowhere but into its own room, and who has nothing to leave sees it too", async (t) => {
  const { world } = await begin(t, { permits: 0 });
  const { port } = world.baton;
  const host = new URL(world.url).host;
  const join = (referer, cookie) =>
    raw(port, "/__baton/onsale/join", { method: "POST", headers: { ...FORM, host, cookie, origin: `http://${host}`, referer } });
  const visitor = world.visitor();
  await visitor.status();
  for (const to of ["//evil.example/buy/", "https://evil.example/", "/elsewhere", "/__baton/onsale/leave", "%", "/buy%0d%0aX: 1"]) {
    const joined = await join(`http://${host}/__baton/onsale/left?to=${encodeURIComponent(to)}`, visitor.jar.header());
    assert.deepEqual([joined.status, joined.headers.location], [303, "/buy/"], to);
  }
  const stranger = await raw(port, "/__baton/onsale/leave", { method: "POST", headers: { ...FORM, host } });
  assert.deepEqual([stranger.status, stranger.headers.location], [303, "/__baton/onsale/left"]);
  const script = await raw(port, "/__baton/onsale/leave", { method: "POST", headers: JSON_ONLY });
  assert.equal(script.status, 204);
});

test("a newcomer's form gets a name with the page, so that the page's socket opens at once", async (t) => {
  const { world, reached } = await begin(t, { permits: 0 });
  const visitor = world.visitor();
  const posted = await visitor.arrive("/buy/order", { method: "POST", headers: FORM, body: "x=1" });
  assert.deepEqual([posted.status, Object.keys(setCookies(posted))], [429, [VISITOR]]);
  await visitor.openSocket();
  assert.equal(visitor.number, 1);
  const script = await raw(world.baton.port, "/buy/order", { method: "POST", headers: JSON_ONLY, body: "x=1" });
  assert.deepEqual([script.status, script.headers["set-cookie"]], [429, undefined], "who gets no page gets none");
  assert.deepEqual(reached(), []);
});

test("no address of a static file leads to another file of the assets", async (t) => {
  const world = await startWorld(t);
  for (const path of ["../openapi.json", "%2e%2e/openapi.json", "%2E./openapi.json", "x/../../openapi.json", "./keep.js"]) {
    const answer = await world.raw(`/__baton/static/${path}`);
    assert.equal(answer.status, path === "./keep.js" ? 200 : 404, path);
    assert.ok(!answer.body.includes("openapi"), path);
  }
  assert.equal((await world.raw("/__baton/static/keep.js?v=/../x")).status, 200);
});
