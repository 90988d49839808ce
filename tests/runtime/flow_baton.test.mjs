// The baton: a permit that comes back is the next one's in the same turn, however slow the usher is, and wherever the
// next one's socket is.

import assert from "node:assert/strict";
import { lobbyOf, play } from "./harness.mjs";

const SLOW_USHER_MS = 60_000;
/** Far more than a turn and a push take on any machine, far less than the usher's pause. */
const AT_ONCE_MS = 5_000;

async function passes(it, holder, next) {
  const before = it.roomVersion();
  const releasedAt = Date.now();
  await holder.request("/buy/release");
  const called = await next.waitForState("called");
  const took = next.calledAtMs() - releasedAt;
  assert.ok(took < AT_ONCE_MS, `told after ${took} ms, the usher comes every ${SLOW_USHER_MS} ms`);
  assert.equal(called.version, before + 1, "the turn of the release is the turn of the call");
}

play("the baton: the next is told in the turn of the release, not when the usher comes", { tick_ms: SLOW_USHER_MS }, async (it) => {
  const holder = await it.holder();
  const [next, after] = await it.line(2);
  await passes(it, holder, next);
  assert.equal((await next.claimByLanding()).state, "shop");
  await passes(it, next, after);
});

play("the baton crosses from lobby to lobby", { tick_ms: SLOW_USHER_MS, crowd: 20_000 }, async (it) => {
  const holder = await it.holder();
  const line = await it.line(1);
  // Which lobby is somebody's is chance; sixty times the same one is not.
  while (lobbyOf(line.at(-1)) === lobbyOf(line[0]) && line.length < 60) line.push(await it.waiter());
  assert.notEqual(lobbyOf(line.at(-1)), lobbyOf(line[0]), "both lobbies are used");
  let before = holder;
  for (const next of line) {
    await passes(it, before, next);
    assert.equal((await next.claimByLanding()).state, "shop");
    before = next;
  }
});
