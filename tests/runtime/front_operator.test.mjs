// What the operator sees under /__baton/admin/ and /__baton/metrics: with the token everything, without it nothing.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { eventually, raw, setCookies, startWorld } from "./support/world.mjs";

const TOKEN = "an operator's token that nobody guesses";
const AUTHORIZED = { headers: { authorization: `Bearer ${TOKEN}` } };

const world = (t, options = {}) => startWorld(t, { room: { permits: 1 }, ...options, vars: { BATON_ADMIN_TOKEN: TOKEN, ...options.vars } });

/** `get(path, options)` from the world's front. */
const getter =
  ({ url }) =>
  (path, options = AUTHORIZED) =>
    fetch(new URL(path, url), options);

test("join attempts, repeats included, are counted and shown, beside where everybody is", async (t) => {
  const baton = await world(t, { room: { permits: 1, linger_s: 60 } });
  const get = getter(baton);
  const holder = baton.visitor();
  await holder.arrive();
  await holder.arrive();
  const visitors = [baton.visitor(), baton.visitor()];
  for (const visitor of visitors) {
    await visitor.join();
    await visitor.join();
    await visitor.join();
  }
  // One walked in, two joined, and each asked once more: repeats are told within ten seconds.
  const shown = await eventually(
    async () => {
      const { report, ...room } = await (await get("/__baton/admin/rooms/onsale")).json();
      return report.totals.attempts >= 5 && { report, room };
    },
    { timeoutMs: 30_000 },
  );
  assert.equal(shown.report.totals.attempts, 5);
  assert.deepEqual([shown.room.room, shown.room.paths, shown.room.lobbies], ["onsale", ["/buy/*"], 1]);
  const { permits, inside, waiting, present, called, hand, tray, totals } = shown.report;
  assert.deepEqual([permits, inside, waiting, present, called, hand, tray], [1, 1, 2, 2, 0, 0, 0]);
  assert.deepEqual([totals.walked_in, totals.joined], [1, 2]);
  const rooms = await (await get("/__baton/admin/rooms")).json();
  assert.deepEqual(
    rooms.rooms.map(({ room, report }) => [room, report.waiting]),
    [["onsale", 2]],
  );
});

test("metrics are OpenMetrics text, one line a figure, the room in its label", async (t) => {
  const baton = await world(t);
  const visitor = baton.visitor();
  await visitor.arrive();
  await visitor.arrive();
  const answer = await getter(baton)("/__baton/metrics");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "private, no-store");
  const text = await answer.text();
  const value = (sample) =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${sample} `))
      ?.split(" ")[1];
  assert.equal(value('baton_up{room="onsale"}'), "1");
  assert.equal(value('baton_permits{room="onsale"}'), "1");
  assert.equal(value('baton_inside{room="onsale"}'), "1");
  assert.equal(value('baton_tickets_issued_total{room="onsale",how="walk_in"}'), "1");
  assert.ok(text.endsWith("# EOF\n"));
});

test("the journal comes in pages that continue one another's hash chain", async (t) => {
  const baton = await world(t);
  const get = getter(baton);
  const visitor = baton.visitor();
  await visitor.arrive();
  await visitor.arrive();
  await visitor.leave();
  const lines = async (after) => {
    const answer = await get(`/__baton/admin/rooms/onsale/journal?after=${after}`);
    assert.equal(answer.status, 200, await answer.clone().text());
    assert.equal(answer.headers.get("content-type"), "application/x-ndjson; charset=utf-8");
    const [header, ...rows] = (await answer.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    return { header, rows };
  };
  const whole = await eventually(async () => {
    const page = await lines(0);
    return JSON.stringify(page.rows).includes('"ended"') && page;
  });
  assert.deepEqual(whole.header, { baton_journal: 1, room: "onsale", after: 0, previous: "0".repeat(64) });
  let { previous } = whole.header;
  for (const [index, { version, at_ms, wall_ms, facts, private: hidden, hash }] of whole.rows.entries()) {
    assert.equal(version, index + 1);
    const place = Buffer.alloc(24);
    [version, at_ms, wall_ms].forEach((value, at) => place.writeBigUInt64LE(BigInt(value), 8 * at));
    const shown = createHash("sha256").update(Buffer.from(facts, "base64")).digest();
    const recomputed = createHash("sha256").update(Buffer.from(previous, "hex")).update(place).update(shown);
    recomputed.update(hidden === undefined ? Buffer.alloc(32) : Buffer.from(hidden, "hex"));
    assert.equal(recomputed.digest("hex"), hash, `row ${version}`);
    previous = hash;
  }
  const kinds = whole.rows.flatMap(({ events }) => events).map((event) => (typeof event === "string" ? event : Object.keys(event)[0]));
  for (const kind of ["configured", "walked_in", "ended"]) assert.ok(kinds.includes(kind), `${kind} in ${kinds}`);
  const rest = await lines(2);
  assert.deepEqual([rest.header.after, rest.header.previous], [2, whole.rows[1].hash]);
  assert.deepEqual(rest.rows[0], whole.rows[2]);
  const beyond = await get("/__baton/admin/rooms/onsale/journal?after=100000");
  assert.deepEqual([beyond.status, (await beyond.json()).error], [400, { code: "bad_request", message: "row 100000 is not kept" }]);
});

test("c37_c41_the_operators_token: without it nothing is shown; without an operator nothing is there", async (t) => {
  const baton = await world(t);
  const paths = [
    "/__baton/metrics",
    "/__baton/admin/rooms",
    "/__baton/admin/rooms/onsale",
    "/__baton/admin/rooms/onsale/journal",
    "/__baton/admin/rooms/nowhere",
    "/__baton/admin/nothing",
  ];
  for (const path of paths) {
    for (const headers of [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Basic ${TOKEN}` },
      { authorization: `Bearer ${TOKEN.slice(1)}` },
    ]) {
      const answer = await getter(baton)(path, { headers: { ...headers, "cf-connecting-ip": `203.0.113.${paths.indexOf(path)}` } });
      assert.deepEqual(
        [answer.status, (await answer.json()).error.code, answer.headers.get("www-authenticate")],
        [401, "unauthorized", "Bearer"],
        path,
      );
    }
  }
  const status = async (path, method = "GET") => (await getter(baton)(path, { ...AUTHORIZED, method })).status;
  assert.deepEqual(
    [await status("/__baton/admin/rooms/nowhere"), await status("/__baton/admin/nothing"), await status("/__baton/admin/rooms", "DELETE")],
    [404, 404, 405],
  );
  const bare = await startWorld(t, { vars: { BATON_ADMIN_TOKEN: undefined } });
  for (const path of paths) assert.equal((await getter(bare)(path)).status, 404, path);
});

test("no operator's call reads more than its limit: one byte more is answered, however long the body goes on", { timeout: 60_000 }, async (t) => {
  const { baton } = await world(t, { vars: { GROUNDS: { paths: ["/*"] } } });
  const calls = [
    ["PATCH", "rooms/onsale", 16_384],
    ["POST", "rooms/onsale/reset", 4_096],
    ["POST", "rooms/onsale/leave", 4_096],
    ["POST", "rooms/onsale/rehearsal", 4_096],
    ["POST", "rooms/onsale/staff", 4_096],
    ["POST", "rooms/onsale/sheets", 2_500_000],
    ["POST", "house/plan", 2_000_000],
    ["POST", "house/apply", 2_000_000],
    ["PUT", "house/rooms/new", 32_768],
    ["PUT", "house/brands/onsale", 32_768],
  ];
  for (const [method, path, limit] of calls) {
    // Chunks without a last one: whoever waits for the end of the body never answers.
    const request = http.request({
      host: "127.0.0.1",
      port: baton.port,
      method,
      path: `/__baton/admin/${path}`,
      headers: { ...AUTHORIZED.headers, "if-match": '"1"' },
      agent: false,
    });
    request.write("x".repeat(limit + 1));
    const [answer] = await once(request, "response", { signal: AbortSignal.timeout(10_000) });
    assert.equal(answer.statusCode, 413, `${method} ${path}`);
    request.destroy();
  }
});

test("c123_guesses_at_the_token: ten of an address, then 429 for a minute, whatever is shown; others and cookies go on", async (t) => {
  const baton = await world(t);
  const ask = (address, token, path = "/__baton/admin/rooms") =>
    raw(baton.baton.port, path, { headers: { "cf-connecting-ip": address, ...(token && { authorization: `Bearer ${token}` }) } });
  const own = "203.0.113.7";
  const cookie = setCookies(await raw(baton.baton.port, "/__baton/admin/session", { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } }))[
    "baton-admin"
  ].value;
  for (let at = 0; at < 12; at += 1) assert.equal((await ask(own)).status, 401, "no token is no guess");
  for (let at = 0; at < 10; at += 1) assert.equal((await ask(own, `wrong ${at}`)).status, 401, `guess ${at}`);
  const slowed = await ask(own, TOKEN);
  assert.deepEqual([slowed.status, JSON.parse(slowed.body).error.code], [429, "too_many_requests"]);
  assert.ok(Number(slowed.headers["retry-after"]) > 50 && Number(slowed.headers["retry-after"]) <= 60);
  assert.equal((await ask(own, TOKEN, "/__baton/metrics")).status, 429);
  const session = await raw(baton.baton.port, "/__baton/admin/session", {
    method: "POST",
    headers: { "cf-connecting-ip": own, authorization: `Bearer ${TOKEN}` },
  });
  assert.equal(session.status, 429);
  assert.equal((await ask("203.0.113.8", TOKEN)).status, 200);
  assert.equal(
    (await raw(baton.baton.port, "/__baton/admin/rooms", { headers: { "cf-connecting-ip": own, cookie: `baton-admin=${cookie}` } })).status,
    200,
  );
});

test("c123_guesses_from_nowhere: where no address is known, guesses silence no operator who has the token", async (t) => {
  const { baton } = await world(t, { vars: { BYPASS_SECRET: "a monitor's secret that nobody guesses" } });
  const ask = async (token) => (await raw(baton.port, "/__baton/admin/rooms", { headers: { authorization: `Bearer ${token}` } })).status;
  for (let at = 0; at < 10; at += 1) assert.equal(await ask(`wrong ${at}`), 401, `guess ${at}`);
  assert.equal(await ask("wrong again"), 429);
  assert.equal(await ask(TOKEN), 200);
  assert.equal(await ask("and again"), 429, "a right one in between changes nothing");
});
