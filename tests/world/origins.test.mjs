// Servers that read paths, without them: the table of the docs, the gate's list and the lists of servers say the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { NAMES } from "../spellings/handlers.mjs";
import { READINGS } from "../spellings/spellings.mjs";
import { MIXED, targets } from "../spellings/targets.mjs";
import { ORIGINS } from "./origins/origins.mjs";
import { CODE, HEAD, PAGE, readersIn, rowOf } from "./origins/table.mjs";
import { tableOn } from "./table.mjs";

test("the table of the docs is the list's: head, order, the pinned versions, and nobody was reached", () => {
  const { head, rows } = tableOn(PAGE, "origins");
  assert.deepEqual(head, HEAD);
  const names = [...NAMES, ...Object.keys(ORIGINS)];
  const of = ([cell]) => names.filter((name) => cell.startsWith(`${name} `)).sort((a, b) => b.length - a.length)[0];
  assert.deepEqual(
    rows.map(of),
    names.filter((name) => rows.map(of).includes(name)),
  );
  assert.ok(rows.length >= 30, `${rows.length} servers`);
  for (const row of rows) {
    assert.equal(row.length, HEAD.length, row[0]);
    for (const cell of row.slice(1, -1)) assert.match(cell, /^(held|refused|held, refused)?$/, row[0]);
    const { python, version } = ORIGINS[of(row)] ?? {};
    if (python) assert.equal(row[0], `${of(row)} ${version}`, "npm run check-world -- origins --docs");
  }
});

test("who reads how stands in the code as on the page, and in the kits' vectors", () => {
  assert.equal(readFileSync(inRoot(CODE), "utf8"), readersIn(), "npm run check-world -- origins --docs");
  const { rows } = tableOn(PAGE, "origins");
  for (const [at, { name, readers }] of READINGS.entries())
    assert.deepEqual(
      readers,
      rows.filter((row) => row[at + 1].trim() !== "").map(([server]) => server),
      `${name}: write kits/vectors.json`,
    );
});

test("a row says what becomes of each reading; a spelling that begins like the page shows none", () => {
  const cells = { ...Object.fromEntries(READINGS.map(({ name }) => [name, []])), host: ["held", "refused"], [MIXED]: ["held"] };
  const row = rowOf({ name: "x", version: "1" }, cells, "today");
  assert.deepEqual(
    [row[0], row[HEAD.indexOf("host")], row[HEAD.indexOf("case")], row.at(-2), row.at(-1)],
    ["x 1", "held, refused", "", "held", "today"],
  );
  const all = targets({ seed: 1, count: 10 });
  assert.equal(all[MIXED].length, 10);
  for (const { name } of READINGS) assert.ok(all[name].length > 0 && !all[name].some((target) => target.startsWith("/buy/")), name);
});
