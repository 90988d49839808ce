// Strict rooms: before a request is forwarded the room says whether the lease lives. A pass dies with it, at once.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { eventually, passTimes, raw, setCookies, startOrigin, startWorld as begin } from "./support/world.mjs";

const PASS = "baton-onsale-pass";
const STRICT = { permits: 1, pass_ttl_s: 600, lease_idle_s: 900 };

/** A site that takes whatever comes: what is refused here is refused by Baton. */
async function startWorld(t, options) {
  const site = await startOrigin(t, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === "/buy/release") response.setHeader("Baton-Release", "1");
    response.end(Buffer.concat(chunks));
  });
  return await begin(t, { origin: site.url, ...options });
}

async function admitted(world) {
  const visitor = world.visitor();
  await visitor.arrive();
  await eventually(
    async () => {
      await visitor.arrive();
      return !passTimes(visitor.cookie("pass")).provisional;
    },
    { what: "a confirmed pass" },
  );
  return visitor;
}

/** Shows this pass and nothing else. */
const show = (world, pass, options = {}) =>
  raw(world.baton.port, "/buy/echo", { ...options, headers: { cookie: `${PASS}=${pass}`, accept: "application/json", ...options.headers } });

/** Status and body's state of requests by every kind of method with an old pass. */
async function tries(world, pass) {
  const answers = await Promise.all(
    ["GET", "HEAD", "POST", "PUT", "DELETE"].map(async (method) => [method, (await show(world, pass, { method })).status]),
  );
  return Object.fromEntries(answers);
}

const dataFolder = (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-strict-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  return dataDir;
};

test("c09_strict_after_a_release: the moment the origin's release is out, the old pass is worth nothing", async (t) => {
  const world = await startWorld(t, { room: { ...STRICT, strict: "all" } });
  const visitor = await admitted(world);
  const old = visitor.cookie("pass");
  assert.deepEqual(await tries(world, old), { GET: 200, HEAD: 200, POST: 200, PUT: 200, DELETE: 200 });
  await visitor.arrive("/buy/release");
  assert.deepEqual(await tries(world, old), { GET: 429, HEAD: 429, POST: 429, PUT: 429, DELETE: 429 });
  assert.equal(setCookies(await show(world, old))[PASS].value, "", "cleared");
  assert.equal(
    (await visitor.request("/buy/echo", { headers: { accept: "application/json" } })).status,
    200,
    "the farewell still loads the thank-you page",
  );
});

test("c09_strict_after_leaving: who leaves in one tab is out in all of them, also by a copy of the cookie", async (t) => {
  const world = await startWorld(t, { room: { ...STRICT, strict: "all" } });
  const visitor = await admitted(world);
  const copy = visitor.cookie("pass");
  assert.equal((await visitor.leave()).status, 204);
  assert.deepEqual(await tries(world, copy), { GET: 429, HEAD: 429, POST: 429, PUT: 429, DELETE: 429 });
  const next = await admitted(world);
  assert.equal((await next.arrive("/buy/echo")).state, "shop", "the permit is the next one's");
  assert.equal((await show(world, copy)).status, 429, "and the copy does not ride on it");
});

test("c09_strict_unsafe: what may change something is refused at once; reading goes on for pass_ttl_s", async (t) => {
  const world = await startWorld(t, { room: { ...STRICT, strict: "unsafe" } });
  const visitor = await admitted(world);
  const old = visitor.cookie("pass");
  await visitor.arrive("/buy/release");
  assert.deepEqual(await tries(world, old), { GET: 200, HEAD: 200, POST: 429, PUT: 429, DELETE: 429 });
  const socket = await show(world, old, {
    headers: { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "x3JJHMbDL1EzLkh9GBhXDw==" },
  });
  assert.equal(socket.status, 429, "a socket may carry anything");
});

test("without strict the same pass reads and writes until pass_ttl_s is over", async (t) => {
  const world = await startWorld(t, { room: STRICT });
  const visitor = await admitted(world);
  const old = visitor.cookie("pass");
  await visitor.arrive("/buy/release");
  assert.deepEqual(await tries(world, old), { GET: 200, HEAD: 200, POST: 200, PUT: 200, DELETE: 200 });
});

test("a body arrives whole after the check", async (t) => {
  const world = await startWorld(t, { room: { ...STRICT, strict: "all" } });
  const visitor = await admitted(world);
  const body = "seats=2&".repeat(10_000);
  const answer = await visitor.request("/buy/echo", { method: "POST", body, headers: { origin: "https://bank.example" } });
  assert.deepEqual([answer.status, answer.body], [200, body]);
});

test("a checked request writes nothing, in the room or in the lobby", async (t) => {
  const dataDir = dataFolder(t);
  const world = await startWorld(t, { room: { ...STRICT, strict: "all" }, runtime: { dataDir } });
  const visitor = await admitted(world);
  const rows = () =>
    readdirSync(dataDir, { recursive: true })
      .filter((name) => /[0-9a-f]{64}\.sqlite$/.test(name))
      .map((name) => {
        const db = new DatabaseSync(path.join(dataDir, name), { readOnly: true });
        try {
          const has = db.prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'journal'").get().tables > 0;
          return has ? db.prepare("SELECT max(version) AS version FROM journal").get().version : null;
        } finally {
          db.close();
        }
      });
  const before = rows();
  assert.deepEqual([before.length, before.filter((version) => version > 0).length], [2, 1], "a lobby has no journal");
  const answers = await Promise.all(Array.from({ length: 60 }, () => show(world, visitor.cookie("pass"))));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.deepEqual(rows(), before);
});

test("c60_strict_and_the_coordinator_is_down: strict requests wait, the others go on", async (t) => {
  const dataDir = dataFolder(t);
  const rooms = {
    all: { paths: ["/buy/*"], ...STRICT, permits: 5, tick_ms: 50, strict: "all" },
    unsafe: { paths: ["/seats/*"], ...STRICT, permits: 5, tick_ms: 50, strict: "unsafe" },
  };
  const world = await startWorld(t, { rooms, runtime: { dataDir } });
  const cookies = {};
  for (const [room, at] of [
    ["all", "/buy/echo"],
    ["unsafe", "/seats/1"],
  ]) {
    const visitor = world.visitor({ room });
    await visitor.arrive(at);
    cookies[room] = visitor.jar.header();
  }
  await world.baton.kill();
  for (const file of readdirSync(dataDir, { recursive: true })) {
    if (/\.sqlite/.test(file) && !file.includes("metadata")) writeFileSync(path.join(dataDir, file), "no database at all, whatever else it may be");
  }
  await world.baton.restart();
  const ask = (room, at, method, accept) => raw(world.baton.port, at, { method, headers: { cookie: cookies[room], accept } });
  const page = await ask("all", "/buy/echo", "GET", "text/html");
  assert.deepEqual([page.status, page.headers["baton-state"]], [200, "waiting"]);
  assert.match(page.body, /data-state="unreachable"/);
  assert.equal((await ask("all", "/buy/echo", "GET", "application/json")).status, 429);
  assert.equal(
    page.headers["set-cookie"]?.some((line) => line.startsWith("baton-all-pass=;")) ?? false,
    false,
    "the pass is kept: it may still be good",
  );
  const read = await ask("unsafe", "/seats/1", "GET", "text/html");
  assert.equal(read.headers["baton-state"], undefined, "reading asks nobody");
  assert.equal((await ask("unsafe", "/seats/1", "POST", "application/json")).status, 429);
});

test("in bypass nobody is checked", async (t) => {
  const world = await startWorld(t, { room: { ...STRICT, strict: "all", mode: "bypass" } });
  assert.equal((await show(world, "none", { method: "POST" })).status, 200);
});
