// A rehearsal on the real thing, and then a clean start: the operator begins the room anew while people wait, are called and
// are inside. Everybody is told, old cookies bring nothing back, and numbers begin at 1.

import assert from "node:assert/strict";
import { test } from "node:test";
import { audited, journalOf } from "../support/audit.mjs";
import { CookieJar } from "../support/visitor.mjs";
import { startWorld } from "./support/world.mjs";

const TOKEN = "an operator's token that nobody guesses";
const headers = { authorization: `Bearer ${TOKEN}` };

async function operated(t, room = {}) {
  const world = await startWorld(t, { room: { permits: 1, linger_s: 60, walk_in: false, ...room }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const at = (path) => new URL(`/__baton/admin/rooms/onsale${path}`, world.url);
  const look = async () => {
    const answer = await fetch(at(""), { headers });
    return { ...(await answer.json()), etag: answer.headers.get("etag") };
  };
  const ask = (body, ifMatch) =>
    fetch(at("/reset"), {
      method: "POST",
      headers: { ...headers, ...(ifMatch && { "if-match": ifMatch }) },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const reset = async () => {
    const answer = await ask({ room: "onsale" }, (await look()).etag);
    assert.equal(answer.status, 200, await answer.clone().text());
    return answer.json();
  };
  const join = async (name) => {
    const visitor = world.visitor({ name });
    await visitor.arrive();
    await visitor.openSocket();
    return visitor;
  };
  return { ...world, look, ask, reset, join };
}

/** One inside, one called, one waiting, and the cookies that each had. */
async function peopled(world) {
  const inside = await world.join("inside");
  await inside.waitForState("called");
  assert.equal((await inside.claimByLanding()).state, "shop");
  const called = await world.join("called");
  const waiting = await world.join("waiting");
  const { etag } = await world.look();
  const answer = await fetch(new URL("/__baton/admin/rooms/onsale", world.url), {
    method: "PATCH",
    headers: { ...headers, "if-match": etag },
    body: '{"permits": 2}',
  });
  assert.equal(answer.status, 200);
  await called.waitForState("called");
  return { inside, called, waiting };
}

/** Somebody with these cookies as they were, in another browser. */
function later(world, visitor) {
  const jar = new CookieJar();
  for (const name of visitor.jar.names()) jar.set(name, visitor.jar.get(name));
  return world.visitor({ name: `${visitor.name}, later`, jar });
}

test("a reset wants the room's name and the state that was seen, and is refused whole without", async (t) => {
  const world = await operated(t);
  await world.join("waiting");
  const { etag } = await world.look();
  const wrong = [
    [{ room: "onsale" }, undefined, 428],
    [{ room: "onsale" }, "*", 428],
    [{ room: "onsale" }, '"7"', 412],
    [{ room: "onsale" }, "nonsense", 412],
    [{ room: "Onsale" }, etag, 400],
    [{}, etag, 400],
    ["", etag, 400],
    ["[]", etag, 400],
    [{ room: "onsale", really: true }, etag, 400],
  ];
  for (const [body, ifMatch, status] of wrong) assert.equal((await world.ask(body, ifMatch)).status, status, `${JSON.stringify(body)} ${ifMatch}`);
  assert.match((await (await world.ask({ room: "other" }, etag)).json()).error.message, /\{"room": "onsale"\}/);
  assert.deepEqual([(await world.look()).report.edition, (await world.look()).etag], [1, etag]);
  assert.equal((await world.ask({ room: "onsale" }, etag)).status, 200);
  assert.equal((await world.ask({ room: "onsale" }, etag)).status, 412, "one look, one reset");
  assert.equal((await world.look()).report.edition, 2);
});

test("everybody is told at once, what was free is free again, settings stay", async (t) => {
  const world = await operated(t);
  const { inside, called, waiting } = await peopled(world);
  const { report, settings } = await world.reset();
  assert.deepEqual([report.edition, report.waiting, report.called, report.inside], [2, 0, 0, 0]);
  assert.deepEqual([report.hand, report.tray, report.debt, report.next_number, report.totals.joined], [2, 0, 0, 1, 0]);
  assert.deepEqual(settings.permits, { value: 2, source: "live", live: true });
  for (const visitor of [called, waiting]) {
    await visitor.waitForState("over", undefined, { evenClosed: true });
    assert.equal(visitor.last.reason, "reset");
  }
  assert.deepEqual([(await inside.status()).json.state, inside.last.reason], ["over", "reset"]);
});

test("old cookies are told of the reset on every path, claim nothing, and then get numbers from 1", async (t) => {
  const world = await operated(t);
  const { inside, called, waiting } = await peopled(world);
  const before = [inside, called, waiting].map((visitor) => later(world, visitor));
  await world.reset();
  // Somebody new has number 1 now, is called and goes in; number 2 is called as well.
  const first = await world.join("first");
  assert.equal(first.number, 1);
  const second = await world.join("second");
  await second.waitForState("called");
  const [wasInside, wasCalled, wasWaiting] = before;
  const over = ({ json }) => assert.deepEqual([json?.state, json?.reason], ["over", "reset"]);
  over(await later(world, wasCalled).status());
  const page = await later(world, wasCalled).arrive();
  assert.equal(page.state, "waiting", "landing does not claim");
  over({ json: page.status_object });
  const claim = await later(world, wasCalled).claim();
  assert.deepEqual([claim.status, claim.json.error.code], [410, "ticket_over"]);
  const socket = later(world, wasWaiting);
  await socket.openSocket();
  await socket.waitForState("over", undefined, { evenClosed: true });
  assert.equal(socket.last.reason, "reset");
  assert.equal((await later(world, wasInside).leave()).status, 204);
  over(await later(world, wasInside).status());
  assert.deepEqual([(await first.status()).json.state, (await second.status()).json.state], ["called", "called"], "nobody was touched");
  const again = await wasWaiting.join();
  assert.deepEqual([again.status, again.json.number, again.json.edition, again.json.ahead], [201, 3, 2, 2]);
  assert.equal((await first.claimByLanding()).state, "shop");
});

test("a pass dies as a released one does: at once where the room is strict, else with its own life", async (t) => {
  for (const [strict, ttl] of [
    ["all", 60],
    [false, 1],
  ]) {
    const world = await operated(t, { strict, pass_ttl_s: ttl });
    const inside = await world.join("inside");
    await inside.waitForState("called");
    assert.equal((await inside.claimByLanding()).state, "shop");
    await world.reset();
    const end = Date.now() + (strict ? 0 : ttl * 1_000);
    let page = await inside.arrive();
    while (page.state === "shop") {
      assert.ok(Date.now() <= end + 1_000, `${strict}: the pass is still honoured`);
      page = await inside.arrive();
    }
    assert.deepEqual([page.status_object?.state, page.status_object?.reason], ["over", "reset"]);
    assert.equal((await world.look()).report.inside, 0);
  }
});

test("a rehearsal, a reset, a crash, and the sale: sound from the first row to the last", async (t) => {
  const world = await operated(t, { permits: 1 });
  const rehearsal = [await world.join("one"), await world.join("two")];
  await rehearsal[0].waitForState("called");
  await world.reset();
  await rehearsal[1].waitForState("over", undefined, { evenClosed: true });
  await world.baton.restart();
  const sale = [await world.join("three"), await world.join("four")];
  assert.deepEqual(
    sale.map(({ number }) => number),
    [1, 2],
  );
  await sale[0].waitForState("called");
  assert.equal((await sale[0].claimByLanding()).state, "shop");
  await sale[0].leave();
  await sale[1].waitForState("called");
  const journal = await journalOf({ url: world.url, token: TOKEN });
  const { sound, text } = await audited(journal);
  assert.ok(sound, text);
  assert.match(text, /resets +1, which ended 2 tickets/);
  assert.match(text, /edition 2 +2 numbers, begun in row \d+$/m);
});
