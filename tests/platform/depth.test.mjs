// How deep chains of calls between lobbies and room become. Cloudflare fails a call that would be the seventeenth of its chain;
// a stub goes on with the chain of the event that its maker began last.

import assert from "node:assert/strict";
import { test } from "node:test";
import { peers } from "../../src/edge/peers.js";
import { watch } from "../../src/edge/watchdog.js";
import { eventually } from "../runtime/support/world.mjs";
import { DEPTH, Limits } from "./limits.js";
import { startPlatform } from "./platform.mjs";

// Node is older than this.
Uint8Array.fromBase64 ??= (text) => new Uint8Array(Buffer.from(text, "base64"));

/** A lobby and a room that call each other as Baton's do, on the platform of `limits.js`. */
class Pair {
  limits = new Limits();
  #objects = { LOBBY: { at: 0 }, ROOM: { at: 0 } };
  #broken = new Set();

  /** An event of `who` begins by itself. */
  begins(who) {
    this.#objects[who].at = 0;
    watch.began(this.#objects[who]);
  }

  /** The next call to `who` throws. */
  breaks(who) {
    this.#broken.add(who);
  }

  deepest(who) {
    return peers.deepest(this.#objects[who]);
  }

  /** `who` calls the other, by a stub of its own or, as before there were such, by a new one. */
  async calls(who, { isKept = true } = {}) {
    const from = this.#objects[who];
    const to = who === "LOBBY" ? "ROOM" : "LOBBY";
    const namespace = { getByName: () => ({ fetch: async (_, { headers }) => this.#hears(to, headers) }) };
    const env = this.limits.around({ [to]: namespace }, () => from.at);
    return peers.post(isKept ? from : {}, env, [to, "x", " ", "room", 1_000, "", ""].join("\n"));
  }

  #hears(who, headers) {
    if (this.#broken.delete(who)) throw new Error("the object was reset");
    this.#objects[who].at = Number(headers.get(DEPTH));
    watch.began(this.#objects[who], { headers });
    return new Response("");
  }

  async play(rounds, how) {
    for (let round = 0; round < rounds; round += 1) for (const who of ["LOBBY", "ROOM"]) await this.calls(who, how);
    return this.limits.counts;
  }
}

test("with a new stub for each call two objects come to depth 16, with a kept one never", async () => {
  await assert.rejects(new Pair().play(9, { isKept: false }), /depth limit/);
  assert.equal((await new Pair().play(8, { isKept: false })).depth_max, 16);
  const pair = new Pair();
  assert.equal((await pair.play(1_000)).depth_max, 2);
  assert.deepEqual([pair.deepest("LOBBY"), pair.deepest("ROOM")], [2, 2], "each knows of the chain what it took part in");
});

test("a stub that threw is made anew, as deep as its maker is then, and a shallower event brings it up again", async () => {
  const pair = new Pair();
  await pair.play(1);
  pair.breaks("ROOM");
  await assert.rejects(pair.calls("LOBBY"), /was reset/);
  await pair.play(100);
  assert.equal(pair.limits.counts.depth_max, 3, "one step deeper, once");
  pair.limits.reset();
  for (const who of ["LOBBY", "ROOM"]) {
    pair.begins(who);
    await pair.calls(who);
  }
  pair.limits.reset();
  assert.equal((await pair.play(100)).depth_max, 1, "both begin anew");
});

test("a room of many lobbies that is busy: chains stay short, and the metrics say how long they were", { timeout: 120_000 }, async (t) => {
  const token = "operator-operator-operator-operator";
  const limits = { tickets_per_ip_max: 0, joins_per_ip_per_minute: 0, joins_per_visitor_per_minute: 0 };
  const it = await startPlatform(t, {
    room: { permits: 2, walk_in: false, crowd: 40_000, tick_ms: 60_000, claim_within_s: 60, ...limits },
    vars: { BATON_ADMIN_TOKEN: token },
  });
  const people = Array.from({ length: 24 }, () => it.visitor());
  for (const person of people) {
    await person.arrive();
    await person.openSocket();
  }
  // Called people go, and by baton the next is called, mostly in another lobby.
  const left = new Set();
  await eventually(
    async () => {
      const called = people.filter((person) => person.state === "called" && !left.has(person));
      for (const person of called) left.add(person);
      await Promise.all(called.map((person) => person.leave()));
      return left.size === people.length;
    },
    { timeoutMs: 60_000, what: "everybody's turn" },
  );
  const { depth_max: depth, too_deep: tooDeep, stubs, events } = await it.counts();
  const metrics = await it.raw("/__baton/metrics", { headers: { authorization: `Bearer ${token}` } });
  const told = Number(/^baton_call_depth\{room="onsale"\} (\d+)$/m.exec(metrics.body)?.[1]);
  console.log(`the deepest chain: ${depth}; stubs made ${JSON.stringify(stubs)}, events ${JSON.stringify(events)}`);
  // Each lobby has one for the room and the room one for each lobby, made anew once each where the first was of a deep event.
  const lobbies = 4;
  assert.ok(stubs.room <= 2 * lobbies && stubs.lobby <= 2 * lobbies, `they are kept: ${JSON.stringify(stubs)}`);
  assert.ok(events["room fetch"] > 4 * lobbies, "for there were many calls");
  assert.equal(tooDeep, 0);
  assert.ok(depth <= 5, `${depth} deep: front, lobby, room and lobby are four`);
  assert.equal(told, depth, "as the stand-in counted");
});
