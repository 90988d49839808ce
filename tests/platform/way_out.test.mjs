// The way out, while people wait: everybody reaches a shop that asks for proofs, pages are told to go in, and who waited has the
// place again when Baton is back.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";
import { wranglerConfig } from "../../scripts/settings.mjs";
import { wayOut } from "../../scripts/way_out.mjs";
import { headerFor } from "../../src/way_out/forward.js";
import { eventually, startOrigin, startWorld } from "../runtime/support/world.mjs";

const FORWARD = inRoot("src", "way_out", "forward.js");
const DEPLOY_MS_MAX = 30_000;

for (const service of [false, true]) {
  test(`everybody is let through, ${service ? "by a service binding" : "by URL"}; afterwards the line is as it was`, {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-way-out-"));
    t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
    const it = await startWorld(t, { room: { permits: 1, claim_within_s: 60, lease_idle_s: 600, grace_s: 600 }, service, runtime: { dataDir } });
    const holder = it.visitor();
    assert.equal((await holder.arrive()).state, "shop");
    await holder.arrive();
    const waiter = it.visitor();
    await waiter.arrive();
    await waiter.status();
    await waiter.join();
    const { number } = waiter;
    await it.baton.restart({ signal: "SIGTERM", wrapper: FORWARD });
    const told = await it.raw("/__baton/onsale/status", { headers: { cookie: waiter.jar.header() } });
    assert.deepEqual([told.status, JSON.parse(told.body).mode], [200, "bypass"], "the page that waits goes in");
    for (const visitor of [holder, waiter, it.visitor()]) {
      const { status, state } = await visitor.arrive();
      assert.deepEqual([status, state], [200, "shop"]);
    }
    const echoed = await it.raw("/buy/echo?a=%2F..", {
      method: "POST",
      headers: {
        cookie: `a=1; ${waiter.jar.header()}; b=2`,
        "Baton-Fence": "7",
        Baton_Room: "x",
        "Baton-Proof": "x",
        "Baton-Target": "/evil",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-For": "6.6.6.6 (evil)",
        "CF-Connecting-IP": "192.0.2.9",
        X_Forwarded_Host: "evil.example",
      },
      body: "whole",
    });
    const echo = JSON.parse(echoed.body);
    assert.deepEqual(
      [echoed.status, echo.body, echo.path, echo.headers.cookie, echo.headers["baton-fence"], echo.headers["baton-target"]],
      [200, "whole", "/buy/echo?a=%2F..", "a=1; b=2", undefined, "/buy/echo?a=%2F.."],
    );
    assert.doesNotMatch(JSON.stringify(echo.headers), /evil|baton_room/);
    assert.equal(echo.headers["x-forwarded-for"], "192.0.2.9");
    const redirected = async (to) => (await it.raw(`/buy/redirect?status=302&to=${to}`)).headers.location;
    assert.equal(await redirected(`${it.shop.url}/x?y`), service ? `${it.shop.url}/x?y` : `${it.baton.url}/x?y`);
    assert.equal(await redirected("/x"), "/x");
    assert.equal(it.shop.stats().refused, 0, "the shop takes the proofs");
    assert.equal((await it.raw("/__baton/onsale/socket", { headers: { upgrade: "websocket", connection: "upgrade" } })).status, 503);
    await it.baton.restart({ signal: "SIGTERM", wrapper: null });
    assert.deepEqual(await waiter.status().then(({ json }) => [json.state, json.number]), ["waiting", number]);
    await holder.request("/buy/release");
    await eventually(async () => (await waiter.status()).json.state === "called", { timeoutMs: 30_000, what: "the call" });
  });
}

test("each host has its origin there too, and a host that is not named goes to the zone's own", { timeout: 60_000 }, async (t) => {
  const [a, b] = await Promise.all(
    ["a", "b"].map((name) => startOrigin(t, (request, response) => response.end(`${name} ${request.headers["x-forwarded-host"]}`))),
  );
  const ORIGIN = { "Tickets.example.com": a.url, "booking.example.com:8443": b.url };
  const it = await startWorld(t, { vars: { ORIGIN }, runtime: { wrapper: FORWARD } });
  const told = async (host) => (await it.raw("/buy/", { headers: { host } })).body;
  assert.equal(await told("tickets.example.com:81"), "a tickets.example.com:81");
  assert.equal(await told("booking.example.com:8443"), "b booking.example.com:8443");
  assert.equal(await told(new URL(b.url).host), "b undefined", "asked at its own address");
});

test("the origin's own address in its answers is the visitors', by the same table as Baton's", () => {
  const table = JSON.parse(readFileSync(inRoot("tests", "fixtures", "relocations.json"), "utf8"));
  const rows = table.flatMap(({ about, origin, visitors, header, changed = [], left = [] }) =>
    [...changed, ...left.map((value) => [value])].map(([value, expected]) => ({ about, origin, visitors, header, value, expected })),
  );
  assert.ok(rows.length >= 100, `${rows.length} rows`);
  for (const { about, origin, visitors, header, value, expected } of rows)
    assert.equal(headerFor(header, value, origin, visitors), expected, `${about}: ${header}: ${value}`);
});

test("redirects, Refresh, Content-Location and cookies of the origin lead to the visitors' address there", { timeout: 60_000 }, async (t) => {
  const origin = await startOrigin(t, (request, response) => {
    const own = `http://${request.headers.host}`;
    response.writeHead(201, {
      location: `${own}/a`,
      refresh: `5; url="${own}/b"`,
      "content-location": `${own}/c`,
      "set-cookie": ["a=1; Domain=127.0.0.1; Path=/", "b=2; Domain=other.example"],
    });
    response.end(own);
  });
  const it = await startWorld(t, { origin: origin.url, runtime: { wrapper: FORWARD } });
  const { status, headers, body } = await it.raw("/buy/", { headers: { host: "tickets.example.com" } });
  assert.deepEqual([status, body], [201, origin.url.replace(/\/$/, "")], "the body is left");
  const to = "http://tickets.example.com";
  assert.deepEqual(
    [headers.location, headers.refresh, headers["content-location"], headers["set-cookie"]],
    [`${to}/a`, `5; url="${to}/b"`, `${to}/c`, ["a=1; Path=/", "b=2; Domain=other.example"]],
  );
});

test("wrangler takes it without anything built, well within thirty seconds", { timeout: 120_000 }, (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-way-out-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { assets: _, ...config } = wayOut(wranglerConfig());
  assert.deepEqual(Object.keys(config.vars), ["ORIGIN"]);
  assert.equal(config.name, wranglerConfig().name);
  writeFileSync(path.join(folder, "wrangler.json"), JSON.stringify(config));
  const since = Date.now();
  const dry = spawnSync(
    npmProgram("wrangler"),
    ["deploy", "--dry-run", "--config", path.join(folder, "wrangler.json"), "--outdir", path.join(folder, "out")],
    { env: toolEnv({ WRANGLER_SEND_METRICS: "false", CI: "1" }), encoding: "utf8" },
  );
  assert.equal(dry.status, 0, dry.stdout + dry.stderr);
  console.log(`the way out, but for the upload: ${((Date.now() - since) / 1000).toFixed(1)} s`);
  assert.ok(Date.now() - since < DEPLOY_MS_MAX);
});
