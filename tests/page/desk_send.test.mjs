// What the desk makes of an answer that does not come to its end: none, and never an empty one.

import assert from "node:assert/strict";
import { test } from "node:test";

/** The desk's own module, with what it has of a browser. `answer`: what `fetch` resolves to. */
async function sends(answer) {
  Object.assign(globalThis, { document: { documentElement: { dataset: { base: "/__baton/admin/" } } }, fetch: async () => answer });
  const { send } = await import("../../web/desk/send.js");
  return send("GET", "rooms");
}
const cut = async () => {
  throw new TypeError("terminated");
};

test("an answer that is cut off is no answer", () =>
  assert.rejects(sends({ ok: true, status: 200, text: cut }), ({ name, status }) => name === "Error" && status === 0));

test("an error is known by its status though its words are lost", () =>
  assert.rejects(sends({ ok: false, status: 503, text: cut }), ({ status, message }) => status === 503 && message === "503"));

test("an answer without words is null, and one with words is what they say", async () => {
  assert.equal(await sends({ ok: true, status: 204, text: async () => "" }), null);
  assert.deepEqual(await sends({ ok: true, status: 200, text: async () => '{"rooms":[]}' }), { rooms: [] });
});
