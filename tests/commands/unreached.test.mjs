// What wrangler.toml names and no request comes to is told of by check-config and by the doctor, and refuses nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "smol-toml";
import { leadsAll, unreached, unreachedText } from "../../scripts/unreached.mjs";

const found = (toml) => unreached(parse(toml)).map(({ what }) => what);
const routed = (...patterns) => found(`routes = [${patterns.map((pattern) => `{ pattern = "${pattern}", zone_name = "example.com" }`)}]`);

test("a host of which no route leads all paths to the worker is named, and what it costs", () => {
  assert.match(unreachedText(parse('route = "a.example/buy/*"')), /^warning: routes: .* all paths of a\.example .*none \/__baton\/\*.*step 5\.\n$/);
  assert.match(routed("a.example/buy/*", "a.example/__baton/*")[0], /another spelling of a gated path/);
  assert.match(routed("a.example/*", "b.example/buy/*")[0], /b\.example/);
  assert.equal(routed("a.example/*", "b.example/buy/*").length, 1);
  assert.equal(routed("a.example/__baton").length, 1);
});

test("routes of all paths, custom domains, wildcards, and no route at all are no matter of this", () => {
  for (const patterns of [[], ["a.example/*"], ["https://a.example/*", "a.example/assets/*"], ["*.a.example/*"], ["*a.example/*"]])
    assert.deepEqual(routed(...patterns), [], patterns.join(" "));
  assert.deepEqual(found('routes = [{ pattern = "a.example", custom_domain = true }]'), []);
  assert.deepEqual(
    [leadsAll("a.example/*", "a.example"), leadsAll("a.example/*", "b.a.example"), leadsAll("aXexample/*", "a.example")],
    [true, false, false],
  );
});

const room = (paths, exceptions) =>
  found(`[vars.ROOMS.onsale]\npaths = ${JSON.stringify(paths)}\nbypass_paths = ${JSON.stringify(exceptions)}`).length;

test("an exception to what no room gates is named", () => {
  for (const [paths, exception] of [
    [["/buy/*"], "/pay/hook"],
    [["/buy"], "/buy/hook"],
    [["/buy*"], "/pay"],
    [["/events/*/checkout"], "/events/7/seats"],
    [["POST /api/orders"], "GET /api/orders"],
    [["/event/*"], "/events/7?token=*"],
  ])
    assert.equal(room(paths, [exception]), 1, `${paths} ${exception}`);
});

test("an exception to a gated path is not, in whatever room and spelling", () => {
  for (const [paths, exception] of [
    [["/*"], "/pay/hook"],
    [["/buy/*"], "/buy"],
    [["/buy/**"], "POST /buy/hook"],
    [["GET /buy/*"], "POST /buy/hook"],
    [["/buy*"], "/buyer/x"],
    [["/events/*/checkout"], "/events/*/checkout"],
    [["POST /api/orders"], "PUT /api/orders"],
    [["/event/*"], "GET /event/*/registrations/*?token=*"],
    [["/größe/*"], "/gr%C3%B6%C3%9Fe/x"],
    [["/Buy/*"], "/buy/x"],
    [["/x", "/buy/7"], "/buy/*"],
    [["/buy/%zz"], "/buy/%zz"],
  ])
    assert.equal(room(paths, [exception]), 0, `${paths} ${exception}`);
  assert.deepEqual(found('[vars.ROOMS.a]\npaths = ["/a"]\nbypass_paths = ["/b/1"]\n[vars.ROOMS.b]\npaths = ["/b/*"]'), []);
  assert.deepEqual(found('[vars.ROOMS.a]\npaths = ["/a"]\nbypass_paths = ["/b/1"]\n[vars.GROUNDS]\npaths = ["/b/*"]'), []);
});
