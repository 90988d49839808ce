// Webhooks on the real runtime: what rooms and the house do is told to a receiver, signed, at least once and in order; what it does
// not take lies at the desk; and no room waits for any of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { housed, ROOM } from "./support/housed.mjs";
import { SECRET, KEY, signatureOf, startReceiver } from "./support/receiver.mjs";
import { eventually } from "./support/world.mjs";

const CRM = { name: "crm", url: "https://hooks.example.net/baton" };

async function told(t, { webhooks = [CRM], answer, vars = {}, ...options } = {}) {
  const receiver = await startReceiver(t, answer);
  const world = await housed(t, { ...options, vars: { WEBHOOKS: webhooks, WEBHOOK_SECRET: SECRET, WEBHOOK_STAND_IN: receiver.url, ...vars } });
  const crm = async () => (await world.house.call("webhooks").then(({ text }) => JSON.parse(text))).find(({ name }) => name === "crm");
  const came = (type, count = 1) =>
    eventually(() => receiver.of(type).length >= count && receiver.of(type), { what: `${count} × ${type}`, timeoutMs: 30_000 });
  return { ...world, receiver, crm, came };
}

test("what operators do is told, signed, once, with an id that says where it stands", async (t) => {
  const { house, receiver, came } = await told(t);
  assert.equal((await house.call("webhooks")).status, 200);
  await house.patch("onsale", { mode: "paused", permits: 7 });
  const [mode] = await came("room.mode_changed");
  const [settings] = await came("room.settings_changed");
  assert.deepEqual(mode.json.data, { room: "onsale", edition: 1, row: mode.json.data.row, from: "open", to: "paused" });
  assert.deepEqual([settings.json.data.keys, settings.json.data.values], [["mode", "permits"], { mode: "paused", permits: 7 }]);
  assert.ok(!settings.text.includes("operator"), "who did it is told only where the file says so");
  assert.match(mode.id, new RegExp(`^onsale-auto-1_1_${mode.json.data.row}_room-mode-changed$`));
  assert.equal(mode.path, "/hooks.example.net/baton");
  assert.deepEqual([mode.method, mode.headers["content-type"]], ["POST", "application/json"]);
  for (const message of receiver.messages) {
    assert.deepEqual(message.signatures, [signatureOf(message)]);
    assert.ok(Math.abs(message.at_s - Date.now() / 1_000) < 60, "the form's receivers refuse old times");
    assert.ok(Math.abs(Date.parse(message.json.timestamp) - Date.now()) < 60_000);
  }
  await house.put("spring", ROOM);
  assert.deepEqual((await came("house.changed"))[0].json.data, { row: 1, rooms: [{ room: "spring", does: "defined" }] });
  await house.patch("spring", { mode: "closed" });
  await eventually(() => receiver.of("room.mode_changed").some(({ json }) => json.data.room === "spring"), {
    what: "a room of the house",
    timeoutMs: 30_000,
  });
  const ids = receiver.messages.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "a receiver that takes everything gets everything once");
});

test("two secrets sign while one takes the other's place, and a webhook's own goes before the one for all", async (t) => {
  const other = Buffer.alloc(32, 9);
  const both = `whsec_${other.toString("base64")} ${SECRET}`;
  const { house, came } = await told(t, { webhooks: [{ ...CRM, operators: true }], vars: { WEBHOOK_SECRET: "wrong", WEBHOOK_SECRET_CRM: both } });
  await house.call("webhooks");
  await house.patch("onsale", { permits: 7 });
  const [message] = await came("room.settings_changed");
  assert.deepEqual(message.signatures, [signatureOf(message, other), signatureOf(message, KEY)]);
  assert.equal(message.json.data.by, "operator");
});

test("what is not taken comes again under its id, in order, also after a kill; another webhook does not wait", async (t) => {
  let isDown = true;
  const answer = ({ path }, response) => response.writeHead(isDown && path.startsWith("/hooks.") ? 503 : 200).end();
  const { house, receiver, baton, crm } = await told(t, { answer, webhooks: [CRM, { name: "log", url: "https://log.example.org/" }] });
  await house.call("webhooks");
  await house.patch("onsale", { mode: "paused" });
  await house.patch("onsale", { mode: "open" });
  const at = (host) => receiver.messages.filter(({ path }) => path.startsWith(`/${host}`));
  await eventually(() => at("log.").length === 4, { what: "four at the other" });
  await eventually(async () => (await crm()).failed?.why === "answered 503", { what: "a failure at the desk" });
  assert.equal((await crm()).pending, 4);
  assert.equal(new Set(at("hooks.").map(({ id }) => id)).size, 1, "the others wait for the first");
  await baton.restart({ signal: "SIGKILL" });
  isDown = false;
  await house.call("webhooks");
  await eventually(async () => (await crm()).pending === 0, { what: "the rest, after the kill", timeoutMs: 30_000 });
  const firsts = (host) => [...new Set(at(host).map(({ id }) => id))];
  assert.deepEqual(firsts("hooks."), firsts("log."));
  const [first] = firsts("hooks.");
  assert.ok(at("hooks.").filter(({ id }) => id === first).length >= 2, "the same id each time");
});

test("a nudge that is lost, and rows that are gone, leave nothing stuck", async (t) => {
  const { house, baton, came } = await told(t);
  await house.call("webhooks");
  await house.patch("onsale", { permits: 3 });
  await came("room.settings_changed");
  // Killed within the quarter of a second before the nudge: the look of the next alarm finds the row.
  await house.patch("onsale", { permits: 4 });
  await baton.restart({ signal: "SIGKILL" });
  await house.call("webhooks");
  const all = await came("room.settings_changed", 2);
  assert.deepEqual(all.at(-1).json.data.values, { permits: 4 });
});

test("an operator tries a webhook, and one without a good secret is not sent and says why", async (t) => {
  const { house, came, crm, receiver } = await told(t, {
    webhooks: [
      { ...CRM, rooms: ["onsale"], kinds: ["room.reset"] },
      { name: "mute", url: "https://mute.example.org/" },
    ],
    vars: { WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_CRM: SECRET },
  });
  assert.equal((await house.call("webhooks/crm/test", { method: "POST" })).status, 200);
  await came("webhook.test");
  const { pending, rooms, kinds, failing_since_ms: failingMs } = await crm();
  assert.deepEqual({ pending, rooms, kinds, failingMs }, { pending: 0, rooms: ["onsale"], kinds: ["room.reset"], failingMs: null });
  assert.equal((await house.call("webhooks/none/test", { method: "POST" })).status, 404);
  assert.equal((await house.call("webhooks/mute/test", { method: "POST" })).status, 200);
  const mute = await eventually(async () => JSON.parse((await house.call("webhooks")).text).find(({ name, failed }) => name === "mute" && failed), {
    what: "why",
  });
  assert.match(mute.failed.why, /is not set/);
  assert.ok(mute.failing_since_ms > 0 && mute.failing_since_ms <= mute.failed.at_ms);
  assert.deepEqual([mute.rooms, mute.kinds], [[], []]);
  assert.equal(receiver.messages.length, 1);
});

test("a turn with visitors alone nudges nobody", async (t) => {
  const { house, receiver, guest, logs } = await told(t, {
    rooms: { onsale: { paths: ["/buy/*"], permits: 1, tick_ms: 50 } },
    vars: { GROUNDS: undefined },
  });
  await house.call("webhooks");
  await house.patch("onsale", { permits: 2 });
  await eventually(() => receiver.of("room.settings_changed").length === 1, { what: "the change" });
  for (let at = 0; at < 5; at++) await guest("/buy/1").arrive();
  const {
    json: { report },
  } = await house.call("rooms/onsale");
  assert.ok(report.next_number >= 3, "people came");
  assert.equal(receiver.messages.length, 1, "and nobody was told");
  assert.doesNotMatch(logs(), /outbox_unreachable|journal_unread|background_failed/);
});
