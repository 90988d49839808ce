// Owners of some rooms beside owners of all: nobody's definition takes what another's room gates, a deploy's room of the file wins over a room of the
// house that was not put over it, and nobody is told of another's rooms.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { BOUND_MS, housed, isShop, ROOM } from "./support/housed.mjs";
import { eventually } from "./support/world.mjs";

const NOOR = "noor's token, which is long enough to be one";
const sha256 = createHash("sha256").update(NOOR).digest("hex");
const OPERATORS = [{ name: "noor", role: "own", rooms: ["hers"], sha256 }];
const ROOMS = { alpha: { paths: ["/alpha/*"], permits: 0, page_title: "Of the file" }, beta: { paths: ["/beta/*"], permits: 0 } };
const HEADERS = { authorization: `Bearer ${NOOR}` };
const BYPASS = { permits: 3, tick_ms: 50, mode: "bypass" };

/** A world with a room of the house beside two of the file, none of which lets anybody in, and what noor asks of the house. */
async function owned(t) {
  const world = await housed(t, { rooms: ROOMS, vars: { OPERATORS } });
  await world.house.put("gamma", { ...ROOM, paths: ["/gamma/*"], permits: 0 });
  const noor = (path, options = {}) => world.house.call(path, { ...options, headers: { ...HEADERS, ...options.headers } });
  const waits = (path) =>
    eventually(async () => (await world.guest(path).arrive()).state === "waiting", { what: `a line at ${path}`, timeoutMs: BOUND_MS });
  const open = (path) => eventually(() => isShop(world.guest(path)), { what: `no line at ${path}`, timeoutMs: BOUND_MS });
  return { ...world, noor, waits, open };
}

test("c146_the_owner_of_one_room: opens no other, whatever pattern, host or mode the definition has", async (t) => {
  const { house, noor, waits, open, url } = await owned(t);
  for (const path of ["/alpha/1", "/beta/1", "/gamma/1"]) await waits(path);
  const { host } = new URL(url);
  const reaching = [
    { paths: ["/*"], hosts: [host] },
    { paths: ["/alpha/1"], hosts: [host] },
    { paths: ["/gamma/pay/*"] },
    { paths: ["/be*"] },
    { paths: ["/hers/*", "/*/1"] },
    { paths: ["/beta/*"] },
  ];
  for (const claims of reaching) {
    const table = { ...BYPASS, ...claims };
    const plan = await noor("house/plan", { method: "POST", body: { rooms: { hers: table } } });
    assert.match(plan.json.problems.join(), /rooms\.hers\.paths.*a room in which you may not act/);
    const put = await noor("house/rooms/hers", { method: "PUT", body: table });
    assert.deepEqual([put.status, put.json.error.code], [403, "forbidden"], JSON.stringify(claims));
    const apply = await noor("house/apply", { method: "POST", body: { rooms: { hers: table } }, headers: { "if-match": plan.etag } });
    assert.equal(apply.status, 403);
    for (const answer of [plan, put, apply]) assert.doesNotMatch(answer.text, /gamma \(|alpha \(|room (alpha|beta|gamma)/, "whose it is is not told");
  }
  assert.equal((await house.look()).json.revision, 1, "nothing was changed");
  for (const path of ["/alpha/1", "/beta/1", "/gamma/1"]) await waits(path);
  const own = await noor("house/rooms/hers", { method: "PUT", body: { ...BYPASS, paths: ["/hers/*"] } });
  assert.equal(own.status, 200, own.text);
  await open("/hers/1");
  const widened = await noor("house/rooms/hers", { method: "PUT", body: { ...BYPASS, paths: ["/hers/*", "/gamma/pay"] } });
  assert.equal(widened.status, 403);
  await waits("/gamma/pay");
});

test("a deploy's room of the file wins over a room of the house, unless an owner of all rooms put that over it", async (t) => {
  const { house, noor, waits, open, baton } = await owned(t);
  const own = await noor("house/rooms/hers", { method: "PUT", body: { ...BYPASS, paths: ["/hers/*"] } });
  assert.equal(own.status, 200, own.text);
  await house.put("vip", { ...BYPASS, paths: ["/alpha/vip/*"] });
  await open("/alpha/vip/1");
  await open("/hers/late/1");
  await waits("/alpha/1");
  // The deploy gates what is below both, by patterns that are less particular than the house's.
  const late = { paths: ["/*/late/*", "/alpha/*/late"], permits: 0 };
  await baton.restart({ signal: "SIGTERM", vars: { ROOMS: { ...ROOMS, late } } });
  await waits("/hers/late/1");
  await open("/hers/1");
  await open("/alpha/vip/1");
  await waits("/alpha/vip/late");
  await baton.restart({ signal: "SIGTERM", vars: { ROOMS: { late: { ...late, paths: ["/*/late/*", "/alpha/*"] } } } });
  await waits("/alpha/vip/1");
  const again = await noor("house/rooms/hers", { method: "PUT", body: { ...BYPASS, permits: 4, paths: ["/hers/*"] } });
  assert.equal(again.status, 200, "her room is hers as before");
  await waits("/hers/late/1");
  // The owner of all rooms defines it as it is, and has put it over the new room with that.
  await house.put("vip", { ...BYPASS, paths: ["/alpha/vip/*"] });
  await open("/alpha/vip/1");
  await waits("/alpha/2");
});

test("the house tells an owner of one room nothing of the others", async (t) => {
  const { house, noor } = await owned(t);
  await noor("house/rooms/hers", { method: "PUT", body: { ...BYPASS, paths: ["/hers/*"] } });
  for (const room of ["alpha", "gamma", "hers"]) await house.call(`house/brands/${room}`, { method: "PUT", body: { page_title: `Of ${room}` } });
  const { json } = await noor("house");
  const { revision, ...told } = json;
  assert.equal(revision, 5);
  assert.deepEqual(told, {
    rooms: { hers: told.rooms.hers },
    released: {},
    brands: { hers: { page_title: "Of hers" } },
    undo: [{ ...told.undo[0], room: "hers" }],
  });
  assert.deepEqual(Object.keys((await house.look()).json.brands), ["alpha", "gamma", "hers"]);
});
