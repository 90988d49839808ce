// `npm run bytes`: whose code the worker's WebAssembly is, by crate and module.
//
//   npm run bytes -- [--depth 3] [--least 0.5] [--file FILE.wasm]
//
// It builds the worker as it is deployed, and counts the functions of what the compiler made, with their names, before they are taken out and the rest
// is squeezed: so the sum is larger than what is deployed, and the shares are about the same. A generic function belongs to the crate that wrote it, so
// `alloc::collections::btree` is the code of all sorted maps. --depth is how many parts of a path are told apart, 3 if you do not say; --least leaves
// out what has less than so many percent.

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build, workerDir } from "./build.mjs";
import { inRoot, UsageError } from "./common.mjs";
import { namedFunctions, pathOf, sharesOf } from "./bytes/wasm.mjs";

const kib = (bytes) => (bytes / 1024).toFixed(1);

function readOptions() {
  const { values } = parseArgs({
    options: { depth: { type: "string", default: "3" }, least: { type: "string", default: "0.5" }, file: { type: "string" } },
  });
  const [depth, least] = [Number(values.depth), Number(values.least)];
  if (!Number.isInteger(depth) || depth < 1) throw new UsageError(`--depth needs a whole number from 1, not "${values.depth}".`);
  if (!(least >= 0 && least < 100)) throw new UsageError(`--least needs a percentage such as 0.5, not "${values.least}".`);
  return { depth, least, file: values.file };
}

function table(shares, total, least) {
  const shown = shares.filter(({ bytes }) => bytes >= (total * least) / 100);
  const rest = shares.length - shown.length;
  for (const { name, bytes, functions } of shown)
    console.log(`${kib(bytes).padStart(9)} KiB ${((bytes / total) * 100).toFixed(1).padStart(5)} %  ${name} (${functions})`);
  if (rest > 0) console.log(`${"".padStart(23)}${rest} more have less than ${least} % each`);
}

const { depth, least, file } = readOptions();
if (file === undefined) await build();
const compiled = file ?? inRoot("target", "wasm32-unknown-unknown", "release", "baton_edge.wasm");
const functions = namedFunctions(readFileSync(compiled));
const total = functions.reduce((sum, { bytes }) => sum + bytes, 0);
console.log(`\n${functions.length} functions, ${kib(total)} KiB of code. By crate:\n`);
table(
  sharesOf(functions, (name) => pathOf(name).slice(0, 1)),
  total,
  least,
);
console.log(`\nBy module, to the depth of ${depth}:\n`);
table(
  sharesOf(functions, (name) => pathOf(name).slice(0, depth)),
  total,
  least,
);
if (file === undefined) {
  const deployed = readFileSync(path.join(workerDir(), "index_bg.wasm"));
  console.log(`\nDeployed: ${kib(deployed.length)} KiB, gzipped ${kib(gzipSync(deployed).length)} KiB.`);
}
