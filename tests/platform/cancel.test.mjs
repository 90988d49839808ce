// Clients that go away in the middle. The runtime then drops whatever the request was doing, unless it is in `waitUntil`:
// what it had taken in wasm's memory would stay for ever, and a permit that the origin gives back would be lost.
//
//   CANCELLATIONS=100000 node --test tests/platform/cancel.test.mjs      the long run

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, startOrigin } from "../runtime/support/world.mjs";
import { startPlatform } from "./platform.mjs";

const CANCELLATIONS = Number(process.env.CANCELLATIONS ?? 5_000);
const ROUND = 500;
/** As src/edge/entry.js has it. */
const RUN_ON_MS = 25_000;
/** Noise of two collections; one cancelled request used to leave 5 KB behind. */
const BYTES_A_REQUEST_MAX = 100;
const SLACK_BYTES = 512 * 1024;

const noEntries = (it) =>
  eventually(async () => (await it.counts()).entries === 0, { timeoutMs: RUN_ON_MS + 10_000, what: "the end of every handler" });

/** Answers what has no delay at once, `?ms=` later, and `?never` never. */
const slowly = (request, response) => {
  const query = new URL(request.url, "http://origin").searchParams;
  if (query.has("never")) return;
  const headers = query.has("release") ? { "Baton-Release": "1" } : {};
  setTimeout(() => response.writeHead(200, headers).end("ok"), Number(query.get("ms") ?? 0));
};

test("memory is flat however many clients go away, at whatever they were", { timeout: 3_600_000 }, async (t) => {
  const origin = await startOrigin(t, slowly);
  const it = await startPlatform(t, { room: { permits: 1 }, origin: origin.url });
  const holder = it.visitor();
  await holder.arrive();
  const waiter = it.visitor();
  await waiter.arrive();
  await waiter.status();
  await waiter.join();
  const wishes = [
    { path: "/buy/?ms=40", who: holder, what: "forwarded with a pass" },
    { path: "/open/?ms=40", who: holder, what: "forwarded without" },
    { path: "/__baton/onsale/status?wait_s=1", who: waiter, what: "a poll" },
    { path: "/buy/", who: waiter, what: "a page" },
  ];
  const round = async () => {
    for (const { path, who } of wishes)
      await it.leave(path, { count: ROUND / wishes.length, afterMs: 5, headers: { cookie: who.jar.header(), accept: "text/html" } });
    await noEntries(it);
    return (await it.memory.bytes({ collect: true })).total;
  };
  for (let warm = 0; warm < 3; warm += 1) await round();
  const before = await round();
  let after = before;
  for (let left = CANCELLATIONS; left > 0; left -= ROUND) after = await round();
  console.log(`${CANCELLATIONS} cancelled requests: ${before} bytes before, ${after} after`);
  assert.ok(
    after - before < SLACK_BYTES + CANCELLATIONS * BYTES_A_REQUEST_MAX,
    `${after - before} bytes more after ${CANCELLATIONS} cancelled requests`,
  );
  assert.equal((await waiter.status()).json.number, waiter.number, "who waited still waits");
});

for (const service of [false, true]) {
  test(`a permit that the origin gives back comes back though its client is gone, ${service ? "through a service binding" : "by URL"}`, {
    timeout: 60_000,
  }, async (t) => {
    const origin = await startOrigin(t, slowly);
    const it = await startPlatform(t, {
      room: { permits: 1, walk_in: false, lease_idle_s: 600, lease_max_s: 1_800, claim_within_s: 60 },
      origin: origin.url,
      vars: service ? { ORIGIN: undefined } : {},
      runtime: service ? { originService: `127.0.0.1:${origin.port}` } : {},
    });
    const first = await admitted(it);
    const second = it.visitor();
    await second.arrive();
    await second.openSocket();
    await it.leave("/buy/?ms=500&release", { afterMs: 100, headers: { cookie: first.jar.header() } });
    await second.waitForState("called", 10_000);
    assert.ok(
      origin.requests.some(({ url }) => url.includes("release")),
      "the origin was asked",
    );
  });
}

test("a client that goes away from an origin that never answers leaves nothing behind after the limit", { timeout: 90_000 }, async (t) => {
  const origin = await startOrigin(t, slowly);
  const it = await startPlatform(t, { room: { permits: 1 }, origin: origin.url });
  const holder = it.visitor();
  for (let left = 2; left > 0; left -= 1) await holder.arrive();
  const since = Date.now();
  await it.leave("/open/?never", { count: 10, afterMs: 20 });
  await it.leave("/buy/?never", { count: 10, afterMs: 20, headers: { cookie: holder.jar.header() } });
  assert.ok((await it.counts()).entries >= 20, "they go on");
  await noEntries(it);
  const tookMs = Date.now() - since;
  assert.ok(tookMs > RUN_ON_MS - 5_000 && tookMs < RUN_ON_MS + 5_000, `it took ${tookMs} ms`);
  assert.equal((await it.counts()).too_long, 0, "nothing went on for longer than the platform waits");
});

test("who stays is never given up, however long the origin takes", { timeout: 90_000 }, async (t) => {
  const origin = await startOrigin(t, slowly);
  const it = await startPlatform(t, { room: { permits: 1 }, origin: origin.url });
  const answer = await it.raw(`/open/?ms=${RUN_ON_MS + 3_000}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.body, "ok");
});

/** Somebody who came in through the line. */
async function admitted(it) {
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.openSocket();
  await visitor.waitForState("called", 10_000);
  await visitor.claimByLanding();
  assert.equal((await visitor.status()).json.state, "admitted");
  return visitor;
}
