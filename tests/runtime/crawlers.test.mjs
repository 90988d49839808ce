// Search engines' crawlers. `CF-Connecting-IP` is sent by the tests: on Cloudflare no client can.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "operator-operator-operator-operator";
const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const GOOGLE = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "cf-connecting-ip": "66.249.64.1" };
const CRAWLER = { ...PAGE, ...GOOGLE };
/** The name alone, and the address alone. */
const STRANGERS = {
  "another address": { ...CRAWLER, "cf-connecting-ip": "203.0.113.7" },
  "another name": { ...CRAWLER, "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" },
};

/** A world before a shop that takes a permit back at one address. */
async function begin(t, room = {}) {
  const shop = await startOrigin(t, (request, response) => {
    if (request.url === "/buy/done") response.setHeader("Baton-Release", "1");
    response.end(`shop ${request.headers["baton-fence"] ?? "-"}`);
  });
  const world = await startWorld(t, { origin: shop.url, vars: { BATON_ADMIN_TOKEN: TOKEN }, room: { permits: 1, ...room } });
  const operate = (options = {}) =>
    world.raw("/__baton/admin/rooms/onsale", { ...options, headers: { authorization: `Bearer ${TOKEN}`, ...options.headers } });
  const report = async () => JSON.parse((await operate()).body).report;
  const set = async (values) => {
    const set = await operate({ method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify(values) });
    assert.equal(set.status, 200, set.body);
  };
  const crawl = (headers = CRAWLER, { path = "/buy/", ...options } = {}) => world.raw(path, { headers, ...options });
  const reached = () => shop.requests.map(({ method, url }) => `${method} ${url}`);
  return { world, report, set, crawl, reached };
}

/** What a crawler hears that should come again. */
function assertComesAgain(answer, what) {
  assert.deepEqual(
    [answer.status, answer.headers["retry-after"], answer.headers["x-robots-tag"], answer.headers["set-cookie"]],
    [503, "600", undefined, undefined],
    what,
  );
  assert.match(answer.headers["cache-control"], /no-store/, what);
}

test("with crawlers = origin a crawler gets the shop's page in a full room, and takes nothing", async (t) => {
  const { report, crawl, reached } = await begin(t, { permits: 0, crawlers: "origin" });
  for (const headers of [CRAWLER, { ...GOOGLE, accept: "*/*" }]) {
    const page = await crawl(headers);
    assert.deepEqual([page.status, page.body, page.headers["set-cookie"], page.headers["x-robots-tag"]], [200, "shop -", undefined, undefined]);
  }
  assert.deepEqual(reached(), ["GET /buy/", "GET /buy/"]);
  const { totals, inside, waiting, next_number: next } = await report();
  assert.deepEqual([totals.walked_in, totals.joined, totals.released, inside, waiting, next], [0, 0, 0, 0, 0, 1]);
});

test("a permit that is free stays free, and what the shop asks in its answer to a crawler takes none back", async (t) => {
  const { world, report, crawl } = await begin(t, { crawlers: "origin" });
  assert.equal((await crawl()).body, "shop -");
  assert.equal((await report()).inside, 0);
  assert.equal((await world.visitor().arrive()).state, "shop", "the permit is still there");
  const done = await crawl(CRAWLER, { path: "/buy/done" });
  assert.deepEqual([done.body, done.headers["baton-release"], done.headers["set-cookie"]], ["shop -", undefined, undefined]);
  const { inside, totals } = await report();
  assert.deepEqual([inside, totals.released], [1, 0]);
});

test("a name alone gets nothing, nor an address alone; everybody else keeps noindex", async (t) => {
  const { crawl, reached } = await begin(t, { permits: 0, crawlers: "origin" });
  for (const [who, headers] of Object.entries(STRANGERS)) {
    const page = await crawl(headers);
    assert.deepEqual([page.status, page.headers["baton-state"], page.headers["x-robots-tag"]], [200, "waiting", "noindex"], who);
    assert.ok(page.headers["set-cookie"], `${who} gets a name like everybody`);
  }
  assert.deepEqual(reached(), []);
});

test("a crawler's POST, its HEAD, and whoever shows a cookie get no further than everybody", async (t) => {
  const { crawl, report, reached } = await begin(t, { permits: 0, crawlers: "origin" });
  const form = await crawl({ ...CRAWLER, "content-type": "application/x-www-form-urlencoded" }, { method: "POST", body: "seat=1" });
  assert.deepEqual([form.status, form.headers["x-robots-tag"]], [429, "noindex"]);
  const cookie = await crawl({ ...CRAWLER, cookie: "basket=1" });
  assert.deepEqual([cookie.status, cookie.headers["baton-state"], cookie.headers["x-robots-tag"]], [200, "waiting", "noindex"]);
  const credentials = await crawl({ ...CRAWLER, "baton-credentials": "x" });
  assert.equal(credentials.headers["baton-state"], "waiting");
  const look = await crawl({ ...CRAWLER, "sec-purpose": "prefetch" });
  assert.equal(look.status, 503);
  assertComesAgain(await crawl(CRAWLER, { method: "HEAD" }), "HEAD");
  assert.deepEqual(reached(), []);
  const { totals, next_number: next } = await report();
  assert.deepEqual([totals.walked_in, totals.joined, next], [0, 0, 1]);
});

test("more crawlers than a shop can bear come again, and no free permit helps them", async (t) => {
  const { crawl, report, reached } = await begin(t, { permits: 100, crawlers: "origin" });
  let asked = 0;
  const refused = await eventually(
    async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => crawl()));
      asked += answers.length;
      return answers.find(({ status }) => status !== 200);
    },
    { what: "a crawler that is sent away", timeoutMs: 60_000 },
  );
  assertComesAgain(refused);
  assert.ok(reached().length < asked);
  assert.equal((await report()).inside, 0);
});

test("without that setting a crawler comes like everybody, and hears 503 where others wait", async (t) => {
  const { world, crawl, reached } = await begin(t, { permits: 0 });
  assertComesAgain(await crawl(), "full");
  assertComesAgain(await crawl({ ...GOOGLE, accept: "*/*" }), "whatever it accepts");
  assert.deepEqual(reached(), []);
  const page = await world.visitor().request("/buy/", { headers: PAGE });
  assert.deepEqual([page.status, page.headers["x-robots-tag"]], [200, "noindex"]);
});

test("a pause holds crawlers back, too, also where only they come", async (t) => {
  const { crawl, set } = await begin(t, { permits: 0, crawlers: "origin" });
  assert.equal((await crawl()).status, 200);
  await set({ mode: "paused" });
  const held = await eventually(
    async () => {
      const answer = await crawl();
      return answer.status === 503 && (await set({ mode: "open" }), answer);
    },
    { what: "the pause", timeoutMs: 60_000, everyMs: 250 },
  );
  assertComesAgain(held);
  await eventually(async () => (await crawl()).status === 200, { what: "the end of the pause", timeoutMs: 60_000, everyMs: 250 });
});

test("a room that is closed for long shows a crawler what the operator says, for its index; one that opens soon does not", async (t) => {
  const opens = (inMs) => new Date(Date.now() + inMs).toISOString().replace(/\.\d+Z$/, "Z");
  const words = { page_title: "The Kumo Tour", page_message: "Tickets from Monday, ten o'clock." };
  for (const room of [{ mode: "closed" }, { mode: "sold_out" }, { opens_at: [opens(7 * 86_400_000)] }]) {
    const { crawl, reached } = await begin(t, { ...words, ...room });
    const page = await eventually(
      async () => {
        const answer = await crawl();
        return answer.status === 200 && answer;
      },
      { what: "a page for the index", timeoutMs: 60_000 },
    );
    assert.deepEqual([page.headers["x-robots-tag"], page.headers["set-cookie"], page.headers["baton-state"]], [undefined, undefined, "waiting"]);
    assert.match(page.body, /The Kumo Tour/);
    assert.match(page.body, /Tickets from Monday/);
    assert.doesNotMatch(page.body, /noindex/);
    assert.doesNotMatch(page.body, /http-equiv="refresh"/);
    for (const headers of Object.values(STRANGERS)) assert.equal((await crawl(headers)).headers["x-robots-tag"], "noindex");
    assert.deepEqual(reached(), []);
  }
  const { crawl, world } = await begin(t, { ...words, opens_at: [opens(3_600_000)] });
  await world.visitor().arrive();
  assertComesAgain(await crawl(), "an hour before the opening");
});
