// Ten runs of ten against simulated shops whose knee is known; and shops of which nothing may be claimed. The run's own code in simulated
// time: `npm run check-find-permits` does the same ten in real time, over HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { diceOf } from "../../scripts/dice.mjs";
import { VISIT_MS, kneeOf, simulate } from "./simulated.mjs";

const RUNS = 10;
const WITHIN = 0.15;

const SHOPS = {
  "one line before eight servers": { segments: 1, servers: 8 },
  "eight segments with a server each": { segments: 8, servers: 1 },
  "four segments of two, work that varies": { segments: 4, servers: 2, spread: 0.5 },
  "one server": { segments: 1, servers: 1 },
  "eight servers, work as chance has it": { segments: 1, servers: 8, spread: 1 },
};
for (const [name, shop] of Object.entries(SHOPS)) {
  test(`${name}: within 15 % in ten runs of ten`, async () => {
    const knee = kneeOf(shop);
    let covered = 0;
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { verdict } = await simulate(shop, seed);
      assert.equal(verdict.kind, "number", `seed ${seed}: ${verdict.why}`);
      assert.ok(Math.abs(verdict.people / knee - 1) <= WITHIN, `seed ${seed}: ${verdict.people}, the knee is ${knee}`);
      assert.equal(verdict.recommended, Math.max(1, Math.floor(0.8 * verdict.low)), "0.8 × the lower bound");
      if (verdict.low <= knee && knee <= verdict.high) covered += 1;
    }
    assert.ok(covered >= 7, `the interval held the knee in ${covered} of ${RUNS}`);
  });
}

const untilDone =
  (pieces) =>
  ({ done }) =>
    1 + done / pieces;
const BAD = {
  "leaks with time": [{ segments: 8, servers: 1, slower: ({ nowMs }) => 1 + nowMs / 100_000 }, /changed while it was measured/],
  "leaks with each order": [{ segments: 1, servers: 8, slower: untilDone(10_000) }, /changed while it was measured/],
  "leaks quickly": [{ segments: 1, servers: 8, slower: untilDone(2_500) }, /changed while it was measured|collapses/],
};
for (const [name, [shop, why]] of Object.entries(BAD)) {
  test(`${name}: no number, and the reason`, async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { verdict } = await simulate(shop, seed);
      assert.notEqual(verdict.kind, "number", `seed ${seed} claims ${verdict.people}`);
      assert.match(verdict.why, why);
    }
  });
}

/**
 * Who waits makes all slower. A gentle convoy takes as many as its best throughput serves (90 at most). A steep one has two ways to be with the same crowd, and
 * what it takes is the largest with which it leaves the bad one: where `in flight + thinking × throughput` is least.
 */
const crowding =
  (from, cost) =>
  ({ waiting }) =>
    1 + Math.max(0, waiting - from) / cost;
const leastOf = (throughput) => Math.min(...Array.from({ length: 200 }, (_, at) => at + 8 + ((VISIT_MS - 40) / 1_000) * throughput(at + 8)));
const CONVOYS = {
  "gentle, 1 % a person beyond two lines' length": [{ segments: 1, servers: 8, slower: crowding(16, 100) }, 87],
  "gentle, and work that varies": [{ segments: 1, servers: 8, spread: 0.5, slower: crowding(16, 100) }, 87],
  "steep, 5 % a person": [{ segments: 1, servers: 8, slower: crowding(8, 20) }, leastOf((inFlight) => 200 / (1 + (inFlight - 8) / 20))],
  "a cliff": [{ segments: 1, servers: 8, slower: ({ waiting }) => (waiting > 24 ? 3 : 1) }, leastOf((inFlight) => (inFlight > 24 ? 200 / 3 : 200))],
};
for (const [name, [shop, takes]] of Object.entries(CONVOYS)) {
  test(`a lock convoy, ${name}: within 15 % in ten runs of ten`, async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { verdict, seen } = await simulate(shop, seed);
      assert.equal(verdict.kind, "number", `seed ${seed}: ${verdict.why}`);
      assert.ok(Math.abs(verdict.people / takes - 1) <= WITHIN, `seed ${seed}: ${verdict.people}, it takes ${takes.toFixed(0)}`);
      assert.match(verdict.why, /the shop collapses/);
      assert.ok(seen.levels.some(({ way, people }) => way === "down" && people >= verdict.people && people < verdict.high));
    }
  });
}

test("a convoy that also leaks: no number", async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const slower = ({ waiting, done }) => done / 10_000 + crowding(8, 20)({ waiting });
    const { verdict } = await simulate({ segments: 1, servers: 8, slower }, seed);
    assert.equal(verdict.kind, "none", `seed ${seed} claims ${verdict.people}`);
    assert.match(verdict.why, /changed while it was measured/);
  }
});

test("a shop that falls over and stays down: no number", async () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    let isDown = false;
    // The looks, which come first, must not bring it down: a shop that was down all the time is measured as it is.
    const slower = ({ waiting, nowMs }) => {
      isDown ||= waiting > 60 && nowMs > 45_000;
      return isDown ? 4 : 1;
    };
    const { verdict } = await simulate({ segments: 1, servers: 8, slower }, seed);
    assert.equal(verdict.kind, "none", `seed ${seed} claims ${verdict.people}`);
    assert.match(verdict.why, /changed while|not seen to come back/);
  }
});

test("without a bend within the cap it says at least so many, and no more than were there", async () => {
  const { verdict, seen } = await simulate({ segments: 1, servers: 8 }, 1, { caps: { people_max: 60 } });
  assert.equal(verdict.kind, "at_least");
  assert.match(verdict.why, /the bend was not reached with 60 people, and --people-max allowed no more/);
  assert.equal(verdict.people, 60);
  assert.equal(verdict.recommended, 48);
  assert.ok(seen.levels.every(({ people }) => people <= 60));
  const slow = await simulate({ segments: 1, servers: 8 }, 1, { caps: { requests_per_s_max: 200 } });
  assert.match(slow.verdict.why, /--requests-per-s-max allowed no more/);
});

test("eight levels, three of them past the bend, two again on the way down", async () => {
  const shop = { segments: 1, servers: 8 };
  const { seen } = await simulate(shop, 3);
  const up = seen.levels.filter(({ way }) => way === "up").map(({ people }) => people);
  assert.equal(up.length, 8);
  assert.deepEqual(
    up,
    up.toSorted((a, b) => a - b),
  );
  assert.equal(up.filter((people) => people > kneeOf(shop)).length, 3);
  const down = seen.levels.slice(8);
  assert.deepEqual(
    down.map(({ way }) => way),
    ["down", "down"],
  );
  assert.ok(down[0].people > kneeOf(shop) && down[1].people < kneeOf(shop) && down.every(({ people }) => up.includes(people)));
});

test("people, throughput and time agree at every level (Little's law)", async () => {
  const { seen } = await simulate({ segments: 4, servers: 2, spread: 0.5 }, 5);
  for (const { people, per_s: perS, answer_ms: answerMs, think_ms: thinkMs } of seen.levels) {
    const inside = (perS * (answerMs + thinkMs)) / 1_000;
    assert.ok(Math.abs(inside / people - 1) < 0.12, `${people} people were there, ${inside.toFixed(1)} are accounted for`);
  }
});

test("a look that was disturbed, so that the bend seemed near, is made good: the crowd grows until three levels lie past the bend", async () => {
  const shop = { segments: 1, servers: 8 };
  for (let seed = 1; seed <= 5; seed += 1) {
    const { verdict, seen } = await simulate({ ...shop, slower: ({ nowMs }) => (nowMs > 4_400 && nowMs < 6_000 ? 30 : 1) }, seed);
    assert.ok(seen.looks.at(-1).people <= 8, `the look with ${seen.looks.at(-1).people} people was the last`);
    assert.equal(verdict.kind, "number", verdict.why);
    assert.ok(Math.abs(verdict.people / kneeOf(shop) - 1) <= WITHIN, `${verdict.people}`);
  }
});

/** A machine that is late by `ms` in this share of the spans of its time, by chance. */
function busy({ ms, share = 1, spanMs = 4_000 }, seed) {
  const roll = diceOf(seed + 77);
  const spans = [];
  return (nowMs) => {
    const span = Math.floor(nowMs / spanMs);
    while (spans.length <= span) spans.push(roll() < share);
    return spans[span] ? ms : 0;
  };
}
test("a run that is stopped before its first level ends with what was looked at", async () => {
  const stopAt = ({ event, stop }) => event.kind === "level" && stop.because("you stopped it");
  const { verdict, seen } = await simulate({ segments: 1, servers: 8 }, 1, { onEvent: stopAt });
  assert.deepEqual([seen.levels.length, verdict.kind, verdict.why], [0, "none", "you stopped it"]);
});

test("a busy machine is told of with the first look, and an idle one never", async () => {
  const told = async (options) =>
    (await simulate({ segments: 1, servers: 8 }, 1, options)).events.filter(({ kind, why }) => kind === "measured" && why !== null);
  const [first] = await told({ lateMs: () => 42 });
  assert.match(first.why, /^this machine was late by \d+ ms/);
  assert.equal(first.way, "look");
  assert.ok(first.atMs < 5_000, `after ${first.atMs} ms`);
  assert.deepEqual(await told({}), []);
});

const BUSY = {
  "always late": { ms: 42 },
  "late for a fifth of the time": { ms: 42, share: 0.2 },
  "late for half of the time": { ms: 42, share: 0.5 },
  "late for most of the time": { ms: 42, share: 0.8, spanMs: 6_000 },
};
for (const [name, how] of Object.entries(BUSY)) {
  test(`a machine that is ${name}: the same number, or it says that it cannot`, async () => {
    const shop = { segments: 1, servers: 8 };
    for (let seed = 1; seed <= 3; seed += 1) {
      const { verdict } = await simulate(shop, seed, { lateMs: busy(how, seed) });
      if (verdict.kind === "none") assert.match(verdict.why, /this machine was late by \d+ ms/, `seed ${seed}`);
      else
        assert.ok(
          verdict.kind === "number" && Math.abs(verdict.people / kneeOf(shop) - 1) <= WITHIN,
          `seed ${seed}: ${verdict.kind} ${verdict.people}`,
        );
    }
  });
}
