// Somebody sets the host's clock while Baton runs on a machine of its own: nobody who is inside is put out, nobody's connection is closed, the line
// goes on, and a pass is good for no longer than it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, pass, scene, tellHowToReplay } from "./harness.mjs";
import { clock, noClock } from "./support/set_clock.mjs";
import { startWorld } from "./support/world.mjs";

/** A date as the configuration has it, so many ms from now. */
const date = (inMs) => new Date(Date.now() + inMs).toISOString().replace("Z", "+00:00");
const HOUR_S = 3_600;
/** What the next call may take after the moment at which a lease ends. */
const CALLED_WITHIN_MS = 3_000;
/** A room with people in it looks at its clock so often, and a hall is drawn when it sees that the hour is past. */
const OPENS_WITHIN_MS = 5_000 + CALLED_WITHIN_MS;
const PASS_TTL_S = 2;
const TIMEOUT_MS = 300_000;
/** By then everybody has heard of a change of the mode (docs/way-out.md). */
const HEARD_WITHIN_MS = 3_100;
const TOKEN = "an operator's token that nobody guesses";

/** A story with a clock that it sets. */
function playClock(title, settings, story) {
  test(title, { skip: noClock, timeout: TIMEOUT_MS }, async (t) => {
    const { env, set } = clock(t);
    const it = await scene({ ...settings, env });
    try {
      await story(it, set);
      await it.checkJournal();
    } catch (error) {
      tellHowToReplay(title, it.rt.logs());
      throw error;
    } finally {
      await it.stop();
    }
  });
}

const everybodyIsIn = async (people, when) => {
  const states = await Promise.all(people.map(async (visitor) => (await visitor.arrive()).state));
  assert.deepEqual(
    states.filter((state) => state !== "shop"),
    [],
    when,
  );
};

const isOpen = ({ tab }) => tab.closed === null;

/** People inside whose leases are their own, each of whom has loaded a page just now. */
async function inside(it, count) {
  const people = [];
  for (let i = 0; i < count; i += 1) people.push(await it.holder());
  await everybodyIsIn(people, "before");
  return people;
}

for (const [aheadS, what] of [
  [HOUR_S, "an hour"],
  [600, "ten minutes"],
  [330, "what is left of the leases, and a little more"],
]) {
  playClock(
    `a clock that leaps ahead by ${what} puts nobody out and closes no connection`,
    { permits: 10, lease_idle_s: 300, lease_max_s: 7_200, walk_ins_per_ip_max: 0 },
    async (it, set) => {
      const people = await inside(it, 10);
      const line = await it.line(5);
      // Quiet enough that nothing but what was armed can ring.
      await pass(12_000);
      await everybodyIsIn(people, "before the leap");
      set(aheadS);
      for (const afterMs of [0, 3_000, 12_000]) {
        await pass(afterMs);
        await everybodyIsIn(people, `${afterMs} ms later`);
      }
      assert.deepEqual(line.map(isOpen), Array(5).fill(true));
      await Promise.all(line.map(async (visitor) => assert.equal((await visitor.status()).json.state, "waiting")));
      await people[0].leave();
      await line[0].waitForState("called", CALLED_WITHIN_MS);
    },
  );
}

playClock("a clock that is set back by an hour stops no room", { permits: 3, tick_ms: 1_000, lease_idle_s: 20, linger_s: 5 }, async (it, set) => {
  const people = await inside(it, 3);
  const line = await it.line(6);
  await everybodyIsIn(people, "before");
  const endsAt = performance.now() + 20_000;
  await pass(12_000);
  set(-HOUR_S);
  await Promise.all(line.slice(0, 3).map((visitor) => visitor.waitForState("called", endsAt + CALLED_WITHIN_MS - performance.now())));
  assert.ok(performance.now() > endsAt - 1_000, "and no sooner");
  assert.deepEqual(line.map(isOpen), Array(6).fill(true));
  // It goes on while the clock stays wrong, and when it is set right again.
  set(0);
  await line[0].leave();
  await line[3].waitForState("called", CALLED_WITHIN_MS);
  set(-HOUR_S);
  await line[3].leave();
  await line[4].waitForState("called", CALLED_WITHIN_MS);
  await pass(90_000);
  assert.ok(line.slice(4).every(isOpen), "pages that ping stay connected");
});

playClock(
  "a pass that was made while the clock was ahead dies with its release",
  { permits: 1, pass_ttl_s: PASS_TTL_S, lease_idle_s: 300, lease_max_s: 7_200 },
  async (it, set) => {
    set(HOUR_S);
    const [holder] = await inside(it, 1);
    const next = await it.waiter();
    const copy = it.visitor();
    for (const name of holder.jar.names()) copy.jar.set(name, holder.jar.get(name));
    set(0);
    await holder.request("/buy/release");
    await next.waitForState("called");
    await eventually(async () => (await copy.arrive()).state !== "shop", { timeoutMs: PASS_TTL_S * 1_000 + 1_000, what: "the end of the old pass" });
  },
);

playClock(
  "a hall stays connected over a leap past its hour, and its first people are called at once",
  { permits: 2, hall_s: 7_200, tick_ms: 1_000, opens_at: date(600_000) },
  async (it, set) => {
    const hall = [];
    for (let i = 0; i < 8; i += 1) {
      hall.push(it.visitor());
      await hall[i].arrive();
      assert.equal((await hall[i].openSocket()).state, "hall");
    }
    await pass(12_000);
    set(HOUR_S);
    await Promise.all(hall.map((visitor) => visitor.waitForState(["waiting", "called"], OPENS_WITHIN_MS)));
    await eventually(() => hall.filter(({ state }) => state === "called").length === 2, { timeoutMs: CALLED_WITHIN_MS, what: "two calls" });
    await pass(35_000);
    assert.deepEqual(hall.map(isOpen), Array(8).fill(true));
  },
);

test("a mode that ended before the clock was set back, or ahead, is heard by the next visitors", {
  skip: noClock,
  timeout: TIMEOUT_MS,
}, async (t) => {
  const { env, set } = clock(t);
  const world = await startWorld(t, { room: { permits: 0 }, vars: { BATON_ADMIN_TOKEN: TOKEN }, runtime: { env } });
  const change = (mode) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return fetch(new URL("/__baton/admin/rooms/onsale", world.url), { method: "PATCH", headers, body: JSON.stringify({ mode }) });
  };
  const isIn = async () => (await world.raw("/buy/", { headers: { accept: "application/json" } })).headers["baton-state"] === undefined;
  let offsetS = 0;
  for (const byS of [-30, -HOUR_S, HOUR_S]) {
    for (const mode of ["bypass", "observe"]) {
      await change(mode);
      await eventually(isIn, { what: `${mode}, the clock at ${offsetS} s` });
      await change("open");
      offsetS += byS;
      set(offsetS);
      await pass(HEARD_WITHIN_MS);
      const crowd = await Promise.all(Array.from({ length: 20 }, isIn));
      assert.ok(!crowd.includes(true), `${mode}, the clock set by ${byS} s`);
    }
  }
});
