// What comes first by a form, in a frame, or once more after a purchase: who walks in, what waits, and where the turn leads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { eventually, passTimes, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const PAGE = { accept: "text/html,*/*;q=0.8" };
const FORM = { ...PAGE, "content-type": "application/x-www-form-urlencoded" };
const TOKEN = "operator-operator-operator-operator";
const fetched = (site, mode, dest, more = {}) => ({ "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest, ...more });
const CLICK = { ...PAGE, ...fetched("same-origin", "navigate", "document", { "sec-fetch-user": "?1" }) };

/** A world before a shop that says what reached it, and releases at `/buy/done`. */
async function begin(t, room = {}) {
  const shop = await startOrigin(t, (request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      if (request.url === "/buy/done") response.setHeader("Baton-Release", "1");
      response.end(`shop ${request.method} ${request.headers["baton-fence"] ?? "-"} ${Buffer.concat(parts)}`);
    });
  });
  const world = await startWorld(t, { origin: shop.url, vars: { BATON_ADMIN_TOKEN: TOKEN }, room: { permits: 1, ...room } });
  const report = async () =>
    JSON.parse((await world.raw("/__baton/admin/rooms/onsale", { headers: { authorization: `Bearer ${TOKEN}` } })).body).report;
  const origin = new URL(world.url).origin;
  const send = (visitor, headers, path = "/buy/order") => visitor.request(path, { method: "POST", body: "seat=7", headers: { ...FORM, ...headers } });
  const inside = async () => {
    const visitor = world.visitor();
    await visitor.arrive();
    await eventually(async () => (await visitor.arrive(), !passTimes(visitor.cookie("pass")).provisional), { what: "a confirmed pass" });
    return visitor;
  };
  return { world, shop, report, origin, send, inside };
}

test("who comes first by a form or a script of this host walks in with what was sent; by anything else nobody does", async (t) => {
  const { world, shop, report, origin, send } = await begin(t, { permits: 10 });
  const own = {
    "a form": fetched("same-origin", "navigate", "document", { origin }),
    "a script": { accept: "*/*", ...fetched("same-origin", "cors", "empty", { origin }) },
    "a browser that says no more than its origin": { origin },
  };
  let last = 0;
  for (const [name, headers] of Object.entries(own)) {
    const sent = await send(world.visitor(), headers);
    const fence = Number(/^shop POST (\d+) seat=7$/.exec(sent.body)?.[1]);
    assert.ok(sent.status === 200 && fence > last, `${name}: ${sent.status} ${sent.body}, after ${last}`);
    last = fence;
    assert.ok(setCookies(sent)["baton-onsale-pass"], name);
  }
  const others = {
    "a program": {},
    "another origin": { origin: "https://evil.example" },
    "no origin that it would name": { origin: "null" },
    "another site": fetched("cross-site", "navigate", "document", { origin }),
    "a sister host": fetched("same-site", "navigate", "document"),
    "a beacon": fetched("same-origin", "no-cors", "empty", { origin }),
    "another method": { origin, "x-http-method-override": "DELETE" },
    "a look": { ...own["a form"], "sec-purpose": "prefetch" },
    "a frame of another site": fetched("cross-site", "navigate", "iframe", { origin: "null" }),
  };
  const reached = shop.requests.length;
  for (const [name, headers] of Object.entries(others)) {
    const refused = await send(world.visitor(), headers);
    assert.ok([429, 503].includes(refused.status), `${name}: ${refused.status}`);
    assert.equal(setCookies(refused)["baton-onsale-pass"], undefined, name);
  }
  const put = await world.visitor().request("/buy/order", { method: "PUT", body: "x", headers: own["a script"] });
  assert.equal(put.status, 429);
  assert.equal(shop.requests.length, reached);
  assert.equal((await report()).totals.walked_in, Object.keys(own).length);
});

test("in a full room a form waits and takes no number by itself; whoever is called gets in by it", async (t) => {
  const { world, shop, report, origin, send, inside } = await begin(t);
  const holder = await inside();
  const headers = fetched("same-origin", "navigate", "document", { origin });
  const visitor = world.visitor();
  for (let again = 0; again < 2; again += 1) assert.deepEqual([(await send(visitor, headers)).status, visitor.cookie("ticket")], [429, undefined]);
  assert.equal((await report()).waiting, 0);
  await visitor.join();
  await holder.leave();
  await eventually(async () => (await visitor.status()).json.state === "called", { what: "the call" });
  assert.match((await send(visitor, headers)).body, /^shop POST \d+ seat=7$/);
  assert.deepEqual([shop.requests.filter(({ method }) => method === "POST").length, (await report()).inside], [1, 1], "sent once");
});

test("after a wait that began with a form the page leads to the page that sent it, else to the room's start, else to its first address", async (t) => {
  const rooms = (more) => ({ permits: 0, paths: ["/buy/*"], ...more });
  for (const [room, referer, back, start] of [
    [{}, "/buy/seats?row=4", "/buy/seats?row=4", ""],
    [{}, "/concert", "/buy/", ""],
    [{}, null, "/buy/", ""],
    [{ page_start: "/buy/begin" }, "/buy/seats?row=4", "/buy/seats?row=4", ""],
    [{ page_start: "/buy/begin" }, "/concert", "/buy/begin", ""],
    [{ page_start: "/tickets" }, "/concert", "/buy/", "/tickets"],
    [{ page_start: "/tickets" }, "/buy/seats", "/buy/seats", ""],
  ]) {
    const { world, origin, send } = await begin(t, rooms(room));
    const visitor = world.visitor();
    const { body } = await send(visitor, { origin, ...(referer && { referer: origin + referer }) });
    const said = [/data-back="([^"]*)"/, /data-start="([^"]*)"/, /<noscript><meta http-equiv="refresh" content="\d+;url=([^"]*)"/].map(
      (part) => part.exec(body)?.[1],
    );
    assert.deepEqual(said, [back, start, back], `${JSON.stringify(room)} ${referer}`);
    const form = /action="(\/__baton\/onsale\/join[^"]*)"/.exec(body)[1];
    const joined = await visitor.request(form, { method: "POST", body: "", headers: { ...FORM, origin, referer: `${origin}/buy/order` } });
    assert.deepEqual([joined.status, joined.headers.location], [303, back]);
    const asked = await visitor.arrive("/buy/x");
    assert.match(asked.body, /data-back="" data-start=""/, "a page that was only asked for is its own");
    if (room.page_start || referer) await world.baton.stop();
  }
});

test("in another's frame stands one link: no place, no cookie, framable by anybody; 3-D Secure's POST with a pass goes on", async (t) => {
  const { world, shop, report, origin, send, inside } = await begin(t);
  const frame = { ...PAGE, ...fetched("cross-site", "navigate", "iframe") };
  const stranger = world.visitor();
  for (let again = 0; again < 2; again += 1) {
    const waiting = await stranger.request("/buy/x?a=1&b=2", { headers: { ...frame, "accept-language": "de" } });
    assert.deepEqual(
      [waiting.status, waiting.headers["set-cookie"], waiting.headers["x-frame-options"], waiting.headers["baton-state"]],
      [200, undefined, undefined, "waiting"],
    );
    assert.match(waiting.headers["content-security-policy"], /^default-src 'none'; .*frame-ancestors \*$/);
    assert.match(
      waiting.body,
      /<html lang="de" dir="ltr">.*<a href="\/buy\/x\?a=1&amp;b=2" target="_blank" rel="noopener">In einem neuen Fenster öffnen<\/a>/s,
    );
    assert.doesNotMatch(waiting.body, /<form|<script|data-|refresh/);
    assert.match(waiting.headers.vary, /Sec-Fetch-Dest/);
  }
  assert.deepEqual([shop.requests.length, (await report()).totals.walked_in], [0, 0], "though a permit is free");
  const posted = await send(world.visitor(), { ...fetched("cross-site", "navigate", "iframe"), origin: "https://acs.bank.example" }, "/buy/3ds");
  assert.deepEqual([posted.status, posted.headers["set-cookie"]], [429, undefined]);
  assert.match(posted.body, /<a href="\/buy\/" target="_blank"/, "never the address of the form");
  const buyer = await inside();
  const bank = await send(buyer, { ...fetched("cross-site", "navigate", "iframe"), origin: "https://acs.bank.example" }, "/buy/3ds");
  assert.match(bank.body, /^shop POST \d+ seat=7$/);
  const page = await stranger.request("/buy/", { headers: { ...PAGE, ...fetched("same-origin", "navigate", "iframe") } });
  assert.match(page.headers["content-security-policy"], /frame-ancestors 'self'/, "the site's own frame shows the page");
  const silent = await raw(world.baton.port, "/buy/", { headers: PAGE });
  assert.match(silent.headers["content-security-policy"], /frame-ancestors 'self'/, "a browser that does not speak of frames gets the page");
  assert.equal(origin, new URL(world.url).origin);
});

test("a second purchase walks in by a click when a permit is free and nobody waits, and not by what the order itself loads", async (t) => {
  const { world, report, send, inside, origin } = await begin(t, { pass_ttl_s: 20 });
  const buyer = await inside();
  const done = await buyer.arrive("/buy/done", { headers: CLICK });
  assert.match(done.body, /^shop GET \d/);
  const releasedAt = Date.now();
  await eventually(async () => (await report()).totals.released === 1, { what: "the release" });
  const loads = async (headers, what) => {
    const answer = await buyer.request("/buy/again", { headers });
    assert.deepEqual([answer.body, setCookies(answer)["baton-onsale-pass"]], ["shop GET - ", undefined], what);
  };
  await loads(CLICK, "what the order leads to, at once");
  await eventually(() => Date.now() > releasedAt + 5_100, { what: "the time in which the order leads to a page" });
  await loads({ ...PAGE, ...fetched("same-origin", "navigate", "document") }, "a refresh, which nobody clicked");
  await loads({ ...PAGE, ...fetched("same-origin", "navigate", "iframe", { "sec-fetch-user": "?1" }) }, "a frame");
  await loads({ ...CLICK, "sec-purpose": "prefetch" }, "a look");
  await loads(PAGE, "a browser that does not speak of clicks");
  const order = { ...FORM, origin, host: new URL(origin).host, cookie: buyer.jar.header() };
  assert.equal(
    (await world.raw("/buy/order", { method: "POST", body: "seat=7", headers: order })).status,
    429,
    "a form under a farewell may be the order once more",
  );
  assert.equal((await report()).inside, 0);
  const again = await buyer.request("/buy/again", { headers: CLICK });
  assert.match(again.body, /^shop GET \d+ $/, "a click walks in");
  assert.ok(setCookies(again)["baton-onsale-pass"]);
  assert.match((await send(buyer, { origin })).body, /^shop POST \d+ seat=7$/, "and what is filled in is sent");
  assert.equal((await report()).inside, 1);
});

test("a click on a farewell takes no number in a full room: the page still loads", async (t) => {
  const { world, report, inside } = await begin(t, { pass_ttl_s: 20, tick_ms: 50 });
  const buyer = await inside();
  await buyer.arrive("/buy/done", { headers: CLICK });
  const releasedAt = Date.now();
  await eventually(async () => (await world.visitor().arrive()).state === "shop", { what: "the next in the room" });
  await eventually(() => Date.now() > releasedAt + 5_100, { what: "the time in which the order leads to a page" });
  const again = await buyer.request("/buy/again", { headers: CLICK });
  assert.equal(again.body, "shop GET - ");
  const { waiting, inside: people, totals } = await report();
  assert.deepEqual([waiting, people, totals.joined], [0, 1, 0]);
});

test("a room that observes lets everybody in; its log and its desk count what could not have come in by itself", async (t) => {
  const { world, report, origin, send } = await begin(t, { mode: "observe" });
  const own = fetched("same-origin", "navigate", "document", { origin });
  assert.match((await send(world.visitor(), own)).body, /^shop POST \d+ seat=7$/, "a form of the host's own page walks in here as there");
  const { totals } = await report();
  assert.equal(totals.walked_in, 1);
  assert.deepEqual(coded(world.logs(), "observed_only"), []);
  for (let again = 0; again < 3; again += 1) assert.equal((await send(world.visitor(), {})).body, "shop POST - seat=7");
  await eventually(() => coded(world.logs(), "observed_only").length > 0, { what: "the line" });
  const said = coded(world.logs(), "observed_only");
  assert.deepEqual(
    said.map(({ room, count }) => [room, count]),
    [["onsale", 1]],
    "once in ten seconds",
  );
  assert.equal((await world.visitor().request("/buy/", { headers: { ...PAGE, "sec-purpose": "prefetch" } })).status, 200);
  // One request tells it at once, the rest follow; the lobby gathers for ten seconds each time.
  await eventually(async () => (await report()).observation.only === 3, { what: "the desk's count", timeoutMs: 60_000 });
});
