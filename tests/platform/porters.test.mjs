// A room of more than sixteen lobbies: two porters bring it their batches, and people are served as in any other. When a porter
// is away its lobbies go to the room themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startPlatform } from "./platform.mjs";

const ROOM = {
  permits: 1,
  walk_in: false,
  tick_ms: 100,
  crowd: 170_000,
  tickets_per_ip_max: 0,
  joins_per_ip_per_minute: 0,
  joins_per_visitor_per_minute: 0,
};
const PEOPLE = 12;
const PORTER = "PORTER onsale@auto.1 batch";

/** So many come one after the other: their numbers are in that order. */
async function arrive(it, count = PEOPLE) {
  const people = [];
  for (let at = 0; at < count; at += 1) {
    const visitor = it.visitor();
    await visitor.arrive();
    await visitor.openSocket();
    people.push(visitor);
  }
  return people;
}

/** One after the other is called, comes in and leaves. */
async function isHandedOver(people) {
  for (const visitor of people) {
    await visitor.waitForState(["called"]);
    assert.equal((await visitor.claimByLanding()).status, 200);
    await visitor.leave();
  }
}

test("by porters everybody is served in order", { timeout: 120_000 }, async (t) => {
  const it = await startPlatform(t, { room: ROOM });
  const people = await arrive(it);
  assert.deepEqual(
    people.map(({ number }) => number),
    people.map((_, at) => at + 1),
  );
  await isHandedOver(people);
  const { calls, depth_max } = await it.counts();
  assert.ok(calls[PORTER] >= PEOPLE, `porters had ${calls[PORTER]} batches`);
  assert.ok(depth_max <= 8, `${depth_max} calls deep`);
});

test("when porters are away, lobbies go to the room themselves", { timeout: 120_000 }, async (t) => {
  const it = await startPlatform(t, { room: ROOM });
  const early = await arrive(it, 3);
  await fetch(`${it.baton.url}/platform/away?PORTER`);
  await it.reset();
  const late = await arrive(it, 3);
  await isHandedOver([...early, ...late]);
  const { calls } = await it.counts();
  assert.ok(calls[PORTER] > 0, "each lobby tried");
});
