// The table of docs/security.md and the tests say the same: every row is checked where it says, and every test that bears a
// row's name is in it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { filesUnder, inRoot } from "../../scripts/common.mjs";

const ROWS_MIN = 110;
const relative = (file) => path.relative(inRoot(), file);

/** `row → Set of files`, from the names of tests: `c07_…` at the beginning of a title or of a function's name. */
function named() {
  const found = new Map();
  const files = filesUnder(inRoot("tests"), inRoot("tools", "tests")).filter((file) => /(\.test\.mjs|\.rs)$/.test(file) && !file.includes("corpus"));
  for (const file of files) {
    const names = readFileSync(file, "utf8").matchAll(file.endsWith(".rs") ? /\bfn ((?:c\d{2,3}_)+)/g : /["'`]((?:c\d{2,3}_)+)/g);
    for (const [, name] of names) {
      for (const row of name.split("_").filter(Boolean)) found.set(row, (found.get(row) ?? new Set()).add(relative(file)));
    }
  }
  return found;
}

/** The same from the table: the first cell is the row, the last one names the files. */
function written() {
  const text = readFileSync(inRoot("docs", "security.md"), "utf8");
  const rows = [...text.matchAll(/^\| (c\d{2,3}) \|(.*)\|(.*)\|$/gm)];
  assert.equal(new Set(rows.map(([, row]) => row)).size, rows.length, "a row is there once");
  return new Map(rows.map(([, row, , where]) => [row, new Set([...where.matchAll(/`([^`]+)`/g)].map(([, file]) => (file.startsWith("tools/") ? file : `tests/${file}`)))]));
}

test("every row of docs/security.md is checked where it says, and nowhere else", () => {
  const [tests, table] = [named(), written()];
  const numbers = [...table.keys()].map((row) => Number(row.slice(1)));
  assert.ok(numbers.length >= ROWS_MIN, `${numbers.length} rows`);
  assert.deepEqual(numbers, numbers.map((_, at) => at + 1), "in order, none left out");
  const sorted = (map) => Object.fromEntries([...map].sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1))).map(([row, files]) => [row, [...files].sort()]));
  assert.deepEqual(sorted(table), sorted(tests));
});
