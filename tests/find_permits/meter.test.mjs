// How a crowd is measured: from the intended start, with the generator's own lateness beside it; and what a person does whose visit fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Crowd } from "../../scripts/find_permits/crowd.mjs";
import { diceOf } from "../../scripts/dice.mjs";
import { Meter } from "../../scripts/find_permits/meter.mjs";
import { VirtualClock } from "./virtual.mjs";

const ANSWER_MS = 30;

/** A crowd for a minute; `lateMs`: how late this machine's timers ring for the crowd. `ask(step, nowMs)`: whether a step is answered well. */
async function crowdOf(people, { lateMs = 0, steps = [{ name: "page", think_ms: [100, 300] }], isGood = () => true } = {}) {
  const clock = new VirtualClock();
  const late = { now: () => clock.now(), at: (ms, call) => clock.at(ms + lateMs, call) };
  const [meter, visitors, asked] = [new Meter(), { opened: 0, closed: 0 }, []];
  const openVisitor = () => {
    visitors.opened += 1;
    const ask = async (step) => {
      asked.push(clock.now());
      await new Promise((resolve) => clock.at(clock.now() + ANSWER_MS, resolve));
      return { isOk: isGood(step), status: 200, why: null };
    };
    return {
      ask,
      close: () => {
        visitors.closed += 1;
      },
    };
  };
  const crowd = new Crowd({ clock: late, steps, openVisitor, meter, roll: diceOf(4), onAnswer: () => {} });
  const sleep = (ms) => new Promise((resolve) => clock.at(clock.now() + ms, resolve));
  const seen = await clock.run(
    (async () => {
      crowd.go(people, 1_000);
      await sleep(2_000);
      meter.open(clock.now());
      await sleep(60_000);
      const level = meter.close(clock.now());
      crowd.go(0, 1_000);
      await crowd.left();
      return level;
    })(),
  );
  return { ...seen, visitors, asked, size: crowd.size };
}

test("on time: answers take what the shop takes, thinking what was rolled, and nobody is left", async () => {
  const seen = await crowdOf(20);
  assert.deepEqual([seen.lag_p99_ms, seen.p50_ms, seen.p99_ms, seen.errors, seen.size], [0, ANSWER_MS, ANSWER_MS, 0, 0]);
  assert.ok(Math.abs(seen.think_ms - 200) < 5, `${seen.think_ms}`);
  assert.ok(Math.abs(seen.per_s - 20 / 0.23) < 2, `${seen.per_s}`);
  assert.ok(Math.abs(seen.in_flight - seen.per_s * 0.03) < 0.05, `${seen.in_flight}`);
});

test("late by 25 ms: every answer is longer by as much, and the lag says so", async () => {
  const seen = await crowdOf(20, { lateMs: 25 });
  assert.deepEqual([Math.round(seen.lag_p99_ms), Math.round(seen.p50_ms)], [25, ANSWER_MS + 25]);
});

test("everybody has a visitor of their own for a visit, closed at its end", async () => {
  const seen = await crowdOf(5);
  assert.equal(seen.visitors.opened, seen.visitors.closed);
  assert.ok(seen.visitors.opened >= seen.answers);
});

test("who meets an error ends the visit, and somebody new comes a second later, not at once", async () => {
  const steps = [
    { name: "first", think_ms: [0, 0] },
    { name: "second", think_ms: [0, 0] },
  ];
  const seen = await crowdOf(1, { steps, isGood: ({ name }) => name === "second" });
  assert.equal(seen.answers, seen.errors, "the second step is never reached");
  const gaps = seen.asked.slice(1).map((ms, at) => ms - seen.asked[at]);
  assert.ok(
    gaps.every((ms) => ms >= 1_000),
    `${Math.min(...gaps)} ms`,
  );
});
