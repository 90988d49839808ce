// `npm run bytes`: which functions a module has, how long they are, and whose they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import binaryen from "binaryen";
import { namedFunctions, pathOf, sharesOf } from "../../scripts/bytes/wasm.mjs";

const WRITTEN = `(module
  (import "a" "memory" (memory 1 2))
  (import "a" "f" (func $imported (param i32)))
  (func $_ZN5baton4room4line4join17h0123456789abcdefE (param i32) (call $imported (i32.add (local.get 0) (i32.const 1))))
  (func $_ZN5baton4room5leave17h0123456789abcdefE (nop)))`;

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
