// The tree of files keeps its rules (scripts/docs/tree.mjs): each folder says what it is for, files and functions are short, and only one home
// reads what a request wants. And each rule finds what it is for.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { functionsOf } from "../../scripts/docs/functions.mjs";
import { METHODS_MAX, circleOf, methodsOf, ownerProblems, ownersOf } from "../../scripts/docs/owners.mjs";
import {
  FILE_LINES_MAX,
  changingQuestions,
  filesTooLong,
  foldersOf,
  foldersWithoutAWord,
  functionsTooLong,
  intentElsewhere,
  intentHeaders,
  rowsOf,
  treeProblems,
} from "../../scripts/docs/tree.mjs";

/** The folders of these files that nobody explains. */
const unexplained = (texts) =>
  foldersWithoutAWord(
    foldersOf(Object.keys(texts)),
    (file) => file in texts,
    (file) => texts[file],
  ).map((said) => said.split(" ")[0]);
/** A function of so many lines. */
const long = (first, lines, last = "}") => [first, ...Array(lines - 2).fill("  f();"), last].join("\n");
const measured = (file, text) => functionsOf(file, text).map(({ name, lines, reason }) => [name, lines, reason]);

const isCheckout = existsSync(inRoot(".git"));
test(
  "folders, files and functions are as they should be, and what a request wants has one home",
  { skip: !isCheckout && "only git knows which files are the project's" },
  () => assert.deepEqual(treeProblems(), []),
);

test("a folder is explained by its own head, or by a row of the nearest head above", () => {
  const readme =
    "| where | what |\n|---|---|\n| `named/` | holds the things that are named |\n| **b/**, [c/](c/x.md) | two of them and more |\n| `terse/` | things |\n| `deep/**` | it and all that is below |";
  const texts = {
    "README.md": readme,
    "named/a.js": "",
    "b/a.js": "",
    "c/a.js": "",
    "terse/a.js": "",
    "deep/er/still/a.js": "",
    "lost/a.js": "",
    "core/mod.rs": "//! A core that decides who is next.\n//!\n//! | `sums/` | sums over chunks of the line |",
    "core/sums/a.rs": "",
    "core/named/a.rs": "",
    "kit/__init__.py": '"""The shop\'s side of it, in one package."""',
    "rows/index.mjs": "// The rows, in the order in which they run.",
    "mute/mod.rs": "//! Things.\nuse a;",
    "tests/gate.rs": "//! Stories about the gate, without a runtime.",
    "tests/gate/paths.rs": "",
  };
  assert.deepEqual(unexplained(texts), ["core/named/", "lost/", "mute/", "terse/", "tests/"]);
  assert.deepEqual(Object.keys(rowsOf(readme)), ["named/", "b/", "c/", "terse/", "deep/**"]);
});

test("found: a file that is too long, of a language that is read", () => {
  const texts = { "a.rs": "\n".repeat(FILE_LINES_MAX), "b.css": "\n".repeat(FILE_LINES_MAX + 1), "c.csv": "\n".repeat(FILE_LINES_MAX * 2) };
  const said = filesTooLong(Object.keys(texts), (file) => texts[file]);
  assert.equal(said.length, 1);
  assert.match(said[0], /^b\.css has 501 lines, at most 500\. Cure: /);
});

test("found: a function that is too long, unless the comment above gives a reason", () => {
  const texts = {
    "just.rs": long("fn just() {", 60),
    "over.rs": `\n${long("pub(crate) async fn over(a: [u8; 4]) {", 61)}`,
    "reason.rs": `/// Folds a fact.\n// Long because it has an arm for each fact.\n#[must_use]\n${long("fn fold() {", 90)}`,
    "empty.rs": `// Long because\n${long("fn fold() {", 90)}`,
    "apart.js": `// Long because it has a row for each case.\nconst a = 1;\n${long("function b() {", 61)}`,
    "above.js": `/**\n * Long because it has a row for each case.\n */\n${long("export async function b() {", 61)}`,
  };
  const said = functionsTooLong(Object.keys(texts), (file) => texts[file]);
  assert.deepEqual(
    said.map((each) => each.split(" has ")[0]),
    ["over.rs:2: over", "empty.rs:2: fold", "apart.js:3: b"],
  );
  assert.match(said[0], /has 61 lines, at most 60\. Cure: split it, or give the reason/);
});

/** An `impl` of a type, one line a method: `[name, ...what it calls on self]`. */
const impl = (type, ...methods) =>
  [`impl${type} {`, ...methods.map(([name, ...calls]) => `    fn ${name}(&self) { ${calls.map((to) => `self.${to}(a);`).join(" ")} }`), "}"].join(
    "\n",
  );

test("found: a type with too many methods over all its files, or files of one that call each other in a circle", () => {
  const texts = {
    "src/room/a.rs": `${impl(" Room", ["a", "b"])}\n${impl(" Clone for Room", ["not_counted"])}\n#[cfg(test)]\nmod tests {\nimpl Room { fn c() {} }\n}`,
    "src/room/line/b.rs": impl("<S: Store> Room<S>", ["b", "c"]),
    "src/room/c.rs": impl(" Room", ["c", "a", "unknown"]),
    "src/room/d.rs": impl(" Room", ["d", "a"]),
    "src/edge/room_object/a.rs": impl(" Shell", ["a"]),
    "src/edge/lobby_object/a.rs": impl(" Shell", ["b"]),
    "src/wide.rs": impl(" Wide", ...Array.from({ length: METHODS_MAX + 1 }, (_, at) => [`f${at}`])),
  };
  const textOf = (file) => texts[file];
  const owners = ownersOf(Object.keys(texts), textOf);
  assert.deepEqual(
    [...owners].map(([of, parts]) => [of, methodsOf(parts), circleOf(parts)]),
    [
      ["room.Room", 4, ["src/room/a.rs", "src/room/c.rs", "src/room/line/b.rs"]],
      ["edge/room_object.Shell", 1, []],
      ["edge/lobby_object.Shell", 1, []],
      ["wide.Wide", METHODS_MAX + 1, []],
    ],
  );
  const said = ownerProblems(Object.keys(texts), textOf).map((each) => each.split(". Cure")[0]);
  assert.deepEqual(said, ["wide.Wide has 61 methods, and 0 of its files call each other in a circle; at most 60 and 5"]);
});

test("found: code that reads by itself what a request wants", () => {
  const home = 'pub const VARY: &str = "Accept, Accept-Language, Cookie, \\\n     HX-Request, Sec-Fetch-Site";';
  assert.deepEqual(intentHeaders(home), ["accept", "hx-request", "sec-fetch-site"]);
  const texts = {
    "src/gate/intent.rs": home,
    "src/gate/routers.rs": 'get("hx-request")',
    "src/edge/front/a.rs": 'fn a() {\n  header("Sec-Fetch-Site");\n  header("accept-language");\n}',
    "src/edge/b.js": "headers.get('accept')",
    "demo/c.mjs": 'headers.get("accept")',
    "src/edge/d.rs": '.with("Vary", "Accept, Cookie")',
  };
  assert.deepEqual(
    intentElsewhere(Object.keys(texts), (file) => texts[file]).map((said) => said.split(". ")[0]),
    ["src/edge/front/a.rs:2 reads Sec-Fetch-Site", "src/edge/b.js:1 reads accept"],
  );
  assert.equal(intentElsewhere(["src/gate/intent.rs"], () => "").length, 1, "a home that names nothing holds nothing");
});

test("found: a function that reads like a question and changes something", () => {
  const texts = {
    "src/a.rs":
      "fn is_new(&mut self) {}\n    pub const fn has_all<T>(\n        &mut self,\n    )\nfn is_old(&self)\nfn note_seen(&mut self)\nfn learn(&mut self)",
    "tests/a.rs": "fn is_new(&mut self) {}",
  };
  assert.deepEqual(
    changingQuestions(Object.keys(texts), (file) => texts[file]).map((said) => said.split(" reads")[0]),
    ["src/a.rs: is_new", "src/a.rs: has_all"],
  );
});

test("in JavaScript, functions with a name inside one count by themselves, and so do tests with a title", () => {
  const factory = [
    "export function create() {",
    long("  function inner() {", 20, "  }"),
    long("  const arrow = () => {", 30, "  };"),
    long("  on(() => {", 10, "  });"),
    "}",
  ].join("\n");
  assert.deepEqual(measured("a.js", factory), [
    ["inner", 20, false],
    ["arrow", 30, false],
    ["a function without a name", 10, false],
    ["create", 14, false],
  ]);
  assert.deepEqual(measured("a.mjs", long('test("a title", async () => {', 70, "});")), [['"a title"', 70, false]]);
  assert.deepEqual(measured("a.mjs", `describe("all", () => {\n${long("test(`${name}: a title`, () => {", 9, "});")}\n${"\n".repeat(70)}});`), [
    ["`${name}: a title`", 9, false],
  ]);
  assert.deepEqual(measured("a.js", `const table = {\n  // Long because it has an arm for each key.\n${long("  keys() {", 70, "  },")}\n};`), [
    ["keys", 70, true],
  ]);
});

test("a function ends where it ends, whatever its strings and comments say", () => {
  assert.deepEqual(
    measured("a.rs", 'fn a<\'a>(x: &\'a str) -> char {\n  // }\n  let b = "}\\"}"; let c = r#"}"}"#;\n  \'}\'\n}\nfn later();\nfn b() { }'),
    [
      ["a", 5, false],
      ["b", 1, false],
    ],
  );
  assert.deepEqual(measured("a.php", "<?php\n#[Pure]\npublic static function a(): string {\n  # }\n  return '}' . \"}\";\n}"), [["a", 4, false]]);
  assert.deepEqual(
    measured(
      "a.py",
      "class A:\n    # Long because it has a branch for each case.\n    async def a(self,\n          b):\n        return 1\n\n    def c(self): return 2\n",
    ),
    [
      ["a", 3, true],
      ["c", 1, false],
    ],
  );
  assert.deepEqual(measured("a.rb", "def a?(b)\n  if b\n    1\n  end\nend\n\ndef b!\nend"), [
    ["a?", 5, false],
    ["b!", 2, false],
  ]);
});
