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
    "/buy/_payload.json",
    "/buy/q-data.json",
    "/buy.json",
    "/buy.html",
    "/index.php/buy",
    "/?pagename=buy",
    "/en/buy",
  ]);
  assert.deepEqual(namesOf("GET /events/*/checkout").slice(0, 3), [
    "/events/1/checkout.data",
    "/events/1/checkout/_.data",
    "/_next/data/build/events/1/checkout.json",
  ]);
  assert.ok(namesOf("/checkout.php").includes("/checkout.php/x") && !namesOf("/checkout").includes("/checkout/x"));
  const { nameOf, ...next } = otherNames(["/buy/*"], "b7x")[2];
  assert.deepEqual(next, { path: "/buy", name: "/_next/data/b7x/buy.json", by: "Next.js, Pages Router", pattern: "/_next/data/*/buy*" });
  assert.equal(nameOf("/nowhere"), "/_next/data/b7x/nowhere.json");
  const batch = otherNames(["/api/trpc/order.take"]).find(({ by }) => by.startsWith("tRPC"));
  assert.deepEqual([batch.name, batch.pattern], ["/api/trpc/x,order.take?batch=1", "/api/trpc/*"]);
  assert.ok(!namesOf("/api/trpc/*").some((name) => name.includes("batch")), "all calls are gated");
  assert.ok(namesOf("/wp-json/shop/v1/seats").includes("/?rest_route=/shop/v1/seats"));
  for (const pattern of ["/*", "/", "POST /api/orders", "/*/buy/*"]) assert.deepEqual(namesOf(pattern), [], pattern);
  assert.equal(namesOf("/buy", "/buy/*", "/buy*").length, 11, "each once");
});

test("what the rooms do not gate is hinted at, a line a room", async () => {
  const isGated = async (name) => name.startsWith("/buy/") || name === "/buy.data";
  const text = await otherNamesText({ onsale: { paths: ["/buy/*"] }, all: { paths: ["/*"] } }, isGated);
  assert.match(
    text,
    /^hint: ROOMS\.onsale\.paths gates none of \/_next\/data\/build\/buy\.json \(Next\.js, Pages Router\), .*docs\/stacks\/other-names\.md\n$/,
  );
  assert.doesNotMatch(text, /buy\.data|_\.data|ROOMS\.all/);
  assert.doesNotMatch(text, /pagename/, "no pattern would gate it");
  assert.equal(await otherNamesText({ onsale: { paths: ["/buy/*"] } }, async () => true), "");
});
