// `npm run bytes`: which functions a module has, how long they are, and whose they are. The build's order of functions: like beside like.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import binaryen from "binaryen";
import { alikeOrder, namesInOrder } from "../../scripts/bytes/alike.mjs";
import { functionBodies, namedFunctions, pathOf, sharesOf, withNames } from "../../scripts/bytes/wasm.mjs";
import { npmProgram } from "../../scripts/common.mjs";

const WRITTEN = `(module
  (import "a" "memory" (memory 1 2))
  (import "a" "f" (func $imported (param i32)))
  (import "a" "g" (func $also_imported (param i32)))
  (func $_ZN5baton4room4line4join17h0123456789abcdefE (param i32) (call $imported (i32.add (local.get 0) (i32.const 1))))
  (func $_ZN5baton4room5leave17h0123456789abcdefE (nop)))`;

const hex = (bytes) => Buffer.from(bytes).toString("hex");

/** The module, with the names of its functions or without. */
function moduleOf({ named }) {
  const module = binaryen.parseText(WRITTEN);
  binaryen.setDebugInfo(named);
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

test("a module's functions have their names and lengths, behind those that it imports", () => {
  const functions = namedFunctions(moduleOf({ named: true }));
  assert.deepEqual(
    functions.map(({ name }) => pathOf(name)),
    [
      ["baton", "room", "line", "join"],
      ["baton", "room", "leave"],
    ],
  );
  const [join, leave] = functions.map(({ bytes }) => bytes);
  // No locals, one instruction and the end; the other has five instructions.
  assert.ok(leave === 3 && join === 9, `${join} and ${leave}`);
  assert.deepEqual(
    sharesOf(functions, (name) => pathOf(name).slice(0, 2)),
    [{ name: "baton::room", bytes: join + leave, functions: 2 }],
  );
  const nameless = namedFunctions(moduleOf({ named: false }));
  assert.deepEqual(
    nameless.map(({ name, bytes }) => [pathOf(name), bytes]),
    [
      [["other"], join],
      [["other"], leave],
    ],
  );
  assert.throws(() => namedFunctions(new TextEncoder().encode("no module")), /no WebAssembly module/);
});

test("a function belongs to the type it is a method of, or to the trait if the type is nobody's", () => {
  const mangled = (...parts) => `_ZN${parts.map((part) => `${part.length}${part}`).join("")}17h0123456789abcdefE`;
  const paths = {
    [mangled("alloc", "collections", "btree", "map", "BTreeMap$LT$K$C$V$GT$", "insert")]: "alloc::collections::btree::map::BTreeMap<K,V>::insert",
    [mangled("_$LT$baton..room..Room$u20$as$u20$serde_core..ser..Serialize$GT$", "serialize")]: "baton::room::Room",
    [mangled("_$LT$$RF$mut$u20$serde_json..de..Deserializer$LT$R$GT$$u20$as$u20$serde_core..de..Deserializer$GT$", "any")]:
      "serde_json::de::Deserializer",
    [mangled("_$LT$T$u20$as$u20$core..fmt..Display$GT$", "fmt")]: "core::fmt::Display",
    _RNvNtNtNtNtCsgXGp5Oqx2Ny_4core3num7flt2dec8strategy6dragon15format_shortest: "core::num::flt2dec::strategy::dragon::format_shortest",
    _RNvMs0_NtCsjqx8TIyZbP9_8dlmalloc8dlmallocINtB5_8DlmallocNtNtB7_3sys6SystemE6malloc: "dlmalloc::dlmalloc",
    answer_front_b1814775638eec12: "other",
  };
  for (const [name, path] of Object.entries(paths)) assert.equal(pathOf(name).join("::"), path);
});

/** Bytes in which no six occur twice, and none of another seed's. */
const noise = (seed, length) =>
  Buffer.concat(Array.from({ length: Math.ceil(length / 64) }, (_, at) => hash("sha512", `${seed} ${at}`, "buffer"))).subarray(0, length);

test("functions that have much in common come one after the other", () => {
  const body = (kind, own) => Buffer.concat([noise(kind, 300), noise(own, 20)]);
  const bodies = [body("a", 1), body("b", 2), body("c", 3), body("b", 4), body("c", 5), body("a", 6)];
  assert.deepEqual(alikeOrder(bodies), [0, 5, 1, 3, 2, 4]);
});

test("what is further back than gzip looks counts for nothing", () => {
  const bodies = [
    Buffer.concat([noise("far", 100), noise("between", 20_000)]),
    Buffer.concat([noise("far", 100), noise(1, 200)]),
    Buffer.concat([noise("near", 50), noise(2, 250)]),
    Buffer.concat([noise("between", 20_000), noise("near", 20_000)]),
  ];
  assert.deepEqual(alikeOrder(bodies), [0, 3, 2, 1]);
});

test("wasm-opt sorts a module's functions by the names that it was given, however the module writes its imports", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "baton-bytes-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "module.wasm");
  for (const features of [binaryen.Features.MVP, binaryen.Features.All]) {
    const module = binaryen.parseText(WRITTEN);
    module.setFeatures(features);
    binaryen.setDebugInfo(false);
    const bytes = module.emitBinary();
    module.dispose();
    const bodies = functionBodies(bytes);
    writeFileSync(file, withNames(bytes, namesInOrder(bodies).toReversed()));
    execFileSync(npmProgram("wasm-opt"), ["--all-features", "--reorder-functions-by-name", file, "-o", file]);
    assert.deepEqual(functionBodies(readFileSync(file)).map(hex), bodies.toReversed().map(hex));
  }
});
