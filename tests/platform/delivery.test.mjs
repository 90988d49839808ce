// What a front delivers beside an answer is tried for no longer than Cloudflare lets such work live: 30 s after the answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { peers } from "../../src/edge/peers.js";

const AFTER_ANSWER_MS_MAX = 30_000;

/** Delivers to objects that answer as `act` says after so many tries, and plays the time. Yields when it tried, ms, and what was logged. */
async function deliver(t, pausesMs, act) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const { mock: log } = t.mock.method(console, "error", () => {});
  const tries = [];
  const fetch = async (_, { signal }) => {
    tries.push(Date.now() - 1_000_000);
    return act(tries.length, signal);
  };
  let endedMs = null;
  const delivered = peers.deliver({ LOBBY: { getByName: () => ({ fetch }) } }, "LOBBY", "x", " ", "ask", "", "text", pausesMs, 2_000, "lost");
  delivered.then(() => (endedMs = Date.now() - 1_000_000));
  for (let second = 0; second < 120 && endedMs === null; second += 1) {
    for (let turns = 0; turns < 20; turns += 1) await null;
    t.mock.timers.tick(1_000);
  }
  await delivered;
  return { tries, endedMs, logged: log.calls.map(({ arguments: [line] }) => line) };
}

const unreachable = async () => {
  throw new Error("the object is not there");
};

test("whatever pauses it is given, no try begins after the limit, and the loss is said", async (t) => {
  for (const pausesMs of [[0, 10_000, 10_000, 10_000, 10_000], [0, 24_000, 24_000], Array(100).fill(1_000), [40_000]]) {
    await t.test(JSON.stringify(pausesMs.slice(0, 5)), async (each) => {
      const { tries, endedMs, logged } = await deliver(each, pausesMs, unreachable);
      assert.ok(endedMs <= AFTER_ANSWER_MS_MAX, `it ended after ${endedMs} ms`);
      assert.ok(
        tries.every((at) => at < AFTER_ANSWER_MS_MAX),
        `${tries}`,
      );
      assert.deepEqual(logged, ["lost"]);
    });
  }
});

test("it is tried until it is answered well, and no more", async (t) => {
  const { tries, logged } = await deliver(t, [0, 1_000, 2_000, 4_000], (count) => (count < 3 ? unreachable() : new Response("")));
  assert.equal(tries.length, 3);
  assert.deepEqual(logged, []);
});
