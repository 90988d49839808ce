// What is said of levels, made by hand so that each rule is the only one that can speak.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crowdsBack, levelsFor, nextLook, roughBend } from "../../scripts/find_permits/plan.mjs";
import { Progress } from "../../scripts/find_permits/progress.mjs";
import { answerText, tableText } from "../../scripts/find_permits/text.mjs";
import { judge, repeats, whyNotCounted } from "../../scripts/find_permits/verdict.mjs";

const [QUIET_MS, THINK_MS, PER_S_MAX] = [50, 950, 100];

/** A level of a shop with one sharp knee at 100 people: `people` a second until then, 100 beyond. */
function level(people, more = {}) {
  const perS = Math.min(people / ((QUIET_MS + THINK_MS) / 1_000), PER_S_MAX);
  const answerMs = (people / perS) * 1_000 - THINK_MS;
  return {
    people,
    way: "up",
    answers: 1_000,
    errors: 0,
    per_s: perS,
    per_s_error: 0.01,
    in_flight: (perS * answerMs) / 1_000,
    answer_ms: answerMs,
    think_ms: THINK_MS,
    lag_p99_ms: 1,
    cpu_percent: 10,
    ...more,
  };
}
const good = () =>
  [15, 30, 50, 70, 90, 125, 160, 210].map((people) => level(people)).concat([level(160, { way: "down" }), level(70, { way: "down" })]);
const changed = (change) => good().map((each, at) => ({ ...each, ...change(each, at) }));

test("a good run gives the number, its interval, and 0.8 of the lower bound", () => {
  const verdict = judge(good());
  assert.equal(verdict.kind, "number");
  assert.ok(Math.abs(verdict.people - 100) <= 3, `${verdict.people}`);
  assert.ok(verdict.low <= verdict.people && verdict.people <= verdict.high && verdict.high - verdict.low <= 50);
  assert.equal(verdict.recommended, Math.floor(0.8 * verdict.low));
});

test("the same levels give the same answer", () => assert.deepEqual(judge(good(), { seed: 4 }), judge(good(), { seed: 4 })));

test("a level counts only while the generator is on time and has room, and with answers enough", () => {
  assert.equal(whyNotCounted(level(50)), null);
  assert.equal(whyNotCounted(level(50, { lag_p99_ms: 9.99, cpu_percent: 69.9 })), null);
  assert.match(whyNotCounted(level(50, { lag_p99_ms: 10 })), /late by 10 ms/);
  assert.equal(whyNotCounted(level(50, { answer_ms: 120, lag_p99_ms: 15 })), null, "of a shop that takes 120 ms, 15 are little");
  assert.match(whyNotCounted(level(50, { answer_ms: 120, lag_p99_ms: 18 })), /late by 18 ms \(p99; 18 are allowed\)/);
  assert.match(whyNotCounted(level(50, { cpu_percent: 70 })), /busy to 70 %/);
  assert.match(whyNotCounted(level(50, { answers: 29 })), /only 29 answers/);
  assert.match(whyNotCounted(level(50, { errors: 21 })), /21 of 1000 answers/);
});

test("without enough levels that count there is no number", () => {
  const few = judge(changed(({ people }) => (people > 60 ? { answers: 20 } : {})));
  assert.equal(few.kind, "at_least");
  assert.match(few.why, /levels count .*only 20 answers/);
  assert.equal(few.people, 50);
  const none = judge(changed(() => ({ cpu_percent: 99 })));
  assert.equal(none.kind, "none");
  assert.match(none.why, /busy to 99 %/);
});

test("less than a number is never claimed where this machine spoilt a level: it may be the one that tells", () => {
  for (const isSpoilt of [({ people }) => people > 60, ({ way }) => way === "down"]) {
    const { kind, why } = judge(changed((level) => (isSpoilt(level) ? { lag_p99_ms: 200 } : {})));
    assert.equal(kind, "none", why);
    assert.match(why, /^this machine was late by 200 ms .*, so \d+ of \d+ levels say nothing of the shop$/);
  }
});

test("without two levels past the bend it is at least what was carried", () => {
  const verdict = judge([15, 30, 50, 60, 70, 80, 90].map((people) => level(people)).concat([level(70, { way: "down" }), level(50, { way: "down" })]));
  assert.equal(verdict.kind, "at_least");
  assert.equal(verdict.people, 90);
  assert.equal(verdict.recommended, 72);
  assert.match(verdict.why, /the bend was not reached with 90 people/);
});

test("more than 10 % apart, measured again, is drift: no number", () => {
  const slower = judge(changed(({ way, people, per_s: perS }) => (way === "down" && people === 160 ? { per_s: perS * 0.88 } : {})));
  assert.equal(slower.kind, "none");
  assert.match(slower.why, /with 160 people it answered 100 steps a second, later 88/);
  const [first] = repeats(changed(({ way, per_s: perS }) => (way === "down" ? { per_s: perS * 0.9 } : {})));
  assert.ok(Math.abs(first.apart - 0.1) < 1e-9);
});

test("quicker the second time is drift too: what was measured first was something else", () => {
  const verdict = judge(changed(({ way, people, per_s: perS }) => (way === "down" && people === 70 ? { per_s: perS * 1.15 } : {})));
  assert.equal(verdict.kind, "none");
});

test("each a little slower, and both: drift, though neither alone is 10 % apart", () => {
  assert.equal(judge(changed(({ way, per_s: perS }) => (way === "down" ? { per_s: perS * 0.93 } : {}))).kind, "none");
  assert.equal(judge(changed(({ way, per_s: perS }) => (way === "down" ? { per_s: perS * 0.97 } : {}))).kind, "number");
});

test("where only one repeat counts, it is enough to show a shop that gets slower", () => {
  const verdict = judge(
    changed(({ way, people, per_s: perS }) => (way === "down" ? (people === 70 ? { lag_p99_ms: 40 } : { per_s: perS * 0.92 }) : {})),
  );
  assert.equal(verdict.kind, "none");
  assert.match(verdict.why, /later 92/);
});

test("apart by chance is no drift: the spread within the levels explains it", () => {
  const noisy = changed(({ way, people, per_s: perS }) => ({ per_s_error: 0.05, ...(way === "down" && people === 70 && { per_s: perS * 0.88 }) }));
  assert.notEqual(judge(noisy).kind, "none");
});

test("without a repeat nothing shows that the shop stayed the same", () => {
  const verdict = judge(good().filter(({ way }) => way === "up"));
  assert.equal(verdict.kind, "at_least");
  assert.match(verdict.why, /measured again/);
});

test("an interval wider than ±25 % is at least its lower end", () => {
  const verdict = judge(changed(() => ({ per_s_error: 0.6 })));
  assert.equal(verdict.kind, "at_least");
  assert.match(verdict.why, /the interval is ±\d+ %, wider than ±25 %/);
  assert.ok(verdict.people < 100 && verdict.recommended <= 0.8 * verdict.people);
});

test("a run that was stopped gives no number, and claims what was carried before", () => {
  const verdict = judge(good().slice(0, 4), { stopped: '"pay" was answered 429' });
  assert.equal(verdict.kind, "at_least");
  assert.equal(verdict.people, 70);
  assert.match(verdict.why, /429/);
  assert.equal(judge([], { stopped: "you stopped it" }).kind, "none");
});

/** A shop that answers half as many with more than 200 people. `down`: the levels after that, each with what is special about it. */
const fallen = (down) =>
  judge([
    ...[15, 30, 50, 70, 90, 125, 160].map((people) => level(people)),
    level(210, { per_s: 50, answer_ms: 3_000 }),
    ...down.map(([people, more]) => level(people, { way: "down", ...more })),
  ]);
const [LINE, FULL] = [{ answer_ms: 900 }, { per_s: 50, answer_ms: 3_000 }];

test("a shop that collapses takes what it carries again, if it is the same afterwards as before", () => {
  const verdict = fallen([
    [80, LINE],
    [70, {}],
    [30, {}],
    [210, FULL],
  ]);
  assert.deepEqual([verdict.kind, verdict.people, verdict.low, verdict.high, verdict.recommended], ["number", 70, 70, 80, 56]);
  assert.match(verdict.why, /collapses: with 210 people it answered 50 steps a second, with fewer 100/);
  assert.match(answerText(verdict), /^Your shop takes 70 people at once: so many it carried again after it had fallen, and 80 it did not\.\n/);
});

test("of a shop that collapses no number is said unless it was measured again nearly empty and full", () => {
  const known = [
    [80, LINE],
    [70, {}],
  ];
  for (const rest of [[], [[30, {}]], [[210, FULL]]]) {
    const verdict = fallen([...known, ...rest]);
    assert.deepEqual([verdict.kind, verdict.people], ["at_least", 70]);
  }
  const never = fallen([
    [80, LINE],
    [30, LINE],
    [210, FULL],
  ]);
  assert.match(never.why, /not seen to come back/);
  const slower = fallen([...known, [30, { answer_ms: 60 }], [210, FULL]]);
  assert.match(slower.why, /changed while it was measured: with 30 people an answer took 50 ms, later 60/);
  const worse = fallen([...known, [30, {}], [210, { per_s: 40, answer_ms: 4_000 }]]);
  assert.match(worse.why, /changed while it was measured: with 210 people it answered 50 steps a second, later 40/);
  for (const { kind } of [never, slower, worse]) assert.equal(kind, "none");
});

test("after a collapse the crowds go down from where it fell, in steps of 7 %", () => {
  const crowds = crowdsBack(100);
  assert.deepEqual(crowds.slice(0, 4), [95, 88, 82, 76]);
  assert.equal(crowds.at(-1), 30);
  assert.deepEqual(crowdsBack(2), [2, 1]);
});

test("looks double, slow down near the bend, end behind it or at the cap", () => {
  assert.equal(nextLook([], 500), 4);
  assert.equal(nextLook([level(4)], 500), 8);
  assert.equal(nextLook([level(4), level(130)], 500), 195);
  assert.equal(nextLook([level(4), level(200)], 500), null);
  assert.equal(nextLook([level(4)], 6), 6);
  assert.equal(nextLook([level(6)], 6), null);
  assert.ok(Math.abs(roughBend([level(4), level(200)]) - 100) < 1);
  assert.equal(roughBend([level(4), level(60)]), null);
});

test("levels: whole people, none twice on the way up, none above the cap", () => {
  for (const [bend, cap] of [
    [100, 500],
    [100, 120],
    [3, 500],
    [null, 40],
    [1_000, 50],
    [null, 1],
  ]) {
    const plan = levelsFor(bend, cap);
    const up = plan.filter(({ way }) => way === "up").map(({ people }) => people);
    assert.ok(plan.length <= 10 && up.every((people) => Number.isInteger(people) && people >= 1 && people <= cap), `${bend} ${cap}: ${up}`);
    assert.equal(new Set(up).size, up.length);
    assert.ok(plan.every(({ people, way }) => way === "up" || up.includes(people)));
  }
});

test("the answer in words: the number with its sum, at least with its reason, none with its reason; always why 0.8", () => {
  const number = answerText(judge(good()));
  assert.match(
    number,
    /^Your shop takes 100 people at once \(90 %: 99 to 103\)\.\n100 steps a second × \(0\.05 s answer \+ 0\.95 s thinking\) = 100\. Beyond/,
  );
  assert.match(number, /permits = 79\. That is 0\.8 × the lower end: /);
  assert.match(
    answerText(judge(good().slice(0, 4), { stopped: "you stopped it" })),
    /^Your shop takes at least 70 people at once\.\nMore is not known: the run was stopped: you stopped it\.\nRecommended: permits = 56\./,
  );
  assert.match(answerText(judge([])), /^No number can be given\.\n/);
});

test("the table says of each level whether it counts, and why not", () => {
  const lines = tableText([level(15), level(1_250, { way: "down", answer_ms: 200, lag_p99_ms: 33 })]).split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[1], /^ +15 .* yes$/);
  assert.match(lines[2], /^1,250 again .* no: this machine was late by 33 ms/);
});

test("the bar: it moves within a level, says what is left, and is whole lines where there is no terminal", () => {
  for (const isTerminal of [true, false]) {
    let [nowMs, said] = [0, []];
    const progress = new Progress({ times: { settle_ms: 10_000, level_ms: 30_000 }, isTerminal, write: (text) => said.push(text), now: () => nowMs });
    progress.tell({ kind: "look", people: 8 });
    progress.tell({ kind: "level", nth: 3, of: 10, people: 64, way: "up", tries: 1 });
    nowMs = 20_000;
    progress.draw();
    progress.tell({ kind: "measured", why: "this machine was late" });
    progress.tell({ kind: "leaving", people: 64 });
    const texts = said.map((text) => text.replace("\r\x1b[2K", ""));
    assert.match(texts[0], /^\[\.{24}\] looking for the bend: 8 people/);
    assert.match(texts[1], /^\[#{5}\.{19}\] level 3 of 10: 64 people, about 5 min left/);
    assert.match(texts[2], /^\[#{6}\.{18}\] level 3 of 10: 64 people, about 5 min left/);
    assert.deepEqual(texts.slice(3), ["  does not count: this machine was late\n", "64 people leave\n"]);
    assert.ok(said.every((text) => text.startsWith("\r") === isTerminal && (isTerminal || text.endsWith("\n"))));
  }
});
