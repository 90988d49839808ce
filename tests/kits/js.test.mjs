// The app's side against a running Baton: in, called by socket or by asking, over, and a fetch that waits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Baton, Over, Refused } from "../../kits/js/src/index.js";
import { inRoot, run } from "../../scripts/common.mjs";
import { eventually, startOrigin, startWorld } from "../runtime/support/world.mjs";

async function appWorld(t, room = {}) {
  const shop = await startOrigin(t, (request, response) => response.end(`${request.method} ${request.url} ${request.headers["baton-ticket"]}`));
  const world = await startWorld(t, { origin: shop.url, room: { permits: 1, linger_s: 60, ...room } });
  /** Somebody's app, with what it was told. */
  const app = (options = {}) => {
    const baton = new Baton({ url: world.baton.url, ...options });
    const told = [];
    for (const name of ["number", "ahead", "called", "over"]) baton.on(name, (...what) => told.push([name, ...what]));
    return { baton, told };
  };
  return { ...world, app };
}

for (const [how, options] of [
  ["by socket", {}],
  ["by asking, where there is no socket", { WebSocket: null }],
]) {
  test(`enter comes back when one is in, called ${how}`, async (t) => {
    const world = await appWorld(t);
    const [first, second, third] = [world.app(), world.app(options), world.app(options)];
    assert.equal((await first.baton.enter("onsale")).in, true);
    const entered = second.baton.enter("onsale");
    await eventually(() => second.told.some(([name]) => name === "ahead"), { what: "a place" });
    const waits = third.baton.enter("onsale");
    await eventually(() => third.told.some(([name, ahead]) => name === "ahead" && ahead === 1), { what: "a place behind" });
    await first.baton.leave("onsale");
    const status = await entered;
    assert.deepEqual([status.in, status.state], [true, "admitted"]);
    assert.deepEqual(second.told, [["number", 2, undefined], ["ahead", 0], ["called"]]);
    await eventually(() => third.told.some(([name, ahead]) => name === "ahead" && ahead === 0), {
      what: "nobody in front any more",
      timeoutMs: 40_000,
    });
    await second.baton.leave("onsale");
    assert.equal((await waits).number, 3);
    const answer = await third.baton.fetch("onsale", "/buy/order", { method: "POST", body: "x" });
    assert.equal(await answer.text(), "POST /buy/order 3");
  });
}

test("a fetch that must wait waits, and is sent once more", async (t) => {
  const world = await appWorld(t);
  const [first, second] = [world.app(), world.app()];
  await first.baton.enter("onsale");
  const answered = second.baton.fetch("onsale", "/buy/order", { headers: new Headers({ "x-own": "1" }) });
  await eventually(() => second.told.length > 0, { what: "a place" });
  await first.baton.leave("onsale");
  assert.equal(await (await answered).text(), "GET /buy/order 2");
});

test("what cannot be entered is said, and a signal ends the wait", async (t) => {
  const world = await appWorld(t);
  const [first, second, none] = [world.app(), world.app(), world.app()];
  await assert.rejects(none.baton.enter("nowhere"), (error) => error instanceof Refused && error.code === "unknown_room");
  await first.baton.enter("onsale");
  const stop = new AbortController();
  const entered = second.baton.enter("onsale", { signal: stop.signal });
  await eventually(() => second.told.length > 0, { what: "a place" });
  stop.abort(new Error("closed"));
  await assert.rejects(entered, /closed/);
  assert.ok(new Over("onsale", "missed").message.includes("missed"));
});

test("the kit's own tests", async () => {
  const { code, text } = await run(process.execPath, ["--test", "--test-reporter=tap"], {
    cwd: inRoot("kits", "js"),
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    quiet: true,
  });
  assert.ok(code === 0 && /# pass [1-9]/.test(text), text);
});
