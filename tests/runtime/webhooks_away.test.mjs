// Whose turn comes while they are away, on the real runtime: a shop that asks for it is told once, by keys that it alone can read. The bounds with ten
// thousand people and a slow receiver are in tests/room_absent.rs.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { claimsOf, entry, shopKeys } from "../support/entry.mjs";
import { SECRET, signatureOf, startReceiver } from "./support/receiver.mjs";
import { eventually, startWorld } from "./support/world.mjs";

const keys = shopKeys();
const ADMIN = "the operator's token of this test, long enough";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const AWAY = { name: "mail", url: "https://mail.example.net/away", kinds: ["tickets.near", "tickets.called"] };
const ALL = { name: "log", url: "https://log.example.org/" };
const WITHIN = { timeoutMs: 60_000 };

/** `keyOf` as docs/webhooks.md writes it down for shops. */
async function keyOfTheDocs(t) {
  const docs = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  const [code] = /^ {4}import \{ createHash[\s\S]*?^ {4}\}$/m.exec(docs);
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-docs-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "key.mjs");
  writeFileSync(file, code.replaceAll(/^ {4}/gm, ""));
  return (await import(pathToFileURL(file))).keyOf;
}

/** A room in which anna is away, and bob and cyd, who has an account too, are there behind her. */
async function begin(t, answer) {
  const receiver = await startReceiver(t, answer);
  const settings = { entry: "optional", permits: 0, walk_in: false, linger_s: 1, tick_ms: 50, near_ahead: 1 };
  const vars = {
    ENTRY_KEYS: JSON.stringify([keys.shared]),
    BATON_ADMIN_TOKEN: ADMIN,
    WEBHOOKS: [AWAY, ALL],
    WEBHOOK_SECRET: SECRET,
    WEBHOOK_STAND_IN: receiver.url,
  };
  const world = await startWorld(t, { vars, room: settings });
  const operate = async (method, call, body) => {
    const url = new URL(`/__baton/admin/${call}`, world.baton.url);
    const told = await fetch(url, { method, headers: { authorization: `Bearer ${ADMIN}` }, body: body && JSON.stringify(body) });
    assert.equal(told.status, 200);
    return told.json();
  };
  const comes = async (sub) => {
    const visitor = world.visitor();
    if (sub) {
      const text = entry(claimsOf(sub, `127.0.0.1:${world.baton.port}`), keys.shared);
      assert.equal((await visitor.request(`/buy/?baton_entry=${text}`, { headers: PAGE })).status, 303);
    }
    await visitor.arrive();
    assert.equal((await visitor.join()).status, 201);
    return visitor;
  };
  await comes("anna");
  const there = [];
  for (const sub of [null, "cyd"]) {
    const visitor = await comes(sub);
    there.push(visitor);
    await visitor.openSocket();
    t.after(() => visitor.closeSocket?.());
  }
  await eventually(async () => (await operate("GET", "rooms/onsale")).report.away === 1, { what: "anna is away", ...WITHIN });
  const hook = async (name) => (await operate("GET", "webhooks")).find((one) => one.name === name);
  return { ...world, receiver, operate, hook, there };
}

test("a shop that asks for it is told once that a customer's turn came, and can tell whose", async (t) => {
  const { receiver, operate } = await begin(t);
  await operate("PATCH", "rooms/onsale", { permits: 1 });
  const [message] = await eventually(() => receiver.of("tickets.called").length > 0 && receiver.of("tickets.called"), {
    what: "a message",
    ...WITHIN,
  });
  const keyOf = await keyOfTheDocs(t);
  const { salt, accounts, ...data } = message.json.data;
  assert.deepEqual([data, accounts], [{ room: "onsale", edition: data.edition }, [keyOf({ sub: "anna" }, salt)]]);
  assert.notEqual(accounts[0], keyOf({ sub: "bob" }, salt));
  assert.deepEqual(message.signatures, [signatureOf(message)]);
  assert.equal(message.path, "/mail.example.net/away");
  // What the other webhook hears of the change says that the room goes on.
  await operate("PATCH", "rooms/onsale", { permits: 2 });
  await eventually(() => receiver.of("room.settings_changed").length >= 2, { what: "two changes at the other", ...WITHIN });
  assert.deepEqual(
    receiver.messages.filter(({ json }) => json.type.startsWith("tickets.")).map(({ path: at }) => at),
    ["/mail.example.net/away"],
    "once, to whoever names the kind, and of nobody who is there",
  );
});

/** Receivers that take nothing: what each does with what comes for the mail, and what the desk says of it. */
const DEAD = {
  "refuses it": [(response) => response.writeHead(500).end(), /^answered 500$/],
  "never answers": [() => {}, /timeout/],
};
for (const [what, [takes, why]] of Object.entries(DEAD))
  test(`a receiver that ${what} gets it once, nothing of it waits or lies anywhere, and the line goes on meanwhile`, async (t) => {
    const { receiver, operate, hook, there } = await begin(t, ({ path: at }, response) =>
      at.startsWith("/mail.") ? takes(response) : response.writeHead(204).end(),
    );
    await operate("PATCH", "rooms/onsale", { permits: 1 });
    await eventually(() => receiver.of("tickets.called").length > 0, { what: "a message", ...WITHIN });
    await operate("PATCH", "rooms/onsale", { permits: 2 });
    for (const visitor of there) await visitor.waitForState("called", WITHIN.timeoutMs);
    const failed = await eventually(async () => (await hook("mail")).failed, { what: "a failure at the desk", ...WITHIN });
    assert.match(failed.why, why);
    const { pending, dead } = await hook("mail");
    assert.deepEqual([pending, dead], [0, []]);
    assert.equal(receiver.of("tickets.called").length, 1);
  });
