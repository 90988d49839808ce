// The origin is down: people get a page in their language, programs an error that they can read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { locales } from "../../scripts/assets.mjs";
import { setCookies, startOrigin } from "../runtime/support/world.mjs";
import { startPlatform } from "./platform.mjs";

const PAGE = { accept: "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const AWAY = "http://127.0.0.1:9";

test("people see a page in each of the languages, which looks again by itself, not all at once", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { origin: AWAY });
  const pauses = new Set();
  for (const { lang, dir } of await locales()) {
    const { status, headers, body } = await it.raw("/open/?a=1", { headers: { ...PAGE, "accept-language": lang } });
    assert.deepEqual([status, headers["content-language"], headers["cache-control"]], [502, lang, "private, no-store"]);
    assert.match(body, new RegExp(`<html lang="${lang}" dir="${dir}">`));
    assert.match(body, /<a class="button" href="">/, "the same address, its query too");
    assert.equal(headers.refresh, headers["retry-after"]);
    pauses.add(Number(headers.refresh));
  }
  assert.ok(pauses.size > 3 && Math.min(...pauses) >= 20 && Math.max(...pauses) <= 40, [...pauses].join(" "));
});

test("who is inside keeps the lease and the cookie; what was sent is not sent again by itself", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { origin: AWAY, room: { permits: 1 } });
  const inside = await it.raw("/buy/", { headers: PAGE });
  assert.equal(inside.status, 502);
  assert.ok(setCookies(inside)["baton-onsale-pass"], "the pass comes with the page");
  const sent = await it.raw("/open/", { method: "POST", headers: PAGE, body: "x" });
  assert.deepEqual([sent.status, sent.headers.refresh], [502, undefined]);
  const head = await it.raw("/open/", { method: "HEAD", headers: PAGE });
  assert.deepEqual([head.status, head.body], [502, ""]);
});

test("programs get an error of the contract", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { origin: AWAY });
  const answer = await it.raw("/open/", { headers: { accept: "application/json" } });
  assert.equal(JSON.parse(answer.body).error.code, "origin_unreachable");
});

test("what the platform says in the name of a dead origin is the page; what the origin itself says is passed on", { timeout: 60_000 }, async (t) => {
  const origin = await startOrigin(t, (request, response) => response.writeHead(Number(request.url.slice(6))).end("theirs"));
  const it = await startPlatform(t, { origin: origin.url });
  for (const status of [520, 521, 522, 523, 524, 525, 526, 530]) {
    const answer = await it.raw(`/open/${status}`, { headers: PAGE });
    assert.equal(answer.status, 502, String(status));
    assert.match(answer.body, /data-state="down"/, String(status));
  }
  for (const status of [500, 502, 503, 504, 529])
    assert.deepEqual(await it.raw(`/open/${status}`, { headers: PAGE }).then(({ status, body }) => [status, body]), [status, "theirs"]);
});

test("without the page's files it is the error, and never a 500", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { origin: AWAY, runtime: { assetsDir: null } });
  const answer = await it.raw("/open/", { headers: PAGE });
  assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [502, "origin_unreachable"]);
});
