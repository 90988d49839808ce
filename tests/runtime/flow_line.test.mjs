// The line, on the real runtime: who walks in, who waits, who is next, and what gives a place away.

import assert from "node:assert/strict";
import { eventually, play, SOON_MS } from "./harness.mjs";

const status = async (visitor) => (await visitor.status()).json;

play("who comes first walks in, and so does the next while a permit is free", { permits: 2 }, async (it) => {
  const [first, second] = [await it.holder(), await it.holder()];
  assert.deepEqual([first.number, second.number], [1, 2]);
  const third = await it.waiter();
  assert.deepEqual([third.state, third.number, third.ahead], ["waiting", 3, 0]);
  assert.equal(it.shop.stats().inside, 2);
});

play("twenty visitors, two permits: never more than two inside, called strictly in order, all served", { permits: 2 }, async (it) => {
  const buy = async (visitor) => {
    const first = await visitor.arrive();
    if (first.state === "waiting") {
      await visitor.openSocket();
      await visitor.waitForState("called", 2 * SOON_MS);
      const landed = await visitor.claimByLanding();
      assert.equal(landed.state, "shop", `${visitor.name} lands in the shop`);
    }
    const { booking, thanks, status: code } = await visitor.book();
    assert.ok(booking, `${visitor.name} books (${code})`);
    assert.equal(thanks.status, 200, "the thank-you page still loads");
  };
  const visitors = Array.from({ length: 20 }, () => it.visitor());
  await Promise.all(visitors.map(buy));
  const { calls, bookings, inside_max: insideMax, inside } = it.shop.stats();
  assert.deepEqual([calls.length, bookings, inside], [20, 20, 0]);
  assert.ok(insideMax <= 2);
  const numbers = calls.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
    "by fence and by number it is the same order",
  );
});

play("a called visitor is forwarded on landing, and again claims nothing new", {}, async (it) => {
  const holder = await it.holder();
  const [next] = await it.line(1);
  await holder.book();
  const called = await next.waitForState("called");
  assert.ok(called.claim_by_at_ms > Date.now());
  const landed = await next.claimByLanding("/buy/echo");
  assert.deepEqual([landed.state, landed.json.headers["baton-ticket"]], ["shop", "2"]);
  await next.waitForState("admitted");
  const again = await next.claim();
  assert.deepEqual([again.status, again.json.state, again.json.number], [200, "admitted", 2]);
  const fence = landed.json.headers["baton-fence"];
  assert.equal((await next.arrive("/buy/echo")).json.headers["baton-fence"], fence);
});

play("the shop's Baton-Release passes the permit on, and nothing old comes back with the pass", {}, async (it) => {
  const holder = await it.holder();
  const [next, after] = await it.line(2);
  const pass = holder.cookie("pass");
  await holder.request("/buy/release");
  await next.waitForState("called");
  assert.notEqual(holder.cookie("pass"), pass, "it is a farewell pass now");
  assert.equal((await holder.arrive("/buy/")).status, 200);
  assert.equal(after.state, "waiting");
  assert.equal((await next.claimByLanding()).state, "shop");
});

play("whoever leaves gives the permit, or the place, to the others", { counted: false }, async (it) => {
  const holder = await it.holder();
  const [first, second, third] = await it.line(3);
  assert.deepEqual(
    [first, second, third].map(({ last }) => last.ahead),
    [0, 1, 2],
  );
  assert.equal((await first.leave()).status, 204);
  assert.equal((await first.leave()).status, 204, "again changes nothing");
  await eventually(async () => (await status(third)).ahead === 1, { what: "third moves up" });
  assert.equal((await holder.leave()).status, 204);
  await second.waitForState("called");
  assert.deepEqual([(await status(holder)).state, (await status(first)).state], ["over", "over"]);
  assert.equal((await second.leave()).status, 204, "a called visitor may leave too");
  await third.waitForState("called");
});

play("a lease ends when its holder is idle, and the first in line is called", { lease_idle_s: 2, pass_ttl_s: 1, claim_within_s: 60 }, async (it) => {
  const holder = await it.holder();
  const { ends_at_ms: endsAtMs } = await status(holder);
  const [next] = await it.line(1);
  await next.waitForState("called");
  assert.ok(Date.now() >= endsAtMs - 100, "not before its end");
  const over = await status(holder);
  assert.deepEqual([over.state, over.reason], ["over", "expired"]);
});

play("a lease that is in use slides, and ends for good at its hard end", { lease_idle_s: 2, lease_max_s: 5, pass_ttl_s: 1 }, async (it) => {
  const began = Date.now();
  const holder = await it.holder();
  const [next] = await it.line(1);
  let inside = 0;
  await eventually(
    async () => {
      if (next.state === "called") return true;
      const { state } = await holder.arrive();
      if (state === "shop") inside = Date.now() - began;
      return false;
    },
    { everyMs: 200, what: "the hard end" },
  );
  assert.ok(inside > 3_000, `it slid past its idle end (${inside} ms)`);
  assert.ok(Date.now() - began > 4_500, "and lasted until its hard end");
});

play(
  "a first missed call keeps the place: who comes back is the very next; a second one ends it",
  { permits: 1, claim_within_s: 2, counted: false },
  async (it) => {
    const holder = await it.holder();
    const [sleeper, second, third] = await it.line(3);
    await holder.request("/buy/release");
    await sleeper.waitForState("called");
    await second.waitForState("called");
    await sleeper.waitForState("waiting");
    assert.deepEqual([sleeper.last.missed, sleeper.number, sleeper.last.ahead ?? sleeper.ahead], [true, 2, 0]);
    assert.equal((await second.claimByLanding()).state, "shop");
    assert.equal((await status(sleeper)).state, "waiting", "back");
    await second.request("/buy/release");
    await sleeper.waitForState("called");
    assert.equal(third.state, "waiting");
    await third.waitForState("called", SOON_MS);
    await sleeper.waitForState("over", SOON_MS, { evenClosed: true });
    assert.equal(sleeper.last.reason, "missed");
  },
);

play("ten requests at once of one visitor get one number", { permits: 0 }, async (it) => {
  const visitor = it.visitor();
  await visitor.arrive();
  const tabs = Array.from({ length: 10 }, () => it.tabOf(visitor));
  const cookies = visitor.jar.header();
  const ways = [(tab) => tab.join(), (tab) => tab.arrive(), (tab) => tab.openSocket()];
  await Promise.all(tabs.map((tab, i) => ways[i % ways.length](tab)));
  assert.ok(cookies.includes("visitor"));
  assert.deepEqual(
    tabs.map((tab) => tab.number),
    Array(10).fill(1),
  );
  const other = await it.waiter();
  assert.deepEqual([other.number, other.ahead], [2, 1], "and only one was taken");
});

play("c12_two_tabs_with_one_ticket: the place stays with the other, and goes only with the last", { linger_s: 1 }, async (it) => {
  const holder = await it.holder();
  const [first, second] = await it.line(2);
  const tab = it.tabOf(first);
  await tab.openSocket();
  assert.equal(tab.number, first.number);
  tab.closeSocket();
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // longer than the linger
  await holder.request("/buy/release");
  await first.waitForState("called");
  assert.equal(second.state, "waiting");
  assert.equal((await first.claimByLanding()).state, "shop");
  await first.request("/buy/release");
  await second.waitForState("called");
});

play("who closes the last tab goes away, is passed over, and is the very next when back", { linger_s: 1, permits: 1 }, async (it) => {
  const holder = await it.holder();
  const [away, second, third] = await it.line(3);
  const [tab] = [it.tabOf(away)];
  await tab.openSocket();
  const version = it.roomVersion();
  tab.closeSocket();
  away.closeSocket();
  await eventually(() => it.roomVersion() > version, { what: "going away is noted" });
  await holder.request("/buy/release");
  await second.waitForState("called");
  assert.equal((await second.claimByLanding()).state, "shop");
  await away.openSocket();
  assert.deepEqual([away.number, away.state, away.ahead], [2, "waiting", 0]);
  await second.request("/buy/release");
  await away.waitForState("called");
  assert.equal(third.state, "waiting");
});

play("c55_a_walk_in_whose_cookies_never_come_back: it frees the permit after claim_within_s", { claim_within_s: 2 }, async (it) => {
  const ghost = it.visitor();
  const began = Date.now();
  assert.equal((await ghost.arrive()).state, "shop");
  ghost.dropCookies();
  const next = await it.waiter();
  await next.waitForState("called");
  assert.ok(Date.now() - began >= 1_900);
});

play(
  "c55_a_thousand_requests_without_cookies: they take few permits and no tickets",
  { permits: 20, claim_within_s: 1, tick_ms: 1000 },
  async (it) => {
    const flood = Array.from({ length: 1_000 }, () => it.visitor());
    let inside = 0;
    const one = async (visitor) => {
      const { state } = await visitor.arrive();
      inside += state === "shop" ? 1 : 0;
      visitor.dropCookies();
    };
    const began = Date.now();
    const queue = [...flood];
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        for (let visitor = queue.pop(); visitor; visitor = queue.pop()) await one(visitor);
      }),
    );
    const rounds = Math.floor((Date.now() - began) / 1_000) + 1;
    assert.ok(inside <= 20 * rounds, `${inside} went in, 20 may in each of ${rounds} s`);
    const honest = it.visitor();
    await honest.arrive();
    await honest.join();
    assert.ok(honest.number <= inside + 2, `nobody but walk-ins took a number: ${honest.number} after ${inside}`);
    assert.ok((honest.ahead ?? 0) === 0, "and nobody waits");
  },
);

play("paused: nobody goes in, the line forms, and opens in order", { mode: "paused", permits: 2, linger_s: 30 }, async (it) => {
  const visitors = await it.line(3);
  assert.deepEqual(
    visitors.map(({ number, state, last }) => [number, state, last.mode]),
    [1, 2, 3].map((n) => [n, "waiting", "paused"]),
  );
  await it.crash({ mode: "open" });
  await Promise.all(visitors.map((visitor) => visitor.openSocket()));
  await Promise.all(visitors.slice(0, 2).map((visitor) => visitor.waitForState("called")));
  assert.equal(visitors[2].state, "waiting");
});
