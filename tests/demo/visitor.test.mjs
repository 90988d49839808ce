// The simulated visitor and the crowd, against a tiny stand-in for Baton: both must be right, and must notice wrongs,
// before they judge the real one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { durationMs, optionsFrom, outOfOrder, planCrowd, report, runCrowd, shareOf } from "../../demo/crowd.mjs";
import { startShop } from "../../demo/shop.mjs";
import { encodeFrame } from "../support/frames.mjs";
import { CookieJar, Visitor, aheadFromFrame, decodeFrame } from "../support/visitor.mjs";
import { StubBaton } from "./stub.mjs";

const SECRET = "stub secret";

async function open(t, { permits = 1, fault, crowd } = {}) {
  const shop = await startShop({ originSecret: SECRET, lockMs: 0, testRoutes: true, ...crowd });
  shop.trustHost(new URL(shop.url).host);
  const baton = await new StubBaton({ origin: shop.url, secret: SECRET, permits, fault }).open();
  t.after(() => {
    baton.close();
    return shop.stop();
  });
  const visitor = (name) => new Visitor({ url: baton.url, name });
  return { shop, baton, visitor };
}

/** A visitor in line (or called already): the first page gave the cookie, the socket the number. */
async function inLine(visitor) {
  await visitor.arrive();
  await visitor.openSocket();
  return visitor;
}

test("a whole visit: page, socket, call, landing, booking, and the next one is called", async (t) => {
  const { shop, visitor } = await open(t);
  const first = await inLine(visitor("first"));
  await first.waitForState("called");
  const second = await inLine(visitor("second"));
  assert.deepEqual([second.state, second.number, second.ahead], ["waiting", 2, 0]);

  const landing = await first.claimByLanding();
  assert.deepEqual([landing.state, landing.status, landing.number, landing.fence], ["shop", 200, 1, 1]);
  const { status, booking, thanks } = await first.book({ seats: 2 });
  assert.equal(status, 303);
  assert.ok(booking);
  assert.equal(thanks.status, 200);

  await second.waitForState("called");
  assert.ok(second.calledAtMs() > 0);
  assert.equal((await second.claimByLanding()).state, "shop");
  const { order, inside, inside_max, seats_sold } = shop.stats();
  assert.deepEqual({ order, inside, inside_max, seats_sold }, { order: [1, 2], inside: 1, inside_max: 1, seats_sold: 2 });
  first.closeSocket();
  second.closeSocket();
});

test("a form's key is the page's, so that sending it again books nothing more", async (t) => {
  const { shop, visitor } = await open(t);
  const buyer = await inLine(visitor("buyer"));
  await buyer.claimByLanding();
  const key = buyer.tab.formKey;
  assert.match(key, /^[\w-]{36}$/);
  await buyer.book();
  assert.equal(shop.stats().bookings, 1);
});

test("looks like a browser to the server", async (t) => {
  const { baton, visitor } = await open(t);
  await inLine(visitor("browser"));
  const [page, socket] = baton.requests;
  assert.equal(page.headers["sec-fetch-mode"], "navigate");
  assert.match(page.headers.accept, /text\/html/);
  assert.equal(page.headers.cookie, undefined);
  assert.equal(socket.headers.origin, new URL(baton.url).origin);
  assert.match(socket.headers.cookie, /^baton-visitor=v\d+$/);
});

test("keeps the cookie that comes with the socket's 101, and knows cookies by their short names", async (t) => {
  const { visitor } = await open(t);
  const it = await inLine(visitor("it"));
  assert.equal(it.cookie("ticket"), "t1");
  assert.match(it.cookie("visitor"), /^v/);
  assert.equal(it.cookie("pass"), undefined);
  it.dropCookies();
  assert.deepEqual(it.jar.names(), []);
});

test("says why a socket was refused", async (t) => {
  const { visitor } = await open(t);
  await assert.rejects(visitor("stranger").openSocket(), { status: 403, error: "cookies_required" });
});

test("join, status, claim and leave answer and are learned from", async (t) => {
  const { visitor } = await open(t);
  const it = visitor("it");
  const stranger = await it.join();
  assert.deepEqual([stranger.status, stranger.error], [403, "cookies_required"]);
  const joined = await it.join();
  assert.deepEqual([joined.status, joined.json.state, it.number], [201, "waiting", 1]);
  assert.equal((await it.join()).status, 200);
  assert.deepEqual([(await it.claim()).status, it.state], [409, "waiting"]);
  assert.equal((await it.leave()).status, 204);
  assert.equal((await it.status()).json.reason, "left");
  assert.equal(it.state, "over");
});

test("a second tab shares the cookies, and nothing else", async (t) => {
  const { visitor } = await open(t);
  const one = await inLine(visitor("one"));
  const two = one.fork();
  assert.equal(two.number, undefined);
  assert.equal((await two.openSocket()).number, 1);
  assert.notEqual(one.socket, two.socket);
});

test("waiting in vain ends with a reason, and a closed socket at once", async (t) => {
  const { baton, visitor } = await open(t);
  const it = await inLine(visitor("it"));
  await assert.rejects(
    it.waitFor(() => false, 1),
    /waited 1 ms in vain; last known .*"number":1/,
  );
  const waiting = it.waitFor(() => false);
  for (const client of baton.sockets.clients) client.close(1012, "restart");
  await assert.rejects(waiting, { code: 1012, reason: "restart" });
});

test("frames lower `ahead`, and a pong is heard", async (t) => {
  const { visitor } = await open(t);
  const first = await inLine(visitor("first"));
  const second = await inLine(visitor("second"));
  const third = await inLine(visitor("third"));
  assert.equal(third.ahead, 1);
  await second.leave();
  await third.waitFor(() => third.ahead === 0);
  third.ping();
  await third.waitFor(() => third.history.some(({ kind }) => kind === "pong"));
  assert.deepEqual(third.aheadRises(), []);
  first.closeSocket();
});

test("notices an `ahead` that rises", async (t) => {
  const { visitor } = await open(t, { fault: "rising" });
  await inLine(visitor("first"));
  const second = await inLine(visitor("second"));
  await inLine(visitor("third"));
  await second.waitFor(() => second.aheadRises().length > 0);
});

test("decodes frames and reads `ahead` from them as docs/client.md says", () => {
  const frame = decodeFrame(encodeFrame({ mode: 1, version: 2 ** 53 - 1, low: 1, high: 300, line: [10, 20, 1_000_000] }));
  const points = [
    [10, 0, null],
    [20, 1, null],
    [1_000_000, 2, null],
  ];
  assert.deepEqual(frame, {
    mode: "paused",
    version: 2 ** 53 - 1,
    waiting: 3,
    call_us_low: 1,
    call_us_high: 300,
    points,
    seats_to: undefined,
    behind: false,
    spread_s: 0,
  });
  const far = {
    waiting: 8_001,
    points: [
      [10, 0, null],
      [20, 5_000, null],
      [6_020, 8_000, 17],
    ],
  };
  const bounds = { 5: 0, 10: 0, 12: 2, 19: 9, 20: 5_000, 21: 5_001, 420: 5_400, 1_020: 5_700, 6_019: 7_999, 6_020: 8_000, 9_000_000: 8_001 };
  for (const [number, ahead] of Object.entries(bounds)) assert.equal(aheadFromFrame(far, Number(number)), ahead, number);
  assert.equal(aheadFromFrame({ points: [], waiting: 0 }, 5), 0);
  assert.equal(decodeFrame(Buffer.from([2, 0])), null);
  const whole = encodeFrame({ line: [10, 20, 1_000_000] });
  for (let i = 2; i < whole.length; i += 1) assert.throws(() => decodeFrame(whole.subarray(0, i)), /cut/);
  const seated = encodeFrame({ line: [10, 20, 1_000_000], seatsTo: 300 });
  assert.equal(decodeFrame(seated).seats_to, 300);
  assert.throws(() => decodeFrame(Buffer.concat([seated, Buffer.from([0])])), /after the frame/);
  assert.throws(() => decodeFrame(Buffer.from([1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1])), /2\^53/);
});

test("the cookie jar forgets what the server ends", () => {
  const jar = new CookieJar();
  jar.take(["a=1; Path=/", "b=2=3; Max-Age=60", "__Host-c=x; Secure"]);
  assert.equal(jar.header(), "a=1; b=2=3; __Host-c=x");
  jar.take(["a=; Max-Age=0", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
  assert.deepEqual(jar.names(), ["__Host-c"]);
});

// ------------------------------------------------------------------------------------------------ the crowd

const QUICK = { visitors: 40, arriveWithinMs: 200, holdMs: [1, 15], seed: 7, timeoutMs: 20_000 };

test("a crowd is served in order, within the permits, and finds nothing wrong", async (t) => {
  const { shop, baton } = await open(t, { permits: 3 });
  const result = await runCrowd({ url: baton.url, permits: 3, ...QUICK });
  assert.deepEqual([result.violations, result.failures, result.served], [[], [], 40]);
  assert.equal(result.judged, 40);
  assert.ok(result.inside_max <= 3 && result.shop_inside_max <= 3);
  assert.equal(shop.stats().bookings, 40);
  assert.match(report(result, QUICK), /served +40 of 40[\s\S]*in order +yes \(40 judged\)[\s\S]*violations +0/);
});

test("a crowd with people who vanish, reload and leave finds nothing wrong either", async (t) => {
  const { baton } = await open(t, { permits: 3 });
  const habits = { vanish: 0.2, reload: 0.2, leave: 0.2, habitWithinMs: 50, arriveWithinMs: 50, holdMs: [5, 30] };
  const result = await runCrowd({ url: baton.url, permits: 3, ...QUICK, ...habits });
  assert.deepEqual([result.violations, result.failures], [[], []]);
  const { served, left = 0, vanished = 0 } = result.ends;
  assert.equal(served + left + vanished, 40);
  assert.ok(left > 0 && vanished > 0, JSON.stringify(result.ends));
});

test("a crowd comes and stays as a trace says, as much faster as is wished", async (t) => {
  const { baton } = await open(t, { permits: 3 });
  const arrivals = Array.from({ length: 12 }, (_, nth) => ({ atMs: nth * 1_000, visitor: `p${nth}`, stayMs: nth === 0 ? 2_000 : 100 }));
  const plan = planCrowd({ arrivals, speed: 10, holdMs: [1, 2], arriveWithinMs: 5, seed: 1 });
  assert.deepEqual(
    plan.slice(0, 2).map(({ name, arriveAfterMs, holdMs }) => [name, arriveAfterMs, holdMs]),
    [
      ["p0", 0, 200],
      ["p1", 100, 10],
    ],
  );
  const unsaid = planCrowd({ arrivals: [{ atMs: 5, visitor: "a", stayMs: null }], holdMs: [40, 41], arriveWithinMs: 5, seed: 1 });
  assert.deepEqual(
    unsaid.map(({ holdMs }) => Math.floor(holdMs)),
    [40],
  );
  const result = await runCrowd({ url: baton.url, permits: 3, arrivals, speed: 20, seed: 3, timeoutMs: 20_000 });
  assert.deepEqual([result.violations, result.failures, result.served], [[], [], 12]);
});

test("a crowd notices barging, one permit too many, and an `ahead` that rises", async (t) => {
  for (const [fault, words] of [
    ["barging", /^order: number \d+ was called after \d+/],
    ["crowded", /4 were inside at once with 3/],
    ["rising", /^ahead rose from/],
  ]) {
    const { baton } = await open(t, { permits: 3, fault });
    // Long enough that a fourth is there with three on a busy machine, too.
    const { violations } = await runCrowd({ url: baton.url, permits: 3, ...QUICK, holdMs: [60, 80] });
    assert.ok(
      violations.some((line) => words.test(line)),
      `${fault}: ${violations}`,
    );
  }
});

test("the order is judged by fences, for those who were there all the time", () => {
  const calls = [
    { number: 1, fence: 1 },
    { number: 4, fence: 2 },
    { number: 2, fence: 3 },
    { number: 5, fence: 4 },
  ];
  assert.deepEqual(outOfOrder(calls, new Set([1, 2, 4, 5])), [{ number: 2, after: 4 }]);
  assert.deepEqual(outOfOrder(calls, new Set([1, 4, 5])), []);
});

test("one seed, one plan", () => {
  const wish = { visitors: 1_000, arriveWithinMs: 10_000, holdMs: [2_000, 8_000], vanish: 0.1, reload: 0.1, leave: 0.05 };
  const plan = planCrowd({ ...wish, seed: 5 });
  assert.deepEqual(planCrowd({ ...wish, seed: 5 }), plan);
  assert.notDeepEqual(planCrowd({ ...wish, seed: 6 }), plan);
  const vanishing = plan.filter(({ habit }) => habit === "vanish").length;
  assert.ok(vanishing > 60 && vanishing < 140, `${vanishing}`);
  assert.ok(plan.every(({ holdMs, seats }) => holdMs >= 2_000 && holdMs < 8_000 && seats >= 1 && seats <= 4));
});

test("the command line is read exactly", () => {
  assert.deepEqual(optionsFrom("--url http://x/buy/ --visitors 200 --arrive-within 10s --hold 2s..8s --vanish 10%".split(" ")), {
    url: "http://x/buy/",
    visitors: 200,
    arriveWithinMs: 10_000,
    holdMs: [2_000, 8_000],
    vanish: 0.1,
  });
  assert.deepEqual(["500ms", "2m", "1.5s", "3"].map(durationMs), [500, 120_000, 1_500, 3_000]);
  for (const bad of ["", "x", "-1s", "1h"]) assert.throws(() => durationMs(bad));
  for (const bad of ["10", "101%", "-1%"]) assert.throws(() => shareOf(bad));
  assert.throws(() => optionsFrom(["--visitors", "2"]), /--url/);
  const traced = optionsFrom(["--url", "http://x/buy/", "--trace", "crowds/draw.csv", "--speed", "2.5"]);
  assert.deepEqual([traced.arrivals.length, traced.speed], [600, 2.5]);
  for (const bad of [
    ["--trace", "crowds/draw.csv", "--visitors", "2"],
    ["--speed", "2"],
    ["--trace", "crowds/draw.csv", "--speed", "0"],
  ])
    assert.throws(() => optionsFrom(["--url", "x", ...bad]), /--trace|speed/);
  assert.throws(() => optionsFrom(["--url", "x", "--visitors", "many"]), /whole number/);
  assert.throws(() => optionsFrom(["--url", "x", "--hold", "8s..2s"]), /range/);
});
