// What is notable is one line of JSON out of a closed list (docs/logs.md), and nothing of a visitor's is in it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { coded, logged } from "../support/logs.mjs";
import { eventually } from "./harness.mjs";
import { startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "an operator's token that nobody guesses";
const LIST = new Map(
  readFileSync(inRoot("docs", "logs.md"), "utf8")
    .split("\n## `")
    .slice(1)
    .flatMap((section) => {
      const [, level] = /^(\w+)/.exec(section);
      return [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code, message]) => [code, { level, message }]);
    }),
);

/** Every line is one of the list, at its level, with its words. */
function isOfTheList(logs) {
  for (const { code, level, message, part, ...rest } of logged(logs)) {
    assert.deepEqual({ level, message }, LIST.get(code), `${code} is in the list`);
    assert.ok(["front", "lobby", "room", "isolate"].includes(part), part);
    for (const field of Object.keys(rest)) assert.ok(["room", "lobby", "count", "by", "header", "why"].includes(field), field);
  }
}

test("what an operator does is in the log with name and keys, without values; and a room that wakes", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const visitor = world.visitor();
  await visitor.arrive();
  await visitor.arrive();
  const admin = (path, options) => world.raw(`/__baton/admin/rooms/onsale${path}`, { ...options, headers: { authorization: `Bearer ${TOKEN}` } });
  const patched = await admin("", { method: "PATCH", body: JSON.stringify({ permits: 7, message: "a word to everybody" }) });
  assert.equal(patched.status, 200);
  const ended = await admin("/tickets/1/release", { method: "POST" });
  assert.equal(ended.status, 204);
  await eventually(async () => coded(world.logs(), "ticket_ended").length > 0, { what: "the ticket's end" });
  const [woke] = coded(world.logs(), "room_woke");
  assert.deepEqual([woke.room, woke.part], ["onsale", "room"]);
  assert.ok(Number.isInteger(woke.count));
  const [changed] = coded(world.logs(), "live_changed");
  assert.deepEqual([changed.room, changed.by, changed.why.split(", ").sort()], ["onsale", "operator", ["message", "permits"]]);
  assert.ok(!world.logs().includes("a word to everybody"));
  assert.equal(coded(world.logs(), "ticket_ended")[0].by, "operator");
  isOfTheList(world.logs());
});

test("a shop that is not believed is in the log once, an origin that is away each time, and no visitor is", { timeout: 60_000 }, async (t) => {
  const origin = await startOrigin(t, (request, response) => {
    if (request.url.includes("gone")) return request.socket.destroy();
    response.setHeader("baton-stock", "12");
    response.end("ok");
  });
  const world = await startWorld(t, { room: { stock_line: true }, origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive();
  for (let i = 0; i < 5; i += 1) assert.equal((await visitor.arrive("/buy/?my=own-words")).status, 200);
  for (let i = 0; i < 2; i += 1) assert.equal((await visitor.arrive("/buy/gone?my=own-words")).status, 502);
  await eventually(async () => coded(world.logs(), "origin_unreachable").length === 2, { what: "two lines" });
  const away = coded(world.logs(), "origin_unreachable");
  assert.deepEqual(
    away.map(({ level, room }) => [level, room]),
    [
      ["error", "onsale"],
      ["error", "onsale"],
    ],
  );
  const refused = coded(world.logs(), "stock_refused");
  assert.deepEqual(
    refused.map(({ level, why }) => [level, why]),
    [["warn", "Malformed"]],
  );
  isOfTheList(world.logs());
  const ours = logged(world.logs())
    .map((line) => JSON.stringify(line))
    .join("\n");
  for (const name of visitor.jar.names()) assert.ok(!ours.includes(visitor.jar.get(name)), `${name} is in the log`);
  assert.ok(!ours.includes("own-words") && !ours.includes("127.0.0.1"), "no address, no URL");
});

test("a client's header that stays is in the log by its name, once, and its value is not", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  for (let i = 0; i < 2; i += 1)
    await world.raw("/open", { headers: { SCRIPT_NAME: "/of-somebody", "X-Real-IP": "10.0.0.1", "Remote-User": "somebody", "Baton-Fence": "9" } });
  await eventually(async () => coded(world.logs(), "header_stays").length === 3, { what: "three lines" });
  const told = coded(world.logs(), "header_stays")
    .map(({ level, header, why }) => [level, header, why])
    .sort();
  assert.deepEqual(told, [
    ["info", "remote-user", "a user or a certificate"],
    ["info", "script_name", "a character that CGI reads as a hyphen"],
    ["info", "x-real-ip", "an address"],
  ]);
  for (let i = 0; i < 100; i += 1) await world.raw("/open", { headers: { [`x-${i}-path`]: "/" } });
  await eventually(async () => coded(world.logs(), "header_stays").length === 64, { what: "as many lines as an isolate says" });
  assert.ok(!/10\.0\.0\.1|of-somebody/.test(world.logs()));
  isOfTheList(world.logs());
});

test("a configuration that is wrong is a line for each problem", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { rooms: { onsale: { paths: ["/buy/*"], permits: -1, hosts: ["not a host"] } } });
  assert.equal((await world.raw("/buy/")).status, 503);
  await eventually(async () => coded(world.logs(), "config_bad").length >= 2, { what: "the problems" });
  const said = coded(world.logs(), "config_bad").map(({ why }) => why);
  for (const key of ["permits", "hosts"])
    assert.ok(
      said.some((why) => why.includes(`ROOMS.onsale.${key}`)),
      key,
    );
  isOfTheList(world.logs());
});
