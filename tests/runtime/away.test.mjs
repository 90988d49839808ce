// A room that gives no answer for a while: what people inside notice, and what the log says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { coded, logged } from "../support/logs.mjs";
import { eventually, passTimes, raw, startWorld } from "./support/world.mjs";

const HANGING = inRoot("tests", "runtime", "support", "hanging.js");
/** A request that waits for the room takes six seconds. */
const AT_ONCE_MS = 1_500;

async function timed(work) {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}

test("while the room is away somebody inside waits for it once; the log says it once, and once that the room is back", {
  timeout: 120_000,
}, async (t) => {
  const world = await startWorld(t, { room: { permits: 5, pass_ttl_s: 2, lease_idle_s: 600, lease_max_s: 1800 }, runtime: { wrapper: HANGING } });
  const hang = (word) => raw(world.baton.port, `/hang/${word}`);
  const visitor = world.visitor();
  await eventually(
    async () => {
      await visitor.arrive();
      return !passTimes(visitor.cookie("pass")).provisional;
    },
    { what: "a confirmed pass" },
  );
  await hang("on");
  const { freshUntil } = passTimes(visitor.cookie("pass"));
  await eventually(() => Date.now() > freshUntil, { what: "the pass's end" });
  const first = await timed(() => visitor.arrive());
  assert.equal(first.result.state, "shop", "honoured: the lease it carries goes on");

  // A page with eight parts, and another, and so on.
  const times = [];
  await eventually(
    async () => {
      const page = await Promise.all(Array.from({ length: 8 }, () => timed(() => visitor.arrive())));
      assert.ok(page.every(({ result }) => result.state === "shop"));
      times.push(...page.map(({ ms }) => ms));
      return coded(world.logs(), "room_away").length > 0;
    },
    { timeoutMs: 40_000, everyMs: 200, what: "the line in the log" },
  );
  assert.ok(Math.max(...times) < AT_ONCE_MS, `after ${Math.round(first.ms)} ms for the first: ${times.map(Math.round)}`);
  const stranger = world.visitor();
  await stranger.arrive();
  assert.equal((await stranger.join()).error, "room_unavailable", "nobody else gets in");

  await hang("off");
  const back = await eventually(
    async () => {
      const { result, ms } = await timed(() => visitor.arrive());
      assert.ok(result.state === "shop" && ms < AT_ONCE_MS);
      return passTimes(visitor.cookie("pass")).freshUntil > freshUntil;
    },
    { what: "a renewed pass" },
  );
  assert.ok(back);
  await eventually(async () => coded(world.logs(), "room_back").length > 0, { what: "the line of the end" });
  await eventually(async () => (await stranger.join()).status < 300, { what: "a number" });
  const lines = logged(world.logs())
    .filter(({ level }) => level !== "info")
    .map(({ code, level }) => `${level} ${code}`);
  assert.deepEqual(lines.sort(), ["error room_away", "error room_back", "warn lobby_unreachable", "warn room_silent"]);
  const [said] = coded(world.logs(), "room_back");
  assert.ok(said.room === "onsale" && said.count >= 5 && said.count < 120, JSON.stringify(said));
});
