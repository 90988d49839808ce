// What is for tests alone is not in what ships: Cargo gives a crate every feature that anybody in one call wants of it.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { build, workerDir } from "../../scripts/build.mjs";
import { filesUnder, inRoot, output, toolEnv } from "../../scripts/common.mjs";

const FOR_TESTS = ["fault-injection", "planted-bugs", "small-worlds"];

/** Returns the features for tests that Cargo turns on in a build of this package. */
function featuresOf(name, ...more) {
  const asked = ["tree", "--offline", "--package", name, ...more, "--edges", "normal", "--prefix", "none", "--format", "{p} has {f},"];
  const tree = output("cargo", asked, { cwd: inRoot(), env: toolEnv() }) ?? "";
  assert.match(tree, /^baton-facts .* has /m, "the tree was read");
  return FOR_TESTS.filter((feature) => new RegExp(` has (?:.*,)?${feature},`).test(tree));
}

test("no feature for tests is on in what is compiled for the runtime or for browsers", () => {
  const wasm = ["--target", "wasm32-unknown-unknown"];
  for (const name of ["baton-edge", "baton-advice", "baton-report", "baton-check"]) assert.deepEqual(featuresOf(name, ...wasm), [], name);
  assert.deepEqual(featuresOf("baton-edge", ...wasm, "--features", "fault-injection"), ["fault-injection"]);
  assert.deepEqual(featuresOf("baton-tools", "--features", "planted-bugs"), ["planted-bugs", "small-worlds"]);
});

test("no place where a test orders a death is in the worker that ships, and each is in the other", async () => {
  const sources = filesUnder(inRoot("src", "edge")).filter((file) => file.endsWith(".rs"));
  const places = sources.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/fault_point\("([^"]+)"\)/g)].map(([, place]) => place));
  assert.ok(places.length > 0);
  for (const faults of [false, true]) {
    const wasm = `${workerDir({ faults })}/index_bg.wasm`;
    if (!process.env.BATON_AS_BUILT || !existsSync(wasm)) await build({ faults });
    const bytes = readFileSync(wasm);
    assert.deepEqual(
      places.filter((place) => bytes.includes(place)),
      faults ? places : [],
    );
  }
});
