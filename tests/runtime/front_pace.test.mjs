// How long pages without a number are told to wait before they join: by what fronts count and what lobbies answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { startScripted, told } from "./support/scripted.mjs";
import { eventually, raw, startWorld } from "./support/world.mjs";

const PAGE = { accept: "text/html,*/*;q=0.8" };
const SPREAD_S_MAX = 30;
const status = (body) => JSON.parse(/<script type="application\/json" id="baton-status">(.*?)<\/script>/.exec(body)[1]);
/** One page for somebody without cookies: what it is told, and its refresh where there is no script. */
async function stranger(port) {
  const { body } = await raw(port, "/buy/", { headers: PAGE });
  assert.equal(status(body).state, "none");
  return { spread_s: status(body).spread_s ?? 0, refresh_s: Number(/http-equiv="refresh" content="(\d+)"/.exec(body)[1]) };
}
const sum = (values) => values.reduce((all, value) => all + value, 0);

/** Lobbies that say nobody can walk in, and of their load whatever `load` is at the time. */
async function lobbies(t, { load, room }) {
  const lobby = { load };
  const script = ({ pages }) => ({ told: told({ no_walk_in: true }), ...(pages && { headers: { "Baton-Load": lobby.load } }) });
  return { lobby, ...(await startScripted(t, { room: { tick_ms: 60_000, claim_within_s: 60, ...room }, script })) };
}

test("a visitor alone waits for nobody; what lobbies say of their load is what pages wait; a lobby that is free again ends it", async (t) => {
  const { lobby, calls, port, visitor } = await lobbies(t, { load: "0,0" });
  assert.deepEqual(await stranger(port), { spread_s: 0, refresh_s: 3 }, "alone");
  lobby.load = "12000,600";
  const known = visitor();
  await known.arrive();
  await known.call("status");
  const busy = await stranger(port);
  assert.ok(busy.spread_s >= 8 && busy.spread_s <= 13, `${busy.spread_s} s of 12, less what the test took`);
  assert.equal(busy.refresh_s, 3 + busy.spread_s, "without scripts it refreshes as late");
  lobby.load = "0,0";
  await known.call("status");
  assert.deepEqual(await stranger(port), { spread_s: 0, refresh_s: 3 }, "quiet");
  await known.call("status");
  const pages = calls.map((call) => Number(call.pages ?? 0));
  assert.equal(sum(pages), 4, "lobbies were told of every page, once");
});

test("the first pages of a burst wait before any lobby could be told, the more the more there are, and then somebody tells", async (t) => {
  // While a room is paused no stranger asks for a place, and the one who asks whether it still is gets no answer yet.
  const answer = Promise.withResolvers();
  t.after(() => answer.resolve({ told: told({ mode: "paused" }) }));
  const { calls, port } = await startScripted(t, { room: { tick_ms: 60_000, claim_within_s: 60, mode: "paused" }, script: () => answer.promise });
  const seen = [];
  for (let page = 0; page < 31; page += 1) seen.push((await stranger(port)).spread_s);
  assert.deepEqual([...new Set(calls.map(({ path }) => path))], ["/ask"]);
  assert.ok(seen.every((spread_s) => spread_s <= SPREAD_S_MAX));
  const [first, last] = [seen.slice(0, 4), seen.slice(-20)].map((part) => sum(part) / part.length);
  assert.ok(seen[0] === 0 && first < last && last > 3, `${seen}`);
  for (let page = 0; page < 2; page += 1) await stranger(port);
  await eventually(() => calls.some(({ path }) => path === "/origin"), { what: "somebody who sets out to tell" });
  assert.equal(sum(calls.map(({ pages }) => Number(pages ?? 0))), 33, "every page, once");
});

test("whoever has a number, or is called, is told nothing of it", async (t) => {
  const answers = { waiting: told({ state: "waiting", number: 7, ahead: 3 }), called: told({ state: "called", number: 7 }) };
  let state = "waiting";
  const { visitor } = await startScripted(t, { script: () => ({ told: answers[state], headers: { "Baton-Load": "20000,900" } }) });
  for (state of ["waiting", "called"]) {
    const { status_object: shown } = await visitor().arrive();
    assert.equal(shown.state, state);
    assert.equal(shown.spread_s, undefined);
  }
});

test("an app's first call is told in how many seconds to come again", async (t) => {
  const { port, visitor } = await lobbies(t, { load: "12000,600" });
  const known = visitor();
  await known.arrive();
  await known.call("status");
  const enter = () => raw(port, "/__baton/onsale/enter", { method: "POST", headers: { "baton-credentials": "", "content-length": "0" } });
  const { status: code, headers } = await enter();
  assert.equal(code, 401);
  assert.ok(Number(headers["retry-after"]) >= 8 && Number(headers["retry-after"]) <= SPREAD_S_MAX, headers["retry-after"]);
});

test("a lobby keeps its books: the more pages come, the longer those behind them wait", async (t) => {
  const world = await startWorld(t, {
    room: { permits: 0, tick_ms: 60_000, claim_within_s: 60 },
    runtime: { wrapper: inRoot("tests", "runtime", "support", "crowded.js") },
  });
  const { port } = world.baton;
  assert.equal((await stranger(port)).spread_s, 0, "the first");
  const known = world.visitor();
  const waits = [];
  for (const pages of [1, 4, 9]) {
    for (let page = 0; page < pages; page += 1) await stranger(port);
    await known.arrive();
    await known.call("status");
    waits.push((await stranger(port)).spread_s);
  }
  assert.ok(waits[0] < waits[1] && waits[1] < waits[2] && waits[2] <= SPREAD_S_MAX, `${waits}`);
  const loads = await (await fetch(`${world.baton.url}/crowded`)).json();
  assert.match(loads.at(-1), /^\d+,\d+$/);
});
