// docs/security.md and the tests say the same: every row has a test that bears its name, and every test that bears a row's name
// has its row.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { filesUnder, inRoot } from "../../scripts/common.mjs";

const ROWS_MIN = 110;

/** The rows that tests bear: `c07_…` at the beginning of a title or of a function's name. */
function named() {
  const found = new Set();
  const files = filesUnder(inRoot("tests"), inRoot("tools", "tests")).filter((file) => /(\.test\.mjs|\.rs)$/.test(file) && !file.includes("corpus"));
  for (const file of files) {
    const names = readFileSync(file, "utf8").matchAll(file.endsWith(".rs") ? /\bfn ((?:c\d{2,3}_)+)/g : /["'`]((?:c\d{2,3}_)+)/g);
    for (const [, name] of names) {
      for (const row of name.split("_").filter(Boolean)) found.add(row);
    }
  }
  return found;
}

/** The rows that the page has, as written: each line of its list begins with one. */
function written() {
  const text = readFileSync(inRoot("docs", "security.md"), "utf8");
  return [...text.matchAll(/^- \*\*(c\d{2,3})\*\* ./gm)].map(([, row]) => row);
}

const inOrder = (rows) => [...rows].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));

test("every row of docs/security.md is there once and has a test, and every such test has its row", () => {
  const [tests, rows] = [named(), inOrder(written())];
  assert.ok(rows.length >= ROWS_MIN, `${rows.length} rows`);
  assert.deepEqual(
    rows.map((row) => Number(row.slice(1))),
    rows.map((_, at) => at + 1),
    "none left out, none twice",
  );
  assert.deepEqual(rows, inOrder(tests));
});
