// The operator of the scripted sale against a room that only remembers, and the receiver against a sender that knows another secret.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { startHook } from "../../scripts/sale/receiver.mjs";
import { brandOf } from "../../scripts/sale/house.mjs";
import { CHANGES, Operator } from "../../scripts/sale/story.mjs";
import { until } from "../../scripts/sale/until.mjs";
import { signatureOf } from "../runtime/support/receiver.mjs";

/** A server that answers `answer(request, text)`: `{ status, json }`. */
async function serve(t, answer) {
  const server = http.createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    const { status, json } = answer(request, text);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close() && server.closeAllConnections());
  return `http://127.0.0.1:${server.address().port}`;
}

test("the operator pauses when the shop is slow, goes on, puts a near end off as long as seats are left, and stops at the last one", async (t) => {
  const patches = [];
  let left = 100;
  const url = await serve(t, (_request, text) => {
    patches.push(JSON.parse(text));
    if (patches.length === 4) left = 0;
    return { status: 200, json: { report: {} } };
  });
  const operator = new Operator({ url, room: "onsale", token: "t" });
  // So near that its end would come before the shop is quick again.
  const at = Date.now() - 14_000;
  const later = (ms) => [{ at: new Date(at + ms).toISOString(), set: { mode: "sold_out" } }];
  const schedule = later(0);
  left = 75;
  const inForce = await operator.steer({
    seats: () => ({ left, total: 100 }),
    isOver: () => false,
    schedule,
    later,
    signal: AbortSignal.timeout(20_000),
  });
  assert.deepEqual(patches, [CHANGES.slow, CHANGES.again, { schedule: later(15_000) }, { schedule: later(30_000) }, CHANGES.last]);
  assert.deepEqual(operator.done, patches);
  assert.deepEqual(inForce, later(30_000));
});

test("an operator who is let in elsewhere says so", async (t) => {
  const url = await serve(t, ({ method, url: path }) => ({ status: method === "PATCH" && path.endsWith("/rooms/lounge") ? 200 : 403, json: {} }));
  const tries = await new Operator({ url, room: "onsale", token: "t" }).trespass({ other: "lounge", name: "noor", table: { role: "operate" } });
  assert.deepEqual(
    tries.filter(({ status }) => status !== 403),
    [{ what: "PATCH rooms/lounge", status: 200 }],
  );
  assert.equal(tries.length, 5);
});

test("the receiver believes its own secret and new messages alone, and refuses the first word of the draw", async (t) => {
  const hook = await startHook();
  t.after(hook.stop);
  const key = Buffer.from(hook.vars.WEBHOOK_SECRET.slice("whsec_".length), "base64");
  const send = async (id, type, { signedBy = key, ageS = 0 } = {}) => {
    const [text, at] = [JSON.stringify({ type, timestamp: "2026-12-01T10:00:00Z", data: { row: 1 } }), Math.floor(Date.now() / 1_000) - ageS];
    const headers = { "webhook-id": id, "webhook-timestamp": `${at}`, "webhook-signature": signatureOf({ id, at_s: at, text }, signedBy) };
    return (await fetch(`${hook.vars.WEBHOOK_STAND_IN}/hooks.example.net/baton`, { method: "POST", headers, body: text })).status;
  };
  const all = hook.until((heard) => heard.length === 5, 10_000);
  assert.deepEqual(
    [await send("a", "room.opened"), await send("b", "room.opened", { signedBy: Buffer.alloc(32) }), await send("c", "room.opened", { ageS: 400 })],
    [204, 204, 204],
  );
  assert.deepEqual([await send("d", "room.drawn"), await send("d", "room.drawn")], [503, 204]);
  await all;
  assert.deepEqual(
    hook.heard().map(({ id, isSigned, isTaken }) => [id, isSigned, isTaken]),
    [
      ["a", true, true],
      ["b", false, true],
      ["c", false, true],
      ["d", true, false],
      ["d", true, true],
    ],
  );
});

test("a page's brand is what people see of it; a page without one has none", () => {
  const page = (title, style) => `<head>${style}</head><body><header>\n<svg></svg>\n<p>${title}<span></span></p>\n</header><h1>You are in line</h1>`;
  assert.deepEqual(brandOf(page("Spring Tour", "<style>:root{--accent:#c2410c}</style>")), { title: "Spring Tour", accent: "#c2410c" });
  assert.deepEqual(brandOf(page("Waiting room", "<style></style>--accent:#c2410c")), { title: "Waiting room", accent: undefined });
  assert.deepEqual(brandOf("<p>an error</p>"), { title: undefined, accent: undefined });
});

test("what does not happen is named, with the place and the cure", async () => {
  await assert.rejects(
    until(() => false, { what: "the page", where: "http://here", cure: "try again", withinMs: 1 }),
    /the page did not happen within 0.001 s at http:\/\/here\n {2}cure: try again/,
  );
  let looks = 0;
  assert.equal(await until(() => (looks += 1) === 3 && "found", { withinMs: 5_000 }), "found");
});
