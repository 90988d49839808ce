// What is installed for the tests is installed before the packages of package.json are: such a program may need Node alone.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";

const IMPORTED = /^\s*(?:import|export)\s(?:[^;]*?\sfrom\s*)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** What `file` and the files that it imports take from packages, as `[file, package]`. */
function packagesOf(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, "utf8").matchAll(IMPORTED)].flatMap(([, ...names]) => {
    const name = names.find(Boolean);
    if (name.startsWith(".")) return packagesOf(path.resolve(path.dirname(file), name), seen);
    return name.startsWith("node:") ? [] : [[path.relative(inRoot(), file), name]];
  });
}

const installs = globSync("tests/*/install.mjs", { cwd: inRoot() });

test("what CI installs first needs no package of package.json", () => {
  const named = [...readFileSync(inRoot(".ci", "run"), "utf8").matchAll(/^node (\S+)$/gm)].map(([, file]) => file);
  assert.deepEqual(
    named.filter((file) => !installs.includes(file)),
    [],
  );
  for (const file of installs) assert.deepEqual(packagesOf(inRoot(file)), [], file);
});

test("a file that takes a package is seen to", () => {
  assert.ok(packagesOf(inRoot("tests/support/engines/index.mjs")).some(([, name]) => name === "playwright-core"));
});
