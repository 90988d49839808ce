// A room that lets listed addresses in. `CF-Connecting-IP` is sent by the tests: on Cloudflare no client can.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "operator-operator-operator-operator";
const PAGE = { accept: "text/html,*/*;q=0.8" };

test("who comes from a listed address goes in, whatever the room does, and is in no figure; anybody else waits", async (t) => {
  const shop = await startOrigin(t, (request, response) => response.end(`shop ${request.method} ${request.headers["baton-fence"] ?? "-"}`));
  const room = { permits: 0, bypass_addresses: ["203.0.113.0/24", "2001:db8:7::/48", "198.51.100.9"] };
  const world = await startWorld(t, { origin: shop.url, vars: { BATON_ADMIN_TOKEN: TOKEN }, room });
  const from = (address, options = {}) => world.raw("/buy/", { ...options, headers: { ...PAGE, ...(address && { "cf-connecting-ip": address }) } });
  for (const address of ["203.0.113.7", "::ffff:203.0.113.7", "2001:db8:7:1::5", "198.51.100.9"]) {
    const page = await from(address);
    assert.deepEqual([page.status, page.body, page.headers["set-cookie"]], [200, "shop GET -", undefined], address);
  }
  assert.equal((await from("203.0.113.7", { method: "POST", body: "" })).body, "shop POST -");
  for (const address of [null, "203.0.114.7", "2001:db8:8::5", "198.51.100.10", "::203.0.113.7", "203.0.113.7, 9.9.9.9"]) {
    const page = await from(address);
    assert.equal(page.headers["baton-state"], "waiting", `${address}: ${page.status} ${page.body.slice(0, 80)}`);
  }
  assert.equal(shop.requests.length, 5);
  const { report } = JSON.parse((await world.raw("/__baton/admin/rooms/onsale", { headers: { authorization: `Bearer ${TOKEN}` } })).body);
  assert.deepEqual([report.totals.walked_in, report.inside, report.waiting, report.next_number], [0, 0, 0, 1]);
});
