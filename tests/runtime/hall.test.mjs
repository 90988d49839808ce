// Before the opening: who comes gets an entry, at the hour everybody in the hall gets a number by a draw that anybody can
// do again, and who comes later is behind them. And a room that closes at its hour.

import assert from "node:assert/strict";
import { check } from "../../scripts/draw.mjs";
import { drawAgain } from "../../web/draw/order.js";
import { audited, journalOf } from "../support/audit.mjs";
import { judge } from "../support/openapi.mjs";
import { eventually, play } from "./harness.mjs";

/** A date as the configuration has it, so many ms from now. */
const date = (inMs) => new Date(Date.now() + inMs).toISOString().replace("Z", "+00:00");
const HALL = { permits: 1, hall_s: 7_200, opens_at: date(3_600_000) };

async function patch(it, body) {
  const answer = await fetch(`${it.rt.url}/__baton/admin/rooms/onsale`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${it.token}` },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
}

/** The draws, as the document of the API says. */
async function drawOf(it) {
  const get = (path, headers) => fetch(`${it.rt.url}/__baton/${path}`, { headers });
  it.api ??= judge(await (await get("admin/openapi.json", { authorization: `Bearer ${it.token}` })).json());
  const answer = await get("onsale/draw", { accept: "application/json" });
  assert.equal(answer.status, 200);
  return it.api.check("/__baton/{room}/draw", "GET", answer);
}

/** So many in the hall, with open sockets, one after the other. */
async function inHall(it, count) {
  const all = [];
  for (let i = 0; i < count; i += 1) {
    const visitor = it.visitor();
    await visitor.arrive();
    assert.equal((await visitor.openSocket()).state, "hall");
    all.push(visitor);
  }
  return all;
}

const numbered = (visitors) => Promise.all(visitors.map((visitor) => visitor.waitForState(["waiting", "called"])));

play("who comes before the opening holds an entry; the draw numbers all as was committed to; who comes later is behind", HALL, async (it) => {
  const early = await inHall(it, 12);
  for (const [at, visitor] of early.entries()) {
    const { json } = await visitor.status();
    assert.deepEqual([json.state, json.draw, json.entry, json.number], ["hall", "shuffle", at + 1, undefined]);
    assert.ok(json.opens_at_ms > Date.now(), "the hour is told");
  }
  assert.equal((await early[0].claimByLanding()).state, "waiting", "nobody is let through before");
  const { next, last } = await drawOf(it);
  assert.match(next.commitment, /^[0-9a-f]{64}$/);
  assert.equal(last, undefined, "nothing of the seed is told before");

  await patch(it, { opens_at: date(-1_000) });
  const told = await numbered(early);
  const late = it.visitor();
  await late.arrive();
  assert.equal((await late.join()).json.number, 13, "who comes after the draw is behind everybody in it");

  // The front tells for five seconds what it was told.
  const draw = await eventually(async () => (await drawOf(it)).last, { everyMs: 250, what: "the draw" });
  assert.equal(draw.commitment, next.commitment);
  const { kept, count, numbers } = await drawAgain(draw);
  assert.ok(kept, "the seed is the one that was committed to");
  assert.equal(count, 12);
  assert.deepEqual(
    told.map(({ number }) => number),
    early.map((_, at) => numbers.get(at + 1)),
    "everybody has the number of the draw",
  );
  const first = early.find(({ number }) => number === 1);
  await first.waitForState("called");
  assert.equal((await first.claimByLanding()).state, "shop");

  const said = [];
  assert.ok(await check([it.rt.url, "onsale", "1"], (line) => said.push(line)), said.join("\n"));
  assert.match(said.at(-1), new RegExp(`entry 1 got number ${numbers.get(1)}$`));
  const { text } = await audited(await journalOf({ url: it.rt.url, token: it.token }));
  assert.match(text, /12 entries, 12 numbers drawn as was committed to/);
});

play("the hall outlives a crash, and with draw = arrival who came first is first", { ...HALL, draw: "arrival" }, async (it) => {
  const early = await inHall(it, 5);
  const before = await drawOf(it);
  await it.crash();
  assert.equal((await drawOf(it)).next.commitment, before.next.commitment);
  await Promise.all(early.map((visitor) => visitor.openSocket()));
  assert.deepEqual(
    early.map(({ tab }) => [tab.last.state, tab.last.entry]),
    [1, 2, 3, 4, 5].map((entry) => ["hall", entry]),
  );
  await patch(it, { opens_at: date(-1_000) });
  assert.deepEqual(
    (await numbered(early)).map(({ number }) => number),
    [1, 2, 3, 4, 5],
  );
});

play("who left the hall is not drawn, and the room is asked who slept", HALL, async (it) => {
  const early = await inHall(it, 4);
  await early[1].leave();
  early[2].closeSocket({ abrupt: true });
  await patch(it, { opens_at: date(-1_000) });
  await numbered([early[0], early[3]]);
  assert.equal((await drawOf(it)).last.count, 3);
  await early[2].openSocket();
  assert.ok([1, 2, 3].includes(early[2].number), "a telephone that slept at the opening has a number");
  assert.ok(["none", "over"].includes((await early[1].status()).json.state), "whoever left has no place");
});

const SOON = { permits: 1, hall_s: 7_200, tick_ms: 200 };
play("a room made anew commits to another draw, in whatever row its hall begins", HALL, async (it) => {
  const commitmentOf = async () => {
    await it.visitor().arrive();
    return (await drawOf(it)).next.commitment;
  };
  const first = await commitmentOf();
  await it.crash();
  assert.equal(await commitmentOf(), first, "the same room, the same draw");
  await it.crash({ generation: 2 });
  const second = await commitmentOf();
  await it.crash({ generation: 2, location: "apac" });
  assert.equal(new Set([first, second, await commitmentOf()]).size, 3, "whoever saw a seed told does not know the next room's");
});

play("the room opens and closes at its hours by itself", SOON, async (it) => {
  await patch(it, { opens_at: date(4_000), closes_at: date(9_000) });
  const both = await inHall(it, 2);
  const told = await numbered(both);
  assert.deepEqual(told.map(({ number }) => number).sort(), [1, 2]);
  const waiter = both.find(({ number }) => number === 2);
  await waiter.waitFor(({ tab }) => tab.last.mode === "closed");
  assert.equal(waiter.state, "waiting", "who waits keeps the place");
  const late = it.visitor();
  await late.arrive();
  const { json } = await late.join();
  assert.deepEqual([json.state, json.mode], ["none", "closed"]);
});
