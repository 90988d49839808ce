// The model's rows: the same in every run, and held to the targets of the issue.

import assert from "node:assert/strict";
import { test } from "node:test";
import { judged } from "../../bench/lib/figures.mjs";
import { modelRows } from "../../bench/rows/model.mjs";

/** Small enough for a test; no figure is that of the benchmark, but for the prices by counts. */
const SMALL = { line: 50_000, crowd: 10_000, played: 5_000 };

test("the model's rows are the same in every run", () => {
  assert.deepEqual(modelRows(SMALL), modelRows(SMALL));
});

test("every row of the model has a figure, a name of its own, and the target that the issue names", () => {
  const rows = modelRows(SMALL).map(judged);
  for (const { what, value } of rows) assert.ok(Number.isFinite(value), what);
  assert.equal(new Set(rows.map(({ what }) => what)).size, rows.length);
  const targets = Object.groupBy(
    rows.filter(({ target }) => target),
    ({ target }) => target,
  );
  const often = Object.fromEntries(Object.entries(targets).map(([target, of]) => [target, of.length]));
  assert.deepEqual(often, { "≤ 100 ms": 1, "≤ 20 s": 2, "≤ 800 requests/s": 4, "= 0": 2, "≤ 60 s": 2, "≤ 2 dollars": 2, "≤ 0.4 dollars": 2 });
  assert.ok(
    rows.filter(({ target }) => target === "= 0").every(({ met }) => met),
    "everybody gets a number",
  );
});

test("a smaller crowd has its own number in the row's name", () => {
  const [baton, pages] = modelRows(SMALL);
  assert.match(baton.what, /a baton with 50,000 in line, the room at 200 batches\/s/);
  assert.match(pages.what, /measured pace: 10,000 pages in a second/);
});
