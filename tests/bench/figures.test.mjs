// The benchmarks' pure helpers: a figure that is judged wrongly is worse than none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isWhole, judged, median, overtaken, percentile, readTarget, round } from "../../bench/lib/figures.mjs";
import { asMarkdown, asText, between, byLength, plainMarkdown } from "../../bench/lib/table.mjs";

test("percentiles are of the nearest rank, whatever the order", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.equal(percentile(values, 50), 50);
  assert.equal(percentile(values, 99), 99);
  assert.equal(percentile(values, 100), 100);
  assert.equal(percentile([7], 1), 7);
  assert.equal(percentile([], 50), undefined);
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([10, 9, 100, 1]), 9, "by value and not by text, and the lower of two");
});

test("three digits are kept, and whole numbers from a hundred on", () => {
  assert.deepEqual([0.012345, 1.2345, 99.99, 123.6, 98765.4, 0].map(round), [0.0123, 1.23, 100, 124, 98765, 0]);
});

test("a target is about the ratio or about the value", () => {
  assert.deepEqual(readTarget("≥ 60×"), { sign: "≥", limit: 60, of: "ratio" });
  assert.deepEqual(readTarget("≤ 0.85×"), { sign: "≤", limit: 0.85, of: "ratio" });
  assert.deepEqual(readTarget("≤ 200 KB"), { sign: "≤", limit: 200, of: "value" });
  assert.deepEqual(readTarget("= 0"), { sign: "=", limit: 0, of: "value" });
  assert.throws(() => readTarget("fast"));
});

const met = (row) => judged({ what: "x", unit: "ms", ...row }).met;

test("met is judged before anything is rounded, and its limit counts as met", () => {
  assert.equal(met({ value: 85, ceiling: 100, target: "≥ 0.85×" }), true);
  assert.equal(met({ value: 84.9999, ceiling: 100, target: "≥ 0.85×" }), false);
  assert.equal(met({ value: 1.3, ceiling: 1, target: "≤ 1.3×" }), true);
  assert.equal(met({ value: 1.3001, ceiling: 1, target: "≤ 1.3×" }), false);
  assert.equal(met({ value: 200.01, target: "≤ 200 KB" }), false);
  assert.equal(met({ value: 0, target: "= 0" }), true);
  assert.equal(met({ value: 1, target: "= 0" }), false);
});

test("what was not measured or has no target is neither met nor missed", () => {
  assert.equal(met({ value: 5 }), null);
  assert.equal(met({ value: 5, target: "≥ 2×" }), null, "there is no ceiling");
  assert.equal(met({ value: Number.NaN, target: "≤ 1 ms" }), null);
});

test("a judged row has every field of the results, rounded", () => {
  assert.deepEqual(judged({ what: "joins", value: 12345.6, unit: "joins/s", ceiling: 1000.4, ceiling_of: "one insert", target: "≥ 10×" }), {
    what: "joins",
    value: 12346,
    unit: "joins/s",
    ceiling: 1000,
    ceiling_of: "one insert",
    ratio: 12.3,
    target: "≥ 10×",
    met: true,
  });
  assert.deepEqual(Object.keys(judged({ what: "x", value: 1 })), ["what", "value", "unit", "ceiling", "ceiling_of", "ratio", "target", "met"]);
});

const join = (sent, answered, number) => ({ sent, answered, number });

test("somebody is overtaken only by a join that was sent after the answer", () => {
  assert.equal(overtaken([join(0, 10, 1), join(11, 20, 2)]), 0);
  assert.equal(overtaken([join(0, 10, 2), join(11, 20, 1)]), 1);
  assert.equal(overtaken([join(0, 10, 2), join(9, 20, 1)]), 0, "they were under way together");
  assert.equal(overtaken([join(30, 40, 3), join(0, 10, 5), join(11, 20, 4), join(21, 29, 6)]), 2);
});

test("numbers are whole when they are 1 to n, each once", () => {
  assert.equal(isWhole([3, 1, 2]), true);
  assert.equal(isWhole([1, 2, 2]), false);
  assert.equal(isWhole([1, 2, 4]), false);
  assert.equal(isWhole([0, 1, 2]), false);
  assert.equal(isWhole([1, undefined]), false);
});

const ROWS = [
  judged({ what: "a | b", value: 1234, unit: "joins/s", ceiling: 100, ceiling_of: "one insert", target: "≥ 60×" }),
  judged({ what: "sizes", value: 5, target: "≤ 4 KB" }),
];

test("tables show every row with its unit, ceiling, ratio and verdict", () => {
  const [head, joins, sizes] = asText(ROWS).split("\n");
  assert.match(head, /^what +value +ceiling +ratio +target +met$/);
  assert.match(joins, /^a \| b +1,234 joins\/s +100 \(one insert\) +12\.3× +≥ 60× +no$/);
  assert.match(sizes, /^sizes +5 +≤ 4 KB +no$/);
  const markdown = asMarkdown(ROWS).split("\n");
  assert.equal(markdown.length, 4);
  assert.equal(markdown[2], "| a \\| b | 1,234 joins/s | 100 (one insert) | 12.3× | ≥ 60×, **missed** |");
});

test("the curve's table has a column for each name", () => {
  assert.equal(
    plainMarkdown([
      { rate: 1000, p50: 1.5 },
      { rate: 2000, p50: 2 },
    ]),
    "| rate | p50 |\n| ---: | ---: |\n| 1,000 | 1.5 |\n| 2,000 | 2 |",
  );
});

test("only what stands between the marks is replaced", () => {
  const text = "before\n<!-- x -->\nold\n<!-- /x -->\nafter";
  assert.equal(between(text, "x", "new"), "before\n<!-- x -->\nnew\n<!-- /x -->\nafter");
  assert.equal(between(between(text, "x", "new"), "x", "newer"), "before\n<!-- x -->\nnewer\n<!-- /x -->\nafter");
  assert.throws(() => between("no marks", "x", "new"), /marks/);
});

test("growth is a line for each series and a column for each length, in units that keep it short", () => {
  const row = (series, waiting, value, unit) => ({ series, waiting, value, unit });
  const table = byLength([row("a turn", 10_000, 2_500_000, "ns"), row("a turn", 1_000, 999, "ns"), row("memory", 10_000, 131_072, "bytes")]).split(
    "\n",
  );
  assert.equal(table[0], "| what | 1,000 waiting | 10,000 waiting |");
  assert.deepEqual(table.slice(2), ["| a turn | 999 ns | 2.5 ms |", "| memory |  | 131 KB |"]);
});
