// A pass that is shown where none is needed: on a room's exceptions, and on paths of no room. A shop may end a visit at the address of the receipt, and
// may ask a permit of some calls only.

import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { eventually, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "operator-operator-operator-operator";
const HTML = { accept: "text/html,*/*;q=0.8" };
const TO_PAGE = { ...HTML, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/** A shop that answers with the headers which the query names, and remembers the fence with which each path was asked. */
async function shopping(t, rooms) {
  const reached = [];
  const shop = await startOrigin(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://shop");
    reached.push({ method: request.method, pathname, fence: request.headers["baton-fence"], room: request.headers["baton-room"] });
    for (const [name, value] of searchParams) response.setHeader(name, value);
    response.end("ok");
  });
  const short = { permits: 1, tick_ms: 50, linger_s: 60 };
  const all = Object.fromEntries(Object.entries(rooms).map(([name, room]) => [name, { ...short, ...room }]));
  const world = await startWorld(t, { origin: shop.url, rooms: all, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const report = async (room) => {
    const answer = await raw(world.baton.port, `/__baton/admin/rooms/${room}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return JSON.parse(answer.body).report;
  };
  return { ...world, reached, report };
}

const receipts = { onsale: { paths: ["/buy/*"], bypass_paths: ["/buy/receipt/*", "POST /buy/api", "GET /buy/*?token=*"] } };

async function inside(world, path = "/buy/") {
  const buyer = world.visitor();
  assert.equal((await buyer.arrive(path)).state, "shop");
  return buyer;
}

const isOver = async (buyer) => (await buyer.status()).json.state === "over";
const goes = (buyer, path, headers = TO_PAGE) => buyer.request(path, { headers });

test("an exception: a pass that is shown goes on with its fence, and the shop gives the permit back; who shows none comes as ever", async (t) => {
  const world = await shopping(t, receipts);
  const buyer = await inside(world);
  const { fence } = world.reached.at(-1);
  assert.ok(Number(fence) > 0);
  await buyer.request("/buy/api", { method: "POST", headers: { accept: "application/json" }, body: "{}" });
  assert.deepEqual(world.reached.at(-1), { method: "POST", pathname: "/buy/api", fence, room: "onsale" });
  const stranger = await raw(world.baton.port, "/buy/api", { method: "POST", body: "{}" });
  assert.deepEqual([stranger.status, world.reached.at(-1).fence, stranger.headers["set-cookie"]], [200, undefined, undefined]);
  const extended = await goes(buyer, "/buy/receipt/7?baton-extend=60");
  assert.ok(setCookies(extended)["baton-onsale-pass"], "more time, in a new pass");
  const receipt = await goes(buyer, "/buy/receipt/7?baton-release=1");
  assert.deepEqual([receipt.status, receipt.headers["baton-release"]], [200, undefined]);
  assert.ok(setCookies(receipt)["baton-onsale-pass"], "a farewell");
  await eventually(() => isOver(buyer), { what: "the release" });
  // The mailed link, another day and on another device.
  const later = await raw(world.baton.port, "/buy/receipt/7?baton-release=1", { headers: TO_PAGE });
  assert.deepEqual([later.status, later.body, later.headers["set-cookie"]], [200, "ok", undefined]);
  const mailed = (token) => raw(world.baton.port, `/buy/form${token}`, { headers: { accept: "application/json" } });
  assert.deepEqual([(await mailed("?token=ab")).status, (await mailed("")).status], [200, 429]);
});

test("an exception: a pass that was copied before the release is asked about where the room is strict", async (t) => {
  const world = await shopping(t, { onsale: { ...receipts.onsale, strict: "all" } });
  const buyer = await inside(world);
  const copied = `baton-onsale-pass=${buyer.cookie("pass")}`;
  const asks = (headers) => raw(world.baton.port, "/buy/api", { method: "POST", headers, body: "{}" });
  await asks({ cookie: copied });
  assert.ok(Number(world.reached.at(-1).fence) > 0);
  await goes(buyer, "/buy/receipt/7?baton-release=1");
  await asks({ cookie: copied });
  assert.deepEqual([world.reached.at(-1).pathname, world.reached.at(-1).fence], ["/buy/api", undefined], "forwarded, and as a stranger's");
});

test("an exception of a room that keeps nobody out: the shop learns that no lease is needed", async (t) => {
  const world = await shopping(t, { onsale: { ...receipts.onsale, mode: "observe" } });
  assert.equal((await raw(world.baton.port, "/buy/api", { method: "POST", body: "{}" })).status, 200);
  assert.deepEqual(world.reached.at(-1), { method: "POST", pathname: "/buy/api", fence: undefined, room: "onsale" });
});

test("an exception: what another site asks for, or a part of a page, shows no pass", async (t) => {
  const world = await shopping(t, receipts);
  const buyer = await inside(world);
  const image = { accept: "image/*", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
  for (const site of ["cross-site", "same-origin"]) {
    await goes(buyer, "/buy/receipt/7?baton-release=1", { ...image, "sec-fetch-site": site });
    assert.equal(world.reached.at(-1).fence, undefined, site);
  }
  const looked = await goes(buyer, "/buy/receipt/7?baton-release=1", { ...TO_PAGE, "sec-purpose": "prefetch" });
  assert.equal(looked.status, 503, "the click asks again");
  assert.equal((await buyer.status()).json.state, "admitted");
  await goes(buyer, "/buy/receipt/7?baton-release=1", { ...TO_PAGE, "sec-fetch-site": "cross-site" });
  await eventually(() => isOver(buyer), { what: "a bank's link to the receipt" });
});

test("a path of no room: the shop gives the permit of the one pass that is shown, and learns of it nothing before", async (t) => {
  const world = await shopping(t, { onsale: { paths: ["/buy/*"] } });
  const buyer = await inside(world);
  const receipt = await goes(buyer, "/receipt?baton-release=1");
  assert.deepEqual([receipt.status, receipt.headers["baton-release"], world.reached.at(-1).fence], [200, undefined, undefined]);
  assert.ok(setCookies(receipt)["baton-onsale-pass"], "a farewell");
  assert.match(receipt.headers["cache-control"], /private/);
  await eventually(() => isOver(buyer), { what: "the release" });
  const again = await goes(buyer, "/receipt?baton-release=1");
  assert.deepEqual([again.status, again.headers["set-cookie"]], [200, undefined], "a farewell gives nothing back");
});

test("a path of no room: of several passes the shop names one, and a command that is ignored is said once for its path", async (t) => {
  const world = await shopping(t, { onsale: { paths: ["/buy/*"] }, vip: { paths: ["/vip/*"] } });
  const buyer = await inside(world);
  assert.equal((await buyer.arrive("/vip/")).state, "shop");
  const ignored = () => coded(world.logs(), "release_ignored").map(({ why, room }) => [room, why]);
  for (const order of ["AB3CD", "EF4GH"]) await goes(buyer, `/order/${order}/paid?baton-release=1`);
  await goes(buyer, "/receipt?baton-release=other");
  await goes(buyer, "/cached?baton-release=onsale&age=7");
  await goes(buyer, "/more?baton-extend=60");
  await goes(buyer, "/buy/x?baton-release=vip");
  await raw(world.baton.port, "/receipt?baton-release=1", { headers: TO_PAGE });
  assert.equal((await buyer.status()).json.state, "admitted");
  await eventually(() => ignored().length >= 6, { what: "all of it said", timeoutMs: 30_000 });
  assert.deepEqual(ignored(), [
    [undefined, "passes of several rooms are shown: answer with the room's name: /order/*/paid"],
    [undefined, "it is neither 1 nor the name of a room whose pass is shown: /receipt"],
    [undefined, "the answer came out of a cache: /cached"],
    [undefined, "Baton-Extend counts on a room's paths and exceptions only: /more"],
    ["onsale", "it is neither 1 nor the name of a room whose pass is shown: /buy/x"],
    [undefined, "no pass is shown: /receipt"],
  ]);
  const counted = async (room) => (await world.report(room)).totals.unheeded;
  // Not who shows no pass, and not whose pass is over: nobody keeps a permit by that.
  const both = async () => [await counted("onsale"), await counted("vip")];
  const isTold = async () => (await both()).every((count, at) => count >= [6, 5][at]);
  await eventually(isTold, { what: "the desk's count", timeoutMs: 60_000 });
  assert.deepEqual(await both(), [6, 5]);
  await goes(buyer, "/receipt?baton-release=onsale");
  await eventually(() => isOver(buyer), { what: "the release by the room's name" });
  const vip = await buyer.request("/__baton/vip/status");
  assert.equal(JSON.parse(vip.body).state, "admitted");
});
