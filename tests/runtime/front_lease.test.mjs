// Passes in use: renewed, ended, released, extended; and what holds when the coordinator is away.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { eventually, passTimes, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const PASS = "baton-onsale-pass";
const TICKET = "baton-onsale-ticket";

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

/** Waits for an instant of the wall clock. */
const until = (atMs) => eventually(() => Date.now() >= atMs, { timeoutMs: 60_000, what: new Date(atMs).toISOString() });

test("c60_the_coordinator_is_down: a fresh pass is forwarded although every object is gone; an ended one too, until its lease ends; nobody else", async (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-broken-"));
  const world = await startWorld(t, { room: { permits: 5, pass_ttl_s: 2, lease_idle_s: 6, lease_max_s: 6 }, runtime: { dataDir } });
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const visitor = await admitted(world);
  const waiter = world.visitor();
  await waiter.status();
  const { freshUntil, leaseEnds } = passTimes(visitor.cookie("pass"));
  assert.ok(freshUntil < leaseEnds);
  await world.baton.kill();
  for (const file of readdirSync(dataDir, { recursive: true })) {
    if (/\.sqlite/.test(file) && !file.includes("metadata")) writeFileSync(path.join(dataDir, file), "no database at all, whatever else it may be");
  }
  await world.baton.restart();
  assert.equal((await visitor.arrive()).state, "shop", "fresh, or ended within the lease");
  await until(freshUntil);
  if (Date.now() < leaseEnds - 500) assert.equal((await visitor.arrive()).state, "shop", "honoured: the lease it carries goes on");
  const page = await waiter.arrive();
  assert.deepEqual([page.status, page.state], [200, "waiting"]);
  assert.match(page.body, /data-state="unreachable"/);
  assert.ok(setCookies(await world.visitor().arrive())["baton-visitor"], "a stranger gets a name all the same");
  const joined = await waiter.join();
  assert.deepEqual([joined.status, joined.error], [503, "room_unavailable"]);
  assert.ok(Number(joined.headers["retry-after"]) > 0);
  await assert.rejects(waiter.openSocket(), { status: 503, error: "room_unavailable" });
  await until(leaseEnds);
  const late = await visitor.arrive();
  assert.match(late.body, /data-state="unreachable"/);
  assert.ok(visitor.cookie("pass") || Date.now() > passTimes(visitor.cookie("pass") ?? "").hardEnds, "not cleared: it may still be renewed");
});

test("past half its life a pass is renewed beside the answer, and the lease slides", async (t) => {
  const world = await startWorld(t, { room: { pass_ttl_s: 2, lease_idle_s: 60, lease_max_s: 600 } });
  const visitor = await admitted(world);
  const first = passTimes(visitor.cookie("pass"));
  const fence = (await visitor.arrive("/buy/echo")).json.headers["baton-fence"];
  const renewed = await eventually(
    async () => {
      const { json, status } = await visitor.request("/buy/echo", { headers: { accept: "application/json" } });
      assert.equal(status, 200);
      assert.equal(json.headers["baton-fence"], fence);
      const now = passTimes(visitor.cookie("pass"));
      return now.freshUntil > first.freshUntil && now;
    },
    { what: "a renewed pass" },
  );
  assert.ok(renewed.leaseEnds > first.leaseEnds, "the idle end slid");
  assert.ok(Math.abs(renewed.hardEnds - first.hardEnds) < 200, "the hard end did not");
  assert.ok(renewed.freshUntil <= renewed.leaseEnds && renewed.leaseEnds <= renewed.hardEnds);
});

test("a pass past its end is renewed first, also for a POST with its body", async (t) => {
  const world = await startWorld(t, { room: { pass_ttl_s: 1, lease_idle_s: 60 } });
  const visitor = await admitted(world);
  await until(passTimes(visitor.cookie("pass")).freshUntil + 50);
  const answer = await visitor.request("/buy/echo", { method: "POST", body: "seats=2", headers: { origin: "https://bank.example" } });
  assert.deepEqual([answer.status, answer.json?.body], [200, "seats=2"]);
  assert.ok(setCookies(answer)[PASS], "with a new pass");
  assert.ok(passTimes(visitor.cookie("pass")).freshUntil > Date.now());
});

test("an answer that shared caches keep gets no renewed pass; the next private one does", async (t) => {
  const world = await startWorld(t, { room: { pass_ttl_s: 1, lease_idle_s: 60 } });
  const visitor = await admitted(world);
  await until(passTimes(visitor.cookie("pass")).freshUntil + 50);
  const cached = await visitor.arrive("/buy/cached");
  assert.deepEqual([cached.status, cached.headers["set-cookie"], cached.headers["cache-control"]], [200, undefined, "private, max-age=60"]);
  assert.ok(setCookies(await visitor.arrive("/buy/echo"))[PASS]);
});

test("Baton-Release: the permit goes to the next at once, the thank-you page still loads, nothing else does", async (t) => {
  const world = await startWorld(t, { room: { permits: 1, pass_ttl_s: 2 } });
  const visitor = await admitted(world);
  const next = world.visitor();
  await next.join();
  await next.openSocket();
  const released = await visitor.arrive("/buy/release");
  assert.deepEqual([released.status, released.headers["baton-release"]], [200, undefined]);
  const { value, attributes } = setCookies(released)[PASS];
  assert.ok(attributes.includes("Max-Age=2"), attributes.join());
  await next.waitForState("called", 5_000);
  const thanks = await visitor.request("/buy/echo", { headers: { accept: "application/json" } });
  assert.equal(thanks.status, 200);
  assert.deepEqual(
    ["baton-room", "baton-ticket", "baton-fence"].map((name) => thanks.json.headers[name]),
    ["onsale", "1", undefined],
  );
  assert.equal(thanks.headers["set-cookie"], undefined, "never renewed");
  assert.equal((await visitor.request("/buy/echo", { method: "HEAD" })).status, 200);
  const post = await visitor.request("/buy/echo", { method: "POST", body: "x", headers: { accept: "application/json" } });
  assert.equal(post.status, 429);
  await eventually(
    async () => {
      const answer = await raw(world.baton.port, "/buy/echo", { headers: { cookie: `${PASS}=${value}`, accept: "application/json" } });
      return answer.status === 429;
    },
    { what: "the farewell's end" },
  );
  assert.equal((await next.claimByLanding("/buy/echo")).state, "shop");
});

test("equal values of a header to Baton count once, and of different ones none counts and the log says so", async (t) => {
  const origin = await startOrigin(t, ({ url }, response) => {
    const [name, values] = decodeURIComponent(url.split("?")[1] ?? "").split("=");
    if (name) response.setHeader(name, values.split("|"));
    response.end("ok");
  });
  const world = await startWorld(t, { origin: origin.url, room: { permits: 1, lease_max_s: 100, lease_idle_s: 100, lease_extend_max_s: 50 } });
  const visitor = await admitted(world);
  const before = passTimes(visitor.cookie("pass")).hardEnds;
  await visitor.arrive("/buy/?baton-extend=20|20");
  const after = passTimes(visitor.cookie("pass")).hardEnds;
  assert.ok(Math.abs(after - before - 20_000) < 2_000, `${after - before} ms more`);
  await visitor.arrive("/buy/?baton-extend=20|30");
  await visitor.arrive("/buy/?baton-release=1|0");
  assert.equal(passTimes(visitor.cookie("pass")).hardEnds, after, "nobody knows which is meant");
  const [contradiction, ...more] = coded(world.logs(), "shop_contradicts");
  assert.deepEqual([contradiction.why, more], ["baton-extend", []]);
  const next = world.visitor();
  await next.join();
  await next.openSocket();
  await visitor.arrive("/buy/?baton-release=1|1");
  await next.waitForState("called", 5_000);
});

test("c09_a_replay_after_release: a pass that was shown before the release dies within pass_ttl_s, and no renewal brings it back", async (t) => {
  const world = await startWorld(t, { room: { permits: 1, pass_ttl_s: 1, lease_idle_s: 60 } });
  const visitor = await admitted(world);
  const old = visitor.cookie("pass");
  await visitor.arrive("/buy/release");
  await until(Date.now() + 1_100);
  const answer = await raw(world.baton.port, "/buy/echo", { headers: { cookie: `${PASS}=${old}`, accept: "application/json" } });
  assert.equal(answer.status, 429);
  assert.equal(setCookies(answer)[PASS].value, "", "cleared");
});

test("whoever walks in and is released by the very same answer goes out with a farewell", async (t) => {
  const world = await startWorld(t, { room: { permits: 1 } });
  const first = await world.visitor().arrive("/buy/release");
  assert.equal(first.status, 200);
  assert.ok(setCookies(first)[PASS].attributes.includes("Max-Age=60"));
  assert.equal(first.headers["set-cookie"].filter((line) => line.startsWith(`${PASS}=`)).length, 1);
  await eventually(
    async () => {
      const visitor = world.visitor();
      await visitor.arrive();
      return (await visitor.arrive()).state === "shop";
    },
    { what: "the permit that came back" },
  );
});

test("Baton-Extend moves the hard end, in all by no more than allowed, and the new end goes out at once", async (t) => {
  const world = await startWorld(t, { room: { lease_max_s: 100, lease_idle_s: 100, lease_extend_max_s: 50 } });
  const visitor = await admitted(world);
  const before = passTimes(visitor.cookie("pass")).hardEnds;
  const extended = await visitor.arrive("/buy/extend?s=30");
  assert.deepEqual([extended.status, extended.headers["baton-extend"]], [200, undefined]);
  const after = passTimes(visitor.cookie("pass")).hardEnds;
  assert.ok(Math.abs(after - before - 30_000) < 500, `${after - before} ms more`);
  await visitor.arrive("/buy/extend?s=3000");
  const most = passTimes(visitor.cookie("pass")).hardEnds;
  assert.ok(most - before <= 50_500, `${most - before} ms in all`);
  const maxAge = Number(
    setCookies(await visitor.arrive("/buy/extend?s=1"))
      [PASS]?.attributes.find((a) => a.startsWith("Max-Age"))
      ?.slice(8) ?? 150,
  );
  assert.ok(maxAge <= 151);
});

test("c12_one_person_in_many_tabs: one number, one fence, however many land at once", async (t) => {
  const world = await startWorld(t, { room: { permits: 3, walk_in: false } });
  const visitor = world.visitor();
  await visitor.join();
  await visitor.join();
  await eventually(async () => (await visitor.status()).json.state === "called");
  const cookie = visitor.jar.header();
  const headers = { cookie, accept: "text/html" };
  const answers = await Promise.all(Array.from({ length: 8 }, () => raw(world.baton.port, "/buy/echo", { headers })));
  const fences = new Set(answers.map((answer) => JSON.parse(answer.body).headers["baton-fence"]));
  assert.equal(fences.size, 1);
});

test("c11_a_claim_whose_answer_was_lost: whoever still is the visitor gets the same lease back by coming to the page", async (t) => {
  const world = await startWorld(t, { room: { permits: 1 } });
  const visitor = await admitted(world);
  const fence = (await visitor.arrive("/buy/echo")).json.headers["baton-fence"];
  visitor.jar.delete(PASS);
  const back = await visitor.arrive("/buy/echo");
  assert.equal(back.json.headers["baton-fence"], fence);
  visitor.jar.delete(PASS);
  visitor.jar.delete(TICKET);
  assert.equal((await visitor.arrive("/buy/echo")).json.headers["baton-fence"], fence);
});

test("a hundred requests at once with one pass that is due: all forwarded, few renewals", async (t) => {
  const origin = await startOrigin(t, (request, response) => response.end(request.headers["baton-fence"]));
  const world = await startWorld(t, { origin: origin.url, room: { pass_ttl_s: 1, lease_idle_s: 60 } });
  const visitor = await admitted(world);
  await until(passTimes(visitor.cookie("pass")).freshUntil - 400);
  const headers = { cookie: visitor.jar.header(), accept: "text/html" };
  const answers = await Promise.all(Array.from({ length: 100 }, () => raw(world.baton.port, "/buy/", { headers })));
  const [{ body: fence }] = answers;
  assert.match(fence, /^\d{13}$/);
  assert.ok(answers.every(({ status, body }) => status === 200 && body === fence));
});

test("c13_rotation: the previous secret still opens what it signed; without it a stranger's pass is worth nothing", async (t) => {
  const [old, fresh] = ["old-secret-old-secret-old-secret-32", "new-secret-new-secret-new-secret-32"];
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-rotate-"));
  const world = await startWorld(t, { vars: { BATON_SECRET: old }, runtime: { dataDir } });
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const visitor = await admitted(world);
  await world.baton.restart({ vars: { BATON_SECRET: fresh, BATON_SECRET_PREVIOUS: old } });
  assert.equal((await visitor.arrive()).state, "shop");
  await world.baton.restart({ vars: { BATON_SECRET: fresh, BATON_SECRET_PREVIOUS: undefined } });
  const headers = { cookie: visitor.jar.header(), accept: "application/json" };
  assert.equal((await raw(world.baton.port, "/buy/", { headers })).status, 429);
});
