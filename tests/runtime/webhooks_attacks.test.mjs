// Receivers that mean harm, and callers who may not: what a webhook's other end does costs nobody else anything.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { housed, ROOM } from "./support/housed.mjs";
import { SECRET, startReceiver } from "./support/receiver.mjs";
import { eventually } from "./support/world.mjs";

const BAD = { name: "bad", url: "https://bad.example.net/hook" };
const GOOD = { name: "good", url: "https://good.example.org/hook" };

/** A world with a bad receiver, which answers by `answer`, and a good one. */
async function beside(t, answer, { vars = {}, webhooks = [BAD, GOOD] } = {}) {
  const receiver = await startReceiver(t, (message, response) =>
    message.path.startsWith("/bad.") ? answer(message, response) : response.writeHead(204).end(),
  );
  const world = await housed(t, { vars: { WEBHOOKS: webhooks, WEBHOOK_SECRET: SECRET, WEBHOOK_STAND_IN: receiver.url, ...vars } });
  const hook = async (name) => JSON.parse((await world.house.call("webhooks")).text).find((each) => each.name === name);
  const at = (host) => receiver.messages.filter(({ path }) => path.startsWith(`/${host}.`));
  assert.equal((await world.house.call("webhooks")).status, 200);
  return { ...world, receiver, hook, at };
}

test("c184_a_redirect_is_not_followed: to this machine, to a private name, to Baton itself", async (t) => {
  const places = ["/elsewhere", "http://169.254.169.254/latest/meta-data/", "https://localhost/"];
  const statuses = [301, 302, 303, 307, 308];
  let count = 0;
  const { house, hook, at } = await beside(t, (_message, response) => {
    response.writeHead(statuses[count % statuses.length], { location: places[count % places.length] }).end();
    count += 1;
  });
  for (let each = 0; each < statuses.length; each++) {
    await house.call("webhooks/bad/test", { method: "POST" });
    const why = `answered ${statuses[each]}`;
    await eventually(async () => (await hook("bad")).failed?.why === why, { what: why });
  }
  assert.deepEqual(new Set(at("bad").map(({ path }) => path)), new Set(["/bad.example.net/hook"]), "nobody was sent elsewhere");
});

test("c185_a_house_room_with_the_webhooks_host: defined later, it is not called", async (t) => {
  const { house, hook, at } = await beside(t, (_message, response) => response.writeHead(204).end());
  await house.put("own", { ...ROOM, hosts: ["bad.example.net"] });
  await eventually(async () => (await house.call("webhooks/bad/test", { method: "POST" }), (await hook("bad")).failed), {
    what: "a refusal",
    everyMs: 200,
    timeoutMs: 80_000,
  });
  assert.match((await hook("bad")).failed.why, /Baton would call itself/);
  const before = at("bad").length;
  await house.call("webhooks/bad/test", { method: "POST" });
  await eventually(() => at("good").length > 0, { what: "the other" });
  assert.equal(at("bad").length, before);
});

test("c186_a_receiver_that_never_answers: it is given up, and neither rooms nor other webhooks wait", async (t) => {
  const { house, hook, at } = await beside(t, () => {});
  await house.call("webhooks/bad/test", { method: "POST" });
  await eventually(() => at("bad").length === 1, { what: "a message that hangs" });
  const began = performance.now();
  await house.patch("onsale", { permits: 2 });
  assert.ok(performance.now() - began < 2_000, "a room's turn does not wait");
  await eventually(() => at("good").length === 1, { what: "the other" });
  assert.ok(performance.now() - began < 10_000);
  await eventually(async () => (await hook("bad")).failed, { what: "the end of patience", timeoutMs: 25_000 });
  assert.ok(performance.now() - began < 20_000);
});

test("c187_an_answer_without_end: nobody reads it", async (t) => {
  const chunk = Buffer.alloc(65_536, 120);
  let written = 0;
  const closed = [];
  const { house, hook } = await beside(t, (_message, response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
    };
    response.on("drain", write).on("close", () => closed.push(written));
    write();
  });
  await house.call("webhooks/bad/test", { method: "POST" });
  await eventually(async () => (await hook("bad")).taken_at_ms, { what: "the status is enough" });
  await eventually(() => closed.length > 0, { what: "the end of the connection" });
  assert.ok(written < 64 * 1_048_576, `${written} bytes`);
});

test("c188_who_may_not_sends_nothing: a token to look with, a guess, nobody", async (t) => {
  const view = "a token to look with that nobody guesses";
  const sha256 = createHash("sha256").update(view).digest("hex");
  const { house, receiver } = await beside(t, (_message, response) => response.end(), {
    vars: { OPERATORS: [{ name: "mika", role: "view", sha256 }] },
  });
  for (const path of ["webhooks/bad/test", "webhooks/bad/again"]) {
    for (const [token, status] of [
      [view, 403],
      ["a guess of somebody who has no token", 401],
    ]) {
      const answer = await house.call(path, { method: "POST", headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, status, path);
    }
  }
  const list = await house.call("webhooks", { headers: { authorization: `Bearer ${view}` } });
  assert.equal(list.status, 200);
  assert.ok(!list.text.includes("whsec_"));
  assert.equal((await house.call("webhooks", { headers: { authorization: "Bearer x" } })).status, 401);
  assert.equal(receiver.messages.length, 0);
});

test("c189_a_secret_is_said_nowhere: not in a message, a list, a log or an answer", async (t) => {
  const { house, receiver, at, logs } = await beside(t, (_message, response) => response.writeHead(500).end(SECRET));
  await house.patch("onsale", { permits: 2 });
  await eventually(() => at("good").length === 1 && at("bad").length > 0, { what: "both" });
  const key = SECRET.slice("whsec_".length);
  const said = [
    receiver.messages.map(({ text, headers }) => text + JSON.stringify(headers)).join(),
    (await house.call("webhooks")).text,
    (await house.call("rooms")).text,
    logs(),
  ];
  for (const text of said) assert.ok(!text.includes(key));
});
