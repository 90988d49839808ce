// A profile's fold: every sample is of one kind, and what V8 does not see is the runtime's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { folded, shownShares } from "../../bench/lib/shares.mjs";

const FRAMES = [
  ["(root)", ""],
  ["(program)", ""],
  ["(idle)", ""],
  ["(garbage collector)", ""],
  ["wasm-function[7]", "wasm://wasm/1"],
  ["baton::gate::plan", "wasm://wasm/1"],
  ["wasm-to-js", ""],
  ["js-to-wasm:i:ii", ""],
  ["answer", "file:///bundle/build/index.js"],
  ["", "file:///bundle/build/index.js"],
  ["fetch", ""],
  ["", ""],
];
const nodes = FRAMES.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }));
/** A profile with one sample of each of these nodes, a ms apart. */
const profile = (samples, timeDeltas = samples.map(() => 1_000)) => ({ nodes, samples, timeDeltas });

test("every sample counts as one interval, of the kind of its function", () => {
  const { kinds } = folded(profile([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), 11);
  assert.deepEqual(kinds, { wasm: 2, border: 2, glue: 2, called: 2, garbage: 1, program: 2 });
});

test("a thread that waited for a core has taken no more time for it", () => {
  const { kinds } = folded(profile([4, 4, 8, 8, 8], [1_000, 1_000, 90_000, 1_000, 1_000]), 5);
  assert.deepEqual([kinds.wasm, kinds.glue, kinds.program], [2, 3, 0]);
});

test("what the thread ran for beyond the samples is the runtime's, and never less than nothing", () => {
  assert.equal(folded(profile([4, 8]), 10).kinds.program, 8);
  assert.equal(folded(profile([4, 8]), 1).kinds.program, 0);
  assert.equal(folded(profile([]), 3).kinds.program, 3);
});

test("functions are by their own time, the longest first, and of equal names each file has its own", () => {
  const { functions } = folded(profile([8, 8, 8, 10, 5, 5, 11, 2]), 7);
  assert.deepEqual(
    functions.map(({ name, kind, ms }) => [name, kind, ms]),
    [
      ["answer", "glue", 3],
      ["baton::gate::plan", "wasm", 2],
      ["fetch", "called", 1],
      ["(no name)", "called", 1],
    ],
  );
});

test("the text has the time of one request, its shares, and a word on wasm without names", () => {
  const text = shownShares("status", { count: 100, per_s: 1_234.4 }, folded(profile([4, 4, 8, 10]), 8));
  assert.match(text, /^status: 1,234 requests a second/);
  assert.match(text, /^ {2}in all +80\.0 µs +100\.0 %$/m);
  assert.match(text, /^ {2}wasm +20\.0 µs +25\.0 %$/m);
  assert.match(text, /^ {2}the runtime by itself.* 40\.0 µs +50\.0 %$/m);
  assert.match(text, /^ {2}answer \(glue\) +10\.0 µs/m);
  assert.doesNotMatch(text, /wasm-function/);
  assert.match(text, /have no names here/);
  assert.doesNotMatch(shownShares("status", { count: 1, per_s: 1 }, folded(profile([5, 8]), 2)), /have no names here/);
});
