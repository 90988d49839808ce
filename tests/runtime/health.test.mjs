// While the origin fails nobody is called; when it is well again they are, few at first.

import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { eventually } from "./harness.mjs";
import { startOrigin, startWorld } from "./support/world.mjs";

/** Longer than the two seconds that the last errors may be under way: one to the lobby, one to the room. */
const WINDOW_S = 4;
/** Four permits are taken by people inside, the others by whoever is called. */
const ROOM = { permits: 10, tick_ms: 50, walk_in: false, lease_idle_s: 600, claim_within_s: 600 };
const TOKEN = "operator-operator-operator-operator";

/** An origin that answers 500, or not at all, as long as `state` says so. */
async function failingOrigin(t, state) {
  return startOrigin(t, (request, response) => {
    if (state.how === "silent") return request.socket.destroy();
    const fails = state.how === "500" || request.url.startsWith("/buy/broken");
    response.writeHead(fails ? 500 : 200, { "content-type": "text/html" });
    return response.end("ok");
  });
}

async function inside(world) {
  const visitor = world.visitor();
  await visitor.status();
  await visitor.join();
  await eventually(async () => (await visitor.status()).json.state === "called", { what: "a call" });
  await visitor.arrive();
  return visitor;
}

async function inLine(world, count) {
  const visitors = [];
  for (let i = 0; i < count; i += 1) {
    const visitor = world.visitor();
    await visitor.status();
    await visitor.join();
    await visitor.openSocket();
    visitors.push(visitor);
  }
  return visitors;
}

async function metrics(world) {
  const { body } = await world.raw("/__baton/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
  const value = (name) => Number(body.match(new RegExp(`^${name.replace(/[{}"]/g, "\\$&")} (\\d+)`, "m"))?.[1]);
  return {
    calls: value('baton_calls_total{room="onsale",by="usher"}') + value('baton_calls_total{room="onsale",by="baton"}'),
    errors: value('baton_origin_errors_total{room="onsale"}'),
    state: ["well", "failing", "recovering"].find((state) => value(`baton_origin_health{room="onsale",state="${state}"}`) === 1),
  };
}

for (const how of ["500", "silent"]) {
  test(`an origin that fails (${how}): no calls, then few, then all`, { timeout: 120_000 }, async (t) => {
    const state = { how: "well" };
    const origin = await failingOrigin(t, state);
    const room = { ...ROOM, origin_errors_max_percent: 50, origin_errors_window_s: WINDOW_S };
    const world = await startWorld(t, { room, origin: origin.url, vars: { BATON_ADMIN_TOKEN: TOKEN } });
    const people = [];
    for (let i = 0; i < 3; i += 1) people.push(await inside(world));
    const last = await inside(world);
    assert.deepEqual(await metrics(world), { calls: 4, errors: 0, state: "well" });

    state.how = how;
    let errors = 0;
    const fails = async () => {
      for (const person of people) errors += (await person.arrive()).status >= 500 ? 1 : 0;
    };
    await eventually(
      async () => {
        for (let i = 0; i < 2; i += 1) await fails();
        return (await metrics(world)).state === "failing";
      },
      { what: "that the room hears of it" },
    );
    // The room goes on hearing of errors: nobody is called, and a permit that comes back waits on the tray.
    const until = Date.now() + 2 * WINDOW_S * 1_000;
    const burns = async (still) => {
      while (Date.now() < until || still()) await fails();
    };
    let waiters;
    const comes = async () => {
      waiters = await inLine(world, 6);
      await last.leave();
    };
    await Promise.all([comes(), burns(() => !waiters)]);
    const failing = await metrics(world);
    assert.deepEqual([failing.calls, failing.state], [4, "failing"], "somebody was called into the fire");
    assert.ok(failing.errors >= 10, `${failing.errors} errors`);

    state.how = "well";
    // The last errors are still to be told, with the next ask: they hold calling up once more.
    await eventually(
      async () => {
        await waiters[0].status();
        return (await metrics(world)).errors === errors;
      },
      { what: "that the last errors are heard of" },
    );
    const called = [];
    await eventually(
      async () => {
        const now = (await metrics(world)).calls - failing.calls;
        if (now !== called.at(-1)) called.push(now);
        return now === waiters.length;
      },
      { what: "that all are called" },
    );
    assert.deepEqual(called, [0, 1, 3, 6], "one in the first window, then two, then the rest");
    for (const visitor of waiters) visitor.closeSocket({ abrupt: true });
  });
}

/** Uploads that their sender breaks off, or that are no upload, while the origin is well: nobody knows who failed, so nobody counts them. */
test("an upload that comes to nothing is no failure of the origin's", { timeout: 60_000 }, async (t) => {
  const seen = { begun: 0, ended: 0 };
  const origin = await startOrigin(t, (request, response) => {
    if (request.url.startsWith("/buy/broken")) return response.writeHead(500).end();
    if (request.method === "GET") return response.end("ok");
    seen.begun += 1;
    request.on("close", () => (seen.ended += 1));
    request.resume().on("end", () => response.end("ok"));
  });
  const room = { ...ROOM, origin_errors_max_percent: 20, origin_errors_window_s: 60 };
  const world = await startWorld(t, { room, origin: origin.url, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const people = [];
  for (let i = 0; i < 3; i += 1) people.push(await inside(world));
  const sent = async (person, body, until) => {
    const socket = net.connect(world.baton.port, "127.0.0.1").on("error", () => {});
    socket.write(`POST /buy/upload HTTP/1.1\r\nHost: 127.0.0.1:${world.baton.port}\r\nCookie: ${person.jar.header()}\r\n${body}`);
    await until(socket);
    socket.destroy();
  };
  for (const person of people)
    for (let turn = 0; turn < 3; turn += 1) {
      const before = seen.begun;
      const arrives = () => eventually(() => seen.begun > before, { what: "an upload at the origin" });
      await sent(person, "Content-Length: 1000\r\n\r\nabc", arrives);
      const [answer] = await new Promise((resolve) =>
        sent(person, "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nno size\r\n", (socket) => once(socket, "data").then(resolve)),
      );
      assert.match(`${answer}`, /^HTTP\/1.1 502 /);
    }
  await eventually(() => seen.ended === seen.begun, { what: "the end of each upload" });
  for (const person of people) await person.arrive("/buy/broken/one");
  await eventually(
    async () => {
      await people[0].status();
      return (await metrics(world)).errors === people.length;
    },
    { what: "that the room hears of the three errors" },
  );
  assert.deepEqual(await metrics(world), { calls: 3, errors: 3, state: "well" });
  const lines = coded(world.logs(), "origin_unreachable").length;
  assert.ok(lines <= 2, `${lines} lines`);
});

test("c191_one_person_inside: whose every request fails stops nobody else", { timeout: 60_000 }, async (t) => {
  const origin = await failingOrigin(t, { how: "well" });
  const room = { ...ROOM, origin_errors_max_percent: 20, origin_errors_window_s: 60 };
  const world = await startWorld(t, { room, origin: origin.url, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const [fiend, other] = [await inside(world), await inside(world)];
  for (let i = 0; i < 30; i += 1) await fiend.arrive(`/buy/broken/${i}`);
  await other.arrive();
  await eventually(
    async () => {
      await fiend.arrive("/buy/broken/more");
      return (await metrics(world)).errors >= 30;
    },
    { what: "that the room hears of the errors" },
  );
  await inside(world);
  assert.equal((await metrics(world)).state, "well");
});

test("unless the operator wants it errors of the origin change nothing, and no lobby is told", { timeout: 60_000 }, async (t) => {
  const state = { how: "well" };
  const origin = await failingOrigin(t, state);
  const world = await startWorld(t, { room: ROOM, origin: origin.url, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const visitor = await inside(world);
  state.how = "500";
  for (let i = 0; i < 30; i += 1) await visitor.arrive();
  const waiters = await inLine(world, 3);
  await eventually(async () => (await metrics(world)).calls === 4, { what: "that all are called" });
  assert.deepEqual(await metrics(world), { calls: 4, errors: 0, state: "well" });
  for (const waiter of waiters) waiter.closeSocket({ abrupt: true });
});
