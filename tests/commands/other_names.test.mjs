// Other names of a gated page: which there are, and what check-config says of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { otherNames, otherNamesText } from "../../scripts/other_names.mjs";

const namesOf = (...patterns) => otherNames(patterns).map(({ name }) => name);

test("a page's names in each framework, with the pattern that gates them", () => {
  assert.deepEqual(namesOf("/buy/*"), [
    "/buy.data",
    "/buy/_.data",
    "/_next/data/build/buy.json",
    "/buy/__data.json",
    "/buy.json",
    "/buy.html",
    "/index.php/buy",
    "/en/buy",
  ]);
  assert.deepEqual(namesOf("GET /events/*/checkout").slice(0, 3), [
    "/events/1/checkout.data",
    "/events/1/checkout/_.data",
    "/_next/data/build/events/1/checkout.json",
  ]);
  assert.ok(namesOf("/checkout.php").includes("/checkout.php/x") && !namesOf("/checkout").includes("/checkout/x"));
  assert.deepEqual(otherNames(["/buy/*"], "b7x")[2], {
    path: "/buy",
    name: "/_next/data/b7x/buy.json",
    by: "Next.js, Pages Router",
    pattern: "/_next/data/*/buy*",
  });
  for (const pattern of ["/*", "/", "POST /api/orders", "/*/buy/*"]) assert.deepEqual(namesOf(pattern), [], pattern);
  assert.equal(namesOf("/buy", "/buy/*", "/buy*").length, 8, "each once");
});

test("what the rooms do not gate is hinted at, a line a room", async () => {
  const isGated = async (name) => name.startsWith("/buy/") || name === "/buy.data";
  const text = await otherNamesText({ onsale: { paths: ["/buy/*"] }, all: { paths: ["/*"] } }, isGated);
  assert.match(
    text,
    /^hint: ROOMS\.onsale\.paths gates none of \/_next\/data\/build\/buy\.json \(Next\.js, Pages Router\), .*docs\/stacks\/other-names\.md\n$/,
  );
  assert.doesNotMatch(text, /buy\.data|_\.data|ROOMS\.all/);
  assert.equal(await otherNamesText({ onsale: { paths: ["/buy/*"] } }, async () => true), "");
});
