// What outlives the memory: places and permits after a crash, after the objects slept, after a deploy with other
// settings. And what is left when everything is over: nothing that rings or writes.

import assert from "node:assert/strict";
import { once } from "node:events";
import WebSocket from "ws";
import { eventually, pass, play } from "./harness.mjs";

/** workerd takes an object out of memory after ten seconds without an event. */
const EVICTED_AFTER_MS = 13_000;

/** What visitors know of their places, to be compared with what they know later. */
const placesOf = (visitors) => visitors.map(({ number, last }) => ({ number, ahead: last.ahead }));

function sameOrNearer(before, after) {
  for (const [i, { number, ahead }] of before.entries()) {
    assert.equal(after[i].number, number, "the number stays");
    assert.ok(after[i].ahead <= ahead, `number ${number}: ahead rose from ${ahead} to ${after[i].ahead}`);
  }
}

async function serveInOrder(line) {
  for (const visitor of line) {
    await visitor.waitForState("called");
    const waiting = line.slice(line.indexOf(visitor) + 1).map(({ state }) => state);
    assert.ok(
      waiting.every((state) => state === "waiting"),
      `nobody is called before ${visitor.name}: ${waiting}`,
    );
    assert.equal((await visitor.claimByLanding()).state, "shop");
    await visitor.request("/buy/release");
  }
}

play("c58_a_crash: everybody keeps place and permit, numbers go on", { permits: 2 }, async (it) => {
  const holders = [await it.holder(), await it.holder()];
  const line = await it.line(5);
  const before = placesOf(line);
  await it.crash();
  for (const holder of holders) assert.equal((await holder.arrive()).state, "shop");
  await Promise.all(line.map((visitor) => visitor.openSocket()));
  sameOrNearer(before, placesOf(line));
  const late = await it.waiter();
  assert.equal(late.number, 8);
  await holders[0].request("/buy/release");
  await line[0].waitForState("called");
  await it.crash();
  await Promise.all([...line, late].map((visitor) => visitor.openSocket()));
  assert.equal(line[0].state, "called", "a call outlives a crash");
  assert.equal((await holders[0].arrive("/buy/thanks/none")).state, "shop", "a farewell too");
  assert.deepEqual(it.shop.stats().inside, 1);
  await serveInOrder([...line, late]);
});

play("c44_a_crash_in_the_midst_of_many_joins: nobody gets two numbers, no number is two people's", { permits: 0 }, async (it) => {
  const crowd = Array.from({ length: 40 }, () => it.visitor());
  await Promise.all(crowd.map((visitor) => visitor.arrive()));
  let joined = 0;
  const joins = crowd.map(async (visitor) => {
    await visitor.join().then(
      () => {
        joined += 1;
      },
      () => {},
    );
  });
  await eventually(() => joined > 0 || it.roomVersion() > 1, { everyMs: 1, what: "the first join" });
  await it.crash();
  await Promise.all(joins);
  await Promise.all(
    crowd.map(async (visitor) => {
      const answer = await visitor.join();
      assert.ok([200, 201].includes(answer.status), `${visitor.name}: ${answer.status}`);
    }),
  );
  for (const visitor of crowd) assert.equal(new Set(visitor.numbers()).size, 1, `${visitor.name} had ${visitor.numbers()}`);
});

play("c47_the_objects_sleep_and_wake: sockets are open, everybody is in place", {}, async (it) => {
  const holder = await it.holder();
  const line = await it.line(3);
  const before = placesOf(line);
  const written = it.written();
  assert.match(written, /^lobby \w{8} name:3$/m, "a lobby stores its name, its home and nothing else");
  await pass(EVICTED_AFTER_MS);
  assert.equal(it.written(), written, "nobody writes while nothing happens");
  for (const visitor of line) assert.equal(visitor.tab.closed, null, `${visitor.name}'s socket is open`);
  const late = await it.waiter();
  assert.deepEqual([late.number, late.last.ahead], [5, 3]);
  await holder.request("/buy/release");
  await serveInOrder([...line, late]);
  sameOrNearer(
    before,
    line.map(({ number }) => ({ number, ahead: 0 })),
  );
});

/** A page's pings come twice in this time. */
const SILENT_MS = 80_000;
/** A lobby looks again within so long, whether it stays in memory or sleeps and wakes. */
const LOOKS_MS = 25_000;
/** workerd keeps a connection that an object has closed until that object leaves memory, and a client waits for its end. */
const CLOSE_TIMEOUT_MS = 1_000;

play("a lobby closes the socket of a page that has gone without a word", { permits: 0 }, async (it) => {
  const visitor = await it.waiter();
  const { url } = visitor.tab.socket;
  visitor.closeSocket();
  const headers = { origin: visitor.url.origin, cookie: visitor.jar.header() };
  const dead = new WebSocket(url, { headers, closeTimeout: CLOSE_TIMEOUT_MS });
  await once(dead, "message");
  const openedAt = performance.now();
  const [code, why] = await once(dead, "close");
  const afterMs = performance.now() - openedAt;
  assert.deepEqual([code, why.toString()], [1001, "silent"]);
  assert.ok(afterMs > SILENT_MS - 5_000 && afterMs < SILENT_MS + LOOKS_MS + 5_000, `${afterMs} ms`);
});

play("c39_fewer_permits: nobody is evicted, the debt is paid first", { permits: 3 }, async (it) => {
  const holders = [await it.holder(), await it.holder(), await it.holder()];
  const [next] = await it.line(1);
  const permits = 1;
  await it.crash({ permits });
  await next.openSocket();
  for (const holder of holders) assert.equal((await holder.arrive()).state, "shop", "still in");
  for (const holder of holders.slice(0, 2)) {
    const before = it.roomVersion();
    await holder.request("/buy/release");
    await eventually(() => it.roomVersion() > before, { what: "the release" });
    assert.equal((await next.status()).json.state, "waiting", "it paid the debt");
  }
  await holders[2].request("/buy/release");
  await next.waitForState("called");
  it.settings.permits = 3; // what the shop saw at most
});

play("when everything is over nothing is written and no alarm is armed", { permits: 1, linger_s: 1, claim_within_s: 2 }, async (it) => {
  const holder = await it.holder();
  const [next] = await it.line(1);
  await holder.request("/buy/release");
  await next.waitForState("called");
  await next.claimByLanding();
  await next.request("/buy/release");
  next.closeSocket();
  await eventually(() => it.alarms().every(({ atMs }) => atMs > Date.now() + 60_000), { what: "the last near alarm" });
  const written = it.written();
  await pass(10 * it.settings.tick_ms);
  assert.equal(it.written(), written);
  assert.ok(
    it.alarms().every(({ atMs }) => atMs > Date.now() + 60_000),
    "nothing is going to ring soon",
  );
});

play(
  "c38_a_bad_configuration: it answers 503 on gated paths, and everything else goes on",
  {
    rooms: { onsale: { paths: ["/buy/*"], permits: -1 } },
  },
  async (it) => {
    const gated = await it.visitor().arrive();
    assert.deepEqual([gated.status, gated.error], [503, "bad_config"]);
    const free = await it.visitor().request("/");
    assert.equal(free.status, 200);
    await it.crash({ permits: 1 });
    assert.equal((await it.visitor().arrive()).state, "shop", "the next deploy heals it");
  },
);
