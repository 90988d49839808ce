// What `npm test` runs and what it leaves for `npm run test:all`: every area has a story among the quick ones, and every name is a file.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { failuresOf, filesOf, filesToRepeat, longFiles, nativeTests, quickFiles } from "../../scripts/test.mjs";
import { LONG, LONG_NATIVE, QUICK } from "../tiers.mjs";

/** Every folder below tests/ that has node tests. */
const areas = readdirSync(inRoot("tests"), { recursive: true })
  .filter((name) => name.endsWith(".test.mjs") && !name.includes("node_modules"))
  .map((name) => path.posix.join("tests", path.dirname(name)));

test("each area has a story among the quick tests, or a reason why not", () => {
  for (const area of new Set(areas)) {
    assert.ok(area in QUICK !== area in LONG, `${area} belongs into exactly one of QUICK and LONG of tests/tiers.mjs: name its story there`);
  }
  for (const area of Object.keys({ ...QUICK, ...LONG })) assert.ok(areas.includes(area), `${area} of tests/tiers.mjs has no tests`);
});

test("each name in tests/tiers.mjs is a test", () => {
  for (const file of quickFiles()) assert.ok(filesOf(path.dirname(file)).includes(path.basename(file)), `${file} is not there`);
  for (const [area, names] of Object.entries(QUICK)) assert.ok(names === "all" || names.length > 0, `${area} names no story`);
  for (const name of Object.keys(LONG_NATIVE)) assert.ok(nativeTests().includes(name), `${name} of LONG_NATIVE is not there`);
});

test("the whole run has each node test once", () => {
  const files = [...new Set(areas)].flatMap((area) => filesOf(area).map((name) => path.posix.join(area, name)));
  assert.deepEqual([...quickFiles(), ...longFiles()].sort(), files.sort());
});

test("a native test's name is its own: cargo takes it in every package", () => {
  const names = nativeTests();
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

const failedOf = (runner, text) => failuresOf(runner, text).map((each) => each.text);

test("what failed is named at the end, each test once, whichever way the runner prints it", () => {
  const tap = "ok 1 - good\n# Subtest: a\n    not ok 2 - inner, with `ahead`\nnot ok 3 - a\n";
  assert.deepEqual(failedOf("node", tap), ["inner, with `ahead`", "a"]);
  assert.deepEqual(failedOf("node", "✔ good (1.2ms)\n✖ bad one (30.4ms)\n\n✖ bad one (30.4ms)\n"), ["bad one"]);
  assert.deepEqual(
    failedOf("cargo", "test room::good ... ok\ntest room::bad ... FAILED\ntest wasm_bad ... FAIL\ntest result: FAILED. 1 passed; 2 failed;\n"),
    ["room::bad", "wasm_bad"],
  );
  assert.deepEqual(failedOf(undefined, "not ok 1 - a"), []);
});

/** What a runner prints of a test that failed in this file. */
const tapOf = (name, file, error) =>
  `not ok 1 - ${name}\n  ---\n  duration_ms: 1.5\n  type: 'test'\n  location: '${inRoot(file)}:3:1'\n  failureType: 'testCodeFailure'\n  error: ${error}\n  code: 'ERR_ASSERTION'\n  ...\n`;

test("what failed is told with what it said", () => {
  const tap = tapOf("one", "tests/a/one.test.mjs", "'it is so'") + tapOf("two", "tests/a/two.test.mjs", "|-\n    it is\n\n    otherwise");
  assert.deepEqual(failuresOf("node", tap), [
    { text: "one (tests/a/one.test.mjs:3:1)", file: "tests/a/one.test.mjs", said: "'it is so'" },
    { text: "two (tests/a/two.test.mjs:3:1)", file: "tests/a/two.test.mjs", said: "it is otherwise" },
  ]);
});

test("few files run once more, and none if they are many or not known", () => {
  const failing = (...names) => failuresOf("node", names.map((name) => tapOf(`in ${name}`, `tests/a/${name}.test.mjs`, "'no'")).join(""));
  assert.deepEqual(filesToRepeat(failing("one", "two", "three")), ["tests/a/one.test.mjs", "tests/a/two.test.mjs", "tests/a/three.test.mjs"]);
  assert.deepEqual(filesToRepeat(failing("one", "two", "three", "four")), []);
  assert.deepEqual(filesToRepeat([...failing("one"), { text: "a suite" }]), []);
  assert.deepEqual(filesToRepeat([]), []);
});

test("a file that leaves something running ends all the same, and none of its results is lost", (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-ends-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "leaves.test.mjs");
  writeFileSync(
    file,
    'import { test } from "node:test";\nsetInterval(() => {}, 1_000);\nfor (let nth = 0; nth < 300; nth++) test(`${nth}`, () => { if (nth === 299) throw new Error("the last one"); });\n',
  );
  const { NODE_TEST_CONTEXT: ours, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", "--import", "./tests/support/ends.mjs", file], {
    cwd: inRoot(),
    encoding: "utf8",
    env,
    timeout: 60_000,
  });
  assert.deepEqual([status, failedOf("node", stdout)], [1, [`299 (${file}:3:37)`]]);
  assert.match(stdout, /^# pass 299$/m);
});
