// Proxies in front, without them: the blocks of docs/fronts.md are those that the list fills in, and the table is the list's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FRONTS } from "./fronts/fronts.mjs";
import { HEAD, isFine, rowOf } from "./fronts/judge.mjs";
import { PAGE, blocksOf, filled } from "./fronts/start.mjs";
import { tableOn } from "./table.mjs";

const PLACES = { dir: "/run", root: "/packages", port: 4_430, inner: 4_431, baton: 4_432 };

test("every block of a section is used, and nothing of the page or of the list stays to be filled in", () => {
  for (const [key, front] of Object.entries(FRONTS)) {
    for (const isCached of front.cached ? [false, true] : [false]) {
      const { files, runs } = filled(front, PLACES, { isCached });
      const whole = [...Object.values(files), ...runs.flat()].join("\n");
      assert.doesNotMatch(whole, /@\w+@|8787|\/etc\/|\b443\b/, key);
      for (const has of ["4432", "4430"]) assert.ok(whole.includes(has), `${key}: ${has}`);
    }
    const said = JSON.stringify([front.files, front.runs]);
    assert.ok(
      blocksOf(front.name).every((_, at) => said.includes(`@${at + 1}@`)),
      key,
    );
  }
});

test("a page that says something else than the list is refused by name", () => {
  const front = {
    name: "x",
    files: { "x.conf": "@1@" },
    runs: ["bin/x @dir@"],
    said: [["listen 443", "listen @port@"]],
    cached: [["pass", "keep; pass"]],
  };
  const said = (block) => filled(front, PLACES, { isCached: true, blocks: [block] });
  assert.deepEqual(said("listen 443; cert /etc/ssl/a; pass 8787"), {
    files: { "x.conf": "listen 4430; cert /run/a; keep; pass 4432" },
    runs: [["bin/x", "/run"]],
  });
  assert.throws(() => said("listen 80; cert /etc/ssl/a; pass 8787"), /no block says: listen 443/);
  assert.throws(() => said("listen 443; cert /etc/ssl/a; go 8787"), /no block says: pass/);
});

test("blocks are those below the heading of that name", () => {
  const page = "## A\n```\nlost\n```\n## B\ntext\n```conf\none\n  two\n```\n\n```\nthree\n```\n## C\n```\nfour\n```\n";
  assert.deepEqual(blocksOf("B", page), ["one\n  two", "three"]);
  assert.deepEqual(blocksOf("D", page), []);
});

test("a row is fine with what it should say, or with what the proxy is known to say", () => {
  const told = Object.fromEntries(HEAD.slice(1, -1).map((question) => [question, undefined]));
  assert.deepEqual(rowOf({ name: "x", version: "1" }, { ...told, address: "a|b" }, "today").slice(0, 5), ["x 1", "✓", "✓", "✓", "a/b"]);
  assert.ok(isFine({ cached: [] }, told));
  assert.ok(!isFine({ cached: [] }, { ...told, socket: "closed" }));
  assert.ok(isFine({ cannot: { address: "none" } }, { ...told, address: "none", cache: "has none" }));
  assert.ok(!isFine({ cannot: { address: "none" }, cached: [] }, told), "what is known has changed");
});

test("the table of the docs is the list's: head, order, answers that are fine, and the versions that stand there", () => {
  const { head, rows } = tableOn(PAGE, "fronts");
  assert.deepEqual(head, HEAD);
  const fronts = Object.values(FRONTS);
  const of = ([cell]) => fronts.find(({ name }) => cell.startsWith(`${name} `));
  assert.deepEqual(
    rows.map(of),
    fronts.filter((front) => rows.map(of).includes(front)),
  );
  for (const row of rows) {
    const front = of(row);
    const told = Object.fromEntries(head.map((question, at) => [question, row[at] === "✓" ? undefined : row[at]]));
    assert.ok(isFine(front, told), front.name);
    if (front.pip) assert.equal(row[0], `${front.name} ${Object.values(front.pip)[0]}`, "npm run check-world -- fronts --docs");
  }
});
