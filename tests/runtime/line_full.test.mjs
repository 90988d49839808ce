// A full line on the real runtime: exactly so many wait, who comes then reads so and when to look again, and a place that is free lets the next in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld } from "./support/world.mjs";

const ADMIN = "the operator's token of this test, long enough";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

async function begin(t, room = {}) {
  const settings = { permits: 0, walk_in: false, linger_s: 60, line_max: 3, ...room };
  const world = await startWorld(t, { room: settings, vars: { BATON_ADMIN_TOKEN: ADMIN } });
  const comes = async () => {
    const visitor = world.visitor();
    await visitor.arrive();
    return Object.assign(visitor, { joined: await visitor.join() });
  };
  const operate = async (method, body) => {
    const url = new URL("/__baton/admin/rooms/onsale", world.baton.url);
    const answer = await fetch(url, { method, headers: { authorization: `Bearer ${ADMIN}` }, body: body && JSON.stringify(body) });
    assert.equal(answer.status, 200);
    return answer.json();
  };
  return { ...world, comes, operate };
}

test("exactly so many wait, however many come at once; the rest are told so, and lose nothing", async (t) => {
  const { comes, operate } = await begin(t);
  const all = await Promise.all(Array.from({ length: 10 }, comes));
  const [inside, outside] = [all.filter(({ joined }) => joined.status === 201), all.filter(({ joined }) => joined.status !== 201)];
  assert.equal(inside.length, 3);
  for (const { joined } of outside) {
    assert.deepEqual([joined.status, joined.error], [429, "line_full"]);
    assert.equal(joined.headers["retry-after"], "30");
  }
  const { report } = await operate("GET");
  assert.deepEqual([report.waiting, report.places_left], [3, 0]);
  const [one, two] = outside;
  const page = await one.request("/buy/", { headers: PAGE });
  assert.equal(page.status, 200);
  assert.match(page.body, /data-state="full"/);
  assert.match(page.body, /This page looks again by itself every 30 seconds/);
  assert.equal((await inside[0].leave()).status, 204);
  assert.equal((await two.join()).status, 201, "the place that is free is the next one's");
  assert.equal((await one.join()).status, 429);
  for (const visitor of inside.slice(1)) assert.equal((await visitor.status()).json.number, visitor.joined.json.number);
});

test("an operator raises the cap, and who looks again is in", async (t) => {
  const { comes, operate } = await begin(t, { line_max: 1 });
  const first = await comes();
  const second = await comes();
  assert.deepEqual([first.joined.status, second.joined.status], [201, 429]);
  assert.equal((await operate("PATCH", { line_max: 2 })).report.places_left, 1);
  assert.equal((await second.join()).status, 201);
});
