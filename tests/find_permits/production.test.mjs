// What a sale has shown, by octaves of answer times: windows made from a shop whose knee is known.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diceOf, normal } from "../../scripts/dice.mjs";
import { judgeProduction, meanOf, whyNoWindow } from "../../scripts/find_permits/production.mjs";

const [QUIET_MS, THINK_MS, PER_S_MAX, SPAN_MS] = [120, 3_880, 50, 10_000];
const KNEE = (PER_S_MAX * (QUIET_MS + THINK_MS)) / 1_000;

/** Octaves of `count` answers with this mean: exponential times, as chance has them. */
function octavesOf(count, answerMs, roll) {
  const octaves = Array.from({ length: 24 }, () => 0);
  for (let nth = 0; nth < count; nth += 1) {
    const ms = -answerMs * Math.log(1 - roll());
    octaves[ms < 1 ? 0 : Math.min(23, Math.floor(Math.log2(ms)) + 1)] += 1;
  }
  return octaves;
}

/** A window with so many people inside; the shop answers at most `PER_S_MAX` a second. */
function windowOf(inside, roll, more = {}) {
  const perS = Math.min(inside / ((QUIET_MS + THINK_MS) / 1_000), PER_S_MAX) * (1 + 0.03 * normal(roll));
  const answerMs = Math.max(QUIET_MS, (inside / perS) * 1_000 - THINK_MS);
  return { inside, span_ms: SPAN_MS, bad: 0, octaves: octavesOf(Math.round((perS * SPAN_MS) / 1_000), answerMs, roll), ...more };
}
/** A sale: people come until `most` are inside, and go again. */
const saleOf = (most, roll, more) =>
  Array.from({ length: 120 }, (_, at) => windowOf(Math.max(5, Math.round(most * Math.sin((Math.PI * (at + 1)) / 121))), roll, more));

test("a shop that never saturated carried what was inside, and no more is said", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const verdict = judgeProduction(saleOf(160, diceOf(seed)));
    assert.equal(verdict.kind, "carried", JSON.stringify(verdict));
    assert.ok(verdict.people > 130 && verdict.people <= 160, `${verdict.people}`);
    assert.match(verdict.why, /did not saturate/);
  }
});

test("a shop that saturated gives its knee, within 15 % in ten sales of ten", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const verdict = judgeProduction(saleOf(2.2 * KNEE, diceOf(seed)), seed);
    assert.equal(verdict.kind, "number", JSON.stringify(verdict));
    assert.ok(Math.abs(verdict.people / KNEE - 1) <= 0.15, `${verdict.people}, the knee is ${KNEE}`);
    assert.equal(verdict.recommended, Math.floor(0.8 * verdict.low));
  }
});

test("a crowd with more than 2 % errors was not carried", () => {
  const roll = diceOf(3);
  const windows = [...saleOf(100, roll), ...Array.from({ length: 10 }, () => windowOf(150, roll, { bad: 12 }))];
  const verdict = judgeProduction(windows);
  assert.equal(verdict.kind, "carried");
  assert.ok(verdict.people <= 101, `${verdict.people}`);
  assert.equal(judgeProduction(saleOf(100, roll, { bad: 300 })).kind, "none");
});

test("too few answers say nothing; what is no window is named", () => {
  assert.equal(judgeProduction([]).kind, "none");
  assert.match(judgeProduction([{ inside: 3, span_ms: 10, bad: 0, octaves: [1, 2] }]).why, /200 times/);
  const good = { inside: 3, span_ms: 10, bad: 0, octaves: [1] };
  assert.equal(whyNoWindow(good), null);
  for (const [change, wanted] of [
    [{ inside: -1 }, /inside/],
    [{ span_ms: 0 }, /span_ms/],
    [{ bad: 0.5 }, /bad/],
    [{ octaves: [-1] }, /octaves/],
    [{ octaves: Array(41).fill(0) }, /octaves/],
    [{ octaves: null }, /octaves/],
  ]) {
    assert.match(judgeProduction([good, { ...good, ...change }]).why, new RegExp(`^window 2: .*${wanted.source}`));
  }
});

test("the mean by octaves is within a third of the true one, whatever it is", () => {
  fc.assert(
    fc.property(fc.double({ min: 2, max: 20_000, noNaN: true }), fc.nat(), (ms, seed) => {
      const found = meanOf(octavesOf(2_000, ms, diceOf(seed)));
      assert.ok(found > ms / 1.33 && found < ms * 1.33, `${found}, truly ${ms}`);
    }),
    { numRuns: 50, seed: 7 },
  );
});
