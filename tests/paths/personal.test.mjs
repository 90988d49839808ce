// Nothing of a buyer's comes out of `npm run paths`: not in what it says, not in what it writes, not in a scrubbed recording.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { inRoot } from "../../scripts/common.mjs";
import { pathsOf } from "../../scripts/paths.mjs";
import { readHar } from "../../scripts/paths/har.mjs";
import { scrubbed } from "../../scripts/paths/scrub.mjs";
import { isId } from "../../scripts/paths/spelling.mjs";
import { har } from "./har.mjs";

const RUNS = 300;
/** Words that no shop's address has: each stands for something of a buyer's. */
const word = fc.stringMatching(/^zq[a-z]{6}$/);
const code = fc.stringMatching(/^ZQ[A-Z0-9]{4}$/);
const token = fc.stringMatching(/^zq[a-z0-9]{2}[0-9][a-z][0-9][a-z0-9]{8}$/);

/** A purchase in which everything that may be a buyer's is one of the given words. */
function purchase({ name, email, street, order, secret, cookie, query }) {
  const private_ = {
    headers: [
      ["Cookie", `sid=${cookie}`],
      ["Authorization", `Bearer ${secret}`],
      ["User-Agent", cookie],
    ],
    cookies: [{ name: "sid", value: cookie }],
  };
  return har([
    ["GET", `/?ref=${query}`, private_],
    ["GET", "/fest", private_],
    ["POST", "/cart/add", { ...private_, from: `/fest?${query}=1`, form: { item: "4", [`answer_${secret}`]: street } }],
    ["POST", `/checkout/${secret}/details?next=${query}`, { ...private_, form: { first_name: name, email, street } }],
    ["GET", `/people/${name}/checkout`, private_],
    ["POST", "/graph", { ...private_, kind: "call", json: { query: `mutation Pay { pay(card: "${street}") { id } }`, variables: { name, email } } }],
    [
      "POST",
      "/checkout/confirm",
      { ...private_, json: { customer: { email, address: { street } } }, status: 303, to: `https://shop.test/orders/${order}/${secret}/` },
    ],
    ["GET", `/orders/${order}/${secret}/?token=${secret}&${secret}=1`, private_],
    ["POST", `/orders/${order}/${secret}/download`, private_],
    ["GET", `/people/${encodeURIComponent(email)}`, private_],
    ["GET", `https://${name}.example/pixel?e=${email}`, { ...private_, kind: "file" }],
  ]);
}

test("no value, id, cookie or name comes out", () => {
  const arbitrary = fc.record({
    name: word,
    email: word.map((each) => `${each}@mail.test`),
    street: word.map((each) => `${each} 12`),
    order: code,
    secret: token,
    cookie: token,
    query: token,
  });
  fc.assert(
    fc.property(arbitrary, (who) => {
      const text = purchase(who);
      const { report, room, steps, host } = pathsOf("a.har", text);
      const out = `${report}\n${room}\n${steps}\n${JSON.stringify(scrubbed(readHar("a.har", text), host))}`.toLowerCase();
      for (const [what, value] of Object.entries(who)) assert.ok(!out.includes(value.toLowerCase().split(/[@ ]/)[0]), `${what}: ${value}`);
      assert.ok(!out.includes("mail.test") && !out.includes("shop.test/orders"));
    }),
    { numRuns: RUNS },
  );
});

test("an id is told from a name even where it has no digit", () => {
  for (const id of ["J-IaSz-_lGul", "xKqW-mZrTyLp", "Vv-qZ_xKtLbA", "dx6Ux5oSz89q", "a4-Xb-9q_Zd1"]) assert.ok(isId(id), id);
  for (const name of ["ThankYouPage", "checkout-complete", "FC-St-Pauli-v-HSV", "orderPlacedOk", "summer-festival_1", "Buy_Tickets"])
    assert.ok(!isId(name), name);
});

test("a scrubbed recording has the same answer", () => {
  const text = purchase({
    name: "zqnames",
    email: "zqmail@mail.test",
    street: "zqstreet 1",
    order: "ZQ4TX",
    secret: "zqab3c4defghijk",
    cookie: "zqcd5e6fghijklm",
    query: "zqef7g8hijklmno",
  });
  const { host, paths, bypass } = pathsOf("a.har", text);
  const again = pathsOf("b.har", JSON.stringify(scrubbed(readHar("a.har", text), host)));
  assert.deepEqual([again.paths, again.bypass], [paths, bypass]);
});

test("the recordings that are kept hold no cookie, no body, no value, no host of anybody", () => {
  const folder = inRoot("tests", "paths", "recordings");
  const ROUTES = /^[a-z/_.]+$/i;
  for (const file of readdirSync(folder)) {
    const text = readFileSync(`${folder}/${file}`, "utf8");
    assert.ok(text.length < 64 * 1024, `${file} is small`);
    for (const { request, response } of JSON.parse(text).log.entries) {
      assert.deepEqual([request.cookies, response.cookies, response.headers], [[], [], []]);
      assert.match(new URL(request.url).hostname, /^(?:tickets\.example\.com|www\.other\d+\.example|other\d+\.example\.com)$/);
      for (const [key, value] of new URL(request.url).searchParams)
        assert.ok(value === "*" || (key === "route" && ROUTES.test(value)), `${file}: ${key}`);
      for (const { value } of request.postData?.params ?? []) assert.equal(value, "*");
      assert.doesNotMatch(request.postData?.text ?? "", /@/);
      assert.ok(!request.headers.some(({ name }) => /cookie|authorization|user-agent/.test(name)));
    }
  }
});
