// The docs are true: every check of scripts/docs/checks.mjs on them as they are, each check shown to find what it is for, and the examples
// that can run, run.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "smol-toml";
import { findProgram, inRoot } from "../../scripts/common.mjs";
import {
  anchorsOf,
  deadCommands,
  deadFiles,
  deadLinks,
  deadMentions,
  docsPages,
  notInTheIndex,
  problems,
  tooLong,
  undocumentedCalls,
  wrongFigures,
} from "../../scripts/docs/checks.mjs";
import { constantOf } from "../../scripts/docs/limits.mjs";
import { hasTest, missingTests } from "../../scripts/docs/promises.mjs";
import { recipesOf, wrongRecipes } from "../../scripts/docs/recipes.mjs";

const pages = docsPages();
const blocks = (page, language) => [...pages[page].matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text]) => text);

test("links, commands, files, figures, promises and length are as they should be", () => assert.deepEqual(problems(), []));

test("found: a link to nothing, a heading that is not there, a page that the index leaves out", () => {
  const docs = { "docs/README.md": "[a](a.md)", "docs/a.md": "# A\n[b](b.md) [c](#d) [e](README.md#f) `[code](none.md)`", "docs/lost.md": "" };
  assert.deepEqual(deadLinks(docs), [
    "docs/a.md: b.md leads nowhere",
    "docs/a.md: #d: there is no such heading",
    "docs/a.md: README.md#f: there is no such heading",
  ]);
  assert.deepEqual(notInTheIndex(docs), ["docs/lost.md is not in docs/README.md"]);
  assert.deepEqual(deadMentions(docs, { "x.rs": "see docs/a.md and docs/gone.md, docs/a.md#a, docs/a.md#b" }), [
    "x.rs: docs/gone.md does not exist",
    "x.rs: docs/a.md#b: there is no such heading",
  ]);
});

test("anchors are those of GitHub", () => {
  const text = "# Is the shop's check right?\n## `keep.js`\n### 6. Look\n## A\n## A\n```sh\n# a comment\n```\n## [linked](x.md), twice";
  assert.deepEqual([...anchorsOf(text)], ["is-the-shops-check-right", "keepjs", "6-look", "a", "a-1", "linked-twice"]);
});

test("found: commands, flags and files that are not there", () => {
  const scripts = { plan: "node scripts/plan.mjs", start: "node scripts/start.mjs" };
  const settings = new Set(["claim_within_s"]);
  const page = "npm run plan -- --people 3 --poeple 4\n`npm start -- --claim-within-s 3 --clam 4`\n    npm run palm -- x";
  assert.deepEqual(deadCommands({ p: page }, scripts, settings), [
    "p: npm run plan knows no --poeple",
    "p: npm run start knows no --clam",
    "p: npm run palm is no script of package.json",
  ]);
  assert.deepEqual(deadFiles({ p: "`src/room/decide.rs` `src/room/lows.rs` `tests/room_*.rs` `tests/rum_*.rs`" }), [
    "p: src/room/lows.rs does not exist",
    "p: nothing is tests/rum_*.rs",
  ]);
});

test("found: a call of the API that no page names", () => {
  const calls = ["/__baton/{room}/join", "/__baton/{room}/joint", "/__baton/admin/rooms", "/__baton/admin/rooms/{room}/hours", "/__baton/health"];
  const said = undocumentedCalls(
    { "docs/client.md": "`POST …/join`", "docs/api.md": "`GET /rooms` `GET /rooms/{room}/hour` `GET /__baton/health`" },
    calls,
  );
  assert.deepEqual(
    said.map((text) => /name (\S+),/.exec(text)[1]),
    ["/__baton/{room}/joint", "/__baton/admin/rooms/{room}/hours"],
  );
});

test("found: a figure that is not so any more, too many words", () => {
  const said = wrongFigures({ ...pages, "docs/correctness.md": "45 deliberate bugs", "docs/entry.md": "" });
  assert.match(said.join("\n"), /correctness\.md says 45, and it is \d+/);
  assert.match(said.join("\n"), /entry\.md does not say/);
  assert.match(tooLong({ a: "one two", b: "| three | 4 | – |" }, 3)[0], /4 words, at most 3/);
  assert.deepEqual(tooLong({ a: "one\n<!-- x -->\n| written | by a command |\n<!-- /x -->\ntwo" }, 2), []);
  assert.match(tooLong({ a: "<!-- x -->\none two\n<!-- /y -->" }, 3)[0], /words/);
  assert.deepEqual(tooLong({ "docs/keys.md": "a row for each key\n\nWritten by `npm run docs`.\n", "docs/stacks/next.md": "one stack" }, 0), []);
});

test("found: a promise whose test does not exist, or that has none", () => {
  const promise = (...tests) => [{ shelf: "s", promises: [{ promise: "p", tests }] }];
  assert.equal(missingTests(promise("tests/room_edges.rs: nobody_away_is_called")).length, 0);
  for (const wrong of [["tests/room_edges.rs: nobody_away"], ["tests/gone.rs: x"], ["tests/room_edges.rs"], []])
    assert.equal(missingTests(promise(...wrong)).length, 1, `${wrong}`);
  assert.ok(hasTest("a.test.mjs", 'test("it_works: works", …', "it_works"));
  assert.ok(!hasTest("a.rs", "fn helper() {} // helper(", "helper"), "a function that is no test");
});

test("found: a recipe that lists a file without a part, and one that leaves a file out", () => {
  const page = "## Recipes\n\n**A fact**, as `Told`: `src/a.rs` and\n`tests/a.rs` (it, unlike `src/c.rs`). It is (`src/d.rs`) private.\n";
  const [texts, examples] = [{ "src/a.rs": "Told", "tests/a.rs": "Told", "tests/b.rs": "Told", "src/c.rs": "Untold" }, { Told: /\bTold\b/ }];
  assert.deepEqual(recipesOf(page), [{ name: "A fact", example: "Told", files: ["src/a.rs", "tests/a.rs"] }]);
  assert.deepEqual(wrongRecipes(page, texts, examples), []);
  assert.deepEqual(wrongRecipes(page, { ...texts, "tests/a.rs": "" }, examples), ['CONTRIBUTING.md: "A fact" lists tests/a.rs, which has no Told']);
  assert.deepEqual(wrongRecipes(page, { ...texts, "web/d.js": "Told" }, examples), ['CONTRIBUTING.md: "A fact" leaves out web/d.js, which has Told']);
  assert.deepEqual(wrongRecipes("## Recipes\n\n**A fact**, told\n", {}, examples), [
    "CONTRIBUTING.md has no recipe with the example Told",
    'CONTRIBUTING.md: "A fact" has no example that scripts/docs/recipes.mjs knows',
  ]);
});

test("limits are read as the source writes them", () => {
  const source = "const A: u64 = 3_000_000;\nconst B: u64 = (1 << 31) - 1;\nconst C: usize = 64 * 1_024;\nconst D: u64 = other();";
  assert.deepEqual(
    ["A", "B", "C"].map((name) => constantOf(source, name, "x.rs")),
    [3_000_000, 2 ** 31 - 1, 65_536],
  );
  assert.throws(() => constantOf(source, "D", "x.rs"), /scripts\/docs\/limits\.mjs/);
});

test("examples in TOML and JSON can be read", () => {
  for (const page of Object.keys(pages)) {
    for (const text of blocks(page, "toml")) assert.doesNotThrow(() => parse(text), page);
    for (const text of blocks(page, "json").filter((each) => !each.includes("…"))) assert.doesNotThrow(() => JSON.parse(text), page);
  }
});

test("the stock line's program makes the header of the page", () => {
  const [program] = blocks("docs/protocol.md", "js");
  const shown = /^Baton-Stock: (.*)$/m.exec(pages["docs/protocol.md"])[1];
  const at = Number(/;t=(\d+)/.exec(shown)[1]);
  const set = {};
  const run = new Function("createHmac", "process", "response", "left", "Date", program);
  run(
    createHmac,
    { env: { ORIGIN_SECRET: "shared with the shop" } },
    {
      setHeader: (name, value) => {
        set[name] = value;
      },
    },
    1_200,
    { now: () => at },
  );
  assert.deepEqual(set, { "Baton-Stock": shown });
});

const python = findProgram("python3");
test("the dozen lines that check a chain accept the small sale, and no other", { skip: !python && "python3 is not installed" }, () => {
  const page = pages["docs/audit.md"];
  const program = page
    .slice(page.indexOf("    import base64"))
    .split("\n")
    .filter((line) => line.startsWith("    "))
    .map((line) => line.slice(4))
    .join("\n");
  const journal = readFileSync(inRoot("tools", "tests", "audit", "small_sale.jsonl"), "utf8");
  const check = (input) => spawnSync(python, ["-c", program], { input, encoding: "utf8" });
  const sound = check(journal);
  assert.equal(sound.status, 0, sound.stderr);
  assert.equal(sound.stdout.trim(), /fingerprint ([0-9a-f]{64})/.exec(page)[1]);
  assert.notEqual(check(journal.replace(/"wall_ms":(\d)/, '"wall_ms":9$1')).status, 0);
});
