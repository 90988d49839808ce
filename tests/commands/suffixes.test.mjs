// A cookie domain for which browsers keep no cookies is told of, and refuses nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { doubts } from "../../scripts/settings.mjs";
import { suffixText } from "../../scripts/suffixes.mjs";

const found = (domain) => suffixText({ onsale: { cookie_domain: domain } });

test("a public suffix is named, in any spelling, and those of hosting companies too", () => {
  for (const domain of ["co.uk", "CO.UK", "github.io", "workers.dev", "bar.kawasaki.jp", "公司.cn", "xn--55qx5d.cn"]) {
    assert.match(found(domain), /^warning: ROOMS\.onsale\.cookie_domain = \S+: is a public suffix, .* such as example\.\S+\.\n$/, domain);
  }
  assert.match(doubts({ ROOMS: { onsale: { cookie_domain: "co.uk" } } }), /cookie_domain = co\.uk: is a public suffix/, "where a file is checked");
});

test("a domain of somebody's own, a company's inner one, none, and what is no domain are no matter of this", () => {
  for (const domain of [
    "example.co.uk",
    "example.com",
    "shop.workers.dev",
    "tickets.corp",
    "shop.test",
    "com",
    "localhost",
    "1.2.3.4",
    "a..b",
    "",
    5,
    undefined,
  ]) {
    assert.equal(found(domain), "", `${domain}`);
  }
  assert.equal(suffixText(), "");
});
