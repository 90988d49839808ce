// The stand-in itself: each fault that it is there to make happens, and its cure keeps it away.

import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { eventually } from "../runtime/support/world.mjs";
import { Limits } from "./limits.js";
import { door, startPlatform } from "./platform.mjs";

test("an object takes a thousand requests at once, and is overloaded after that", async () => {
  const limits = new Limits();
  const env = limits.around({ ROOM: { getByName: () => ({ fetch: async () => "ok" }) } }, () => 0);
  const ask = () =>
    env.ROOM.getByName("r")
      .fetch("https://x/")
      .then(
        () => "ok",
        ({ overloaded }) => (overloaded ? "overloaded" : "failed"),
      );
  const said = await Promise.all(Array.from({ length: 1_500 }, ask));
  const ok = said.filter((word) => word === "ok").length;
  assert.ok(ok >= 1_000 && ok < 1_200, `${ok} were taken`);
  assert.equal(said.filter((word) => word === "failed").length, 0);
});

test("an overloaded lobby: who asks waits, nobody is asked twice, nobody loses a place", { timeout: 120_000 }, async (t) => {
  const it = await startPlatform(t, { room: { permits: 0 } });
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.status();
  await visitor.join();
  const { number } = visitor;
  // The room shows the lobby its line once after the join; nothing of the room's is under way then.
  await eventually(async () => (await it.counts()).calls["LOBBY onsale@auto.1 push"] > 0, { what: "the picture of the line" });
  await it.reset(50);
  const sent = 1_000;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const status = () =>
    new Promise((resolve, reject) => {
      const headers = { cookie: visitor.jar.header(), accept: "application/json", "sec-fetch-site": "same-origin" };
      http
        .get({ port: it.baton.port, host: "127.0.0.1", path: "/__baton/onsale/status", headers, agent }, (answer) =>
          answer.resume().on("end", () => resolve(answer.statusCode)),
        )
        .on("error", reject);
    });
  const codes = await Promise.all(Array.from({ length: sent }, status));
  agent.destroy();
  // The room's own calls to its lobby may meet the same limit; nobody waits for those.
  const { refused, calls } = await it.counts();
  const overloaded = refused["LOBBY onsale@auto.1 ask"] ?? 0;
  assert.ok(overloaded > 0, "nothing was overloaded");
  assert.deepEqual([...new Set(codes)].sort(), [200, 503]);
  assert.equal(codes.filter((code) => code === 503).length, overloaded, "each that was refused is told so, once");
  assert.equal(calls["LOBBY onsale@auto.1 ask"], sent, "nobody is asked twice");
  await eventually(async () => (await visitor.status()).json.number === number, { what: "the place" });
});

test("an isolate above its memory is ended, and everybody finds the place again", { timeout: 120_000 }, async (t) => {
  const it = await startPlatform(t, { room: { permits: 0 }, bytesMax: 1024 * 1024 });
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.openSocket();
  const { number } = visitor;
  it.memory.watch();
  await visitor.waitFor(({ tab }) => tab.closed !== null, 30_000, { evenClosed: true });
  await it.memory.stop();
  assert.ok(it.memory.kills >= 1);
  await eventually(
    () =>
      visitor.openSocket({ resume: true }).then(
        () => true,
        () => false,
      ),
    { what: "a socket" },
  );
  assert.equal(visitor.number, number);
});

test("a connection on which nothing moves is closed; a socket whose page pings stays", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { room: { permits: 0 } });
  const outside = await door(t, it.baton.port, { idleMs: 2_000 });
  const idle = net.connect(outside.port, "127.0.0.1");
  await new Promise((resolve) => idle.once("close", resolve));
  assert.equal(outside.closed, 1);
  const visitor = it.visitor({ url: `${outside.url}/buy/` });
  await visitor.arrive();
  await visitor.openSocket();
  const pings = setInterval(() => visitor.ping(), 500);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  clearInterval(pings);
  assert.equal(visitor.tab.closed, null, "it pings");
  await visitor.waitFor(({ tab }) => tab.closed !== null, 10_000, { evenClosed: true });
});
