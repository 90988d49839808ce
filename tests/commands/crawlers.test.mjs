// `npm run crawlers`: what it takes from the lists that search engines publish, and what it writes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { fileOf, prefixesOf } from "../../scripts/crawlers.mjs";

const listOf = (...prefixes) => ({
  creationTime: "2026-06-10",
  prefixes: prefixes.map((prefix) => (prefix.includes(":") ? { ipv6Prefix: prefix } : { ipv4Prefix: prefix })),
});

test("a list is sorted, IPv4 first, each prefix once", () => {
  assert.deepEqual(prefixesOf("googlebot", listOf("2001:4860:4801:10::/64", "66.249.64.32/27", "66.249.64.128/27", "66.249.64.32/27")), [
    "66.249.64.128/27",
    "66.249.64.32/27",
    "2001:4860:4801:10::/64",
  ]);
});

test("a list that is none, is empty or would let in half of the network is refused by its address", () => {
  const wrong = [
    null,
    {},
    { prefixes: [] },
    { prefixes: [{}] },
    listOf("66.249.64.0"),
    listOf("66.249.64.0/33"),
    listOf("a page/27"),
    listOf("0.0.0.0/0"),
    listOf("13.0.0.0/8"),
    listOf("2001:4860::/32"),
    listOf("66.249.64.0/27", "::/0"),
  ];
  for (const list of wrong)
    assert.throws(() => prefixesOf("googlebot", list), /googlebot has another form .* https:\/\/developers\.google\.com/, JSON.stringify(list));
});

test("the list that is there has the form in which it is written anew", () => {
  const text = readFileSync(inRoot("src", "gate", "crawlers.txt"), "utf8");
  const body = text.split("\n").filter((line) => !line.startsWith("#"));
  const lists = {};
  for (const line of body.filter(Boolean)) {
    if (line.includes("/")) Object.values(lists).at(-1).push(line);
    else lists[line] = [];
  }
  const written = fileOf(Object.fromEntries(Object.entries(lists).map(([name, prefixes]) => [name, listOf(...prefixes)])), "today");
  assert.deepEqual(
    written.split("\n").filter((line) => !line.startsWith("#")),
    body,
  );
  assert.deepEqual(written.split("\n").slice(0, 1), text.split("\n").slice(0, 1), "its first sentence is the same");
});
