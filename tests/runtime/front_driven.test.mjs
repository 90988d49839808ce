// A visitor's call that JavaScript makes for the front (src/edge/driven.rs) and one that waits by promises are one call: byte for byte the same answer. And
// the first crosses the border of wasm seldom.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { eventually, raw, startWorld } from "./support/world.mjs";

/** A status poll crossed seventy times while the front and its lobby waited by promises. */
const CROSSINGS_MAX = 36;
const ASKED = 50;
const WAYS = inRoot("tests", "runtime", "support", "ways.js");
const ROOM = { permits: 1, walk_in: false, claim_within_s: 600, app_origins: ["https://app.example"] };

/** What those in line call: method, path and headers. Each may be sent again and again. */
const CALLS = [
  ["GET", "status"],
  ["HEAD", "status"],
  ["GET", "status?wait_s=1"],
  ["POST", "join"],
  ["POST", "claim"],
  ["POST", "take"],
  ["POST", "carry"],
  ["POST", "verify"],
  ["POST", "join", { accept: "text/html", "content-type": "application/x-www-form-urlencoded" }],
  ["POST", "enter", { origin: "https://app.example" }],
  ["GET", "status", { cookie: "" }],
  ["GET", "status", { cookie: "baton-visitor=x" }],
];

/** What the clock and the die change. */
const alike = ({ status, rawHeaders, body }) => ({
  status,
  headers: rawHeaders
    .join("\n")
    .replace(/((?:visitor|pass)=)[\w-]+/g, "$1…")
    .replace(/Max-Age=\d+/g, "Max-Age=…"),
  body: body.replace(/"(version|credentials|\w+_at_ms)":("[^"]*"|\d+)/g, '"$1":…').replace(/(\/carry\/)[\w-]+/, "$1…"),
});

test("a call that JavaScript makes and one that waits by promises have the same answer", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, { room: ROOM, runtime: { wrapper: WAYS } });
  const { port, url } = world.baton;
  const [called, waiting] = [world.visitor(), world.visitor()];
  for (const visitor of [called, waiting]) {
    await visitor.status();
    await visitor.join();
  }
  await eventually(async () => (await called.status()).json.state === "called", { what: "the call" });
  const turn = (way) => raw(port, `/test/way/${way}`);
  const asked = async () => Number((await raw(port, "/test/asked")).body);
  const ask = (visitor, [method, path, more = {}]) => {
    const cookie = visitor.jar.header();
    const shown = more.origin ? { "baton-credentials": cookie.replaceAll("baton-", "") } : { cookie, origin: url };
    return raw(port, `/__baton/onsale/${path}`, { method, headers: { accept: "application/json", "content-length": "0", ...shown, ...more } });
  };
  for (const visitor of [waiting, called]) {
    for (const call of CALLS) {
      await turn("straight");
      const driven = alike(await ask(visitor, call));
      await turn("long");
      assert.deepEqual(driven, alike(await ask(visitor, call)), call.join(" "));
      assert.equal(await asked(), 0, "the switch works");
    }
  }
  await turn("straight");
  await ask(waiting, CALLS[0]);
  assert.equal(await asked(), 1, "JavaScript made the call");
});

test("a status poll crosses the border of wasm seldom", async (t) => {
  const wrapper = ["border.js", "border_counts.js"].map((name) => inRoot("bench", "lib", name));
  const world = await startWorld(t, { room: ROOM, runtime: { wrapper } });
  const visitor = world.visitor();
  await visitor.status();
  await visitor.join();
  const poll = async () => assert.equal((await visitor.status()).status, 200);
  const crossed = async () => JSON.parse((await world.raw("/bench/border")).body);
  for (let warm = 0; warm < 3; warm += 1) await poll();
  await eventually(async () => Object.keys(await crossed()).length === 0, { everyMs: 300, what: "quiet" });
  for (let sent = 0; sent < ASKED; sent += 1) await poll();
  const counts = await crossed();
  const each = Object.values(counts).reduce((sum, count) => sum + count, 0) / ASKED;
  assert.ok(each > 2 && each <= CROSSINGS_MAX, `${each} crossings a poll: ${JSON.stringify(counts)}`);
});
