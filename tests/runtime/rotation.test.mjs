// BATON_SECRET is exchanged twice while people come: who is in stays in, who waits keeps the number, and neither the new
// secret nor the old one is ever seen. A restart stands for the deploy; requests that found no process are sent again, all
// that were answered count.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { eventually, passTimes, startWorld } from "./support/world.mjs";

const SECRETS = ["first", "second", "third"].map((word) => `${word}-secret-`.repeat(4));
const HOLDERS = 4;

/** Comes again and again until told to stop. `seen`: every answer, as text. */
function keepComing(visitor, visit, seen) {
  let going = true;
  const work = (async () => {
    while (going) {
      try {
        const answer = await visit(visitor);
        seen.push({ name: visitor.name, ...answer, text: `${answer.body}\n${JSON.stringify(answer.headers)}` });
      } catch (error) {
        if (!/ECONN|socket hang up|EPIPE/.test(`${error.code} ${error.message}`)) throw error;
      }
    }
  })();
  return () => {
    going = false;
    return work;
  };
}

test("c13_c86_a_secret_is_exchanged_under_load: nobody falls out, and no secret is seen", { timeout: 120_000 }, async (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-rotation-"));
  const room = { permits: HOLDERS, pass_ttl_s: 2, lease_idle_s: 600, linger_s: 60 };
  const world = await startWorld(t, { room, vars: { BATON_SECRET: SECRETS[0] }, runtime: { dataDir } });
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const holders = Array.from({ length: HOLDERS }, (_, i) => world.visitor({ name: `holder ${i}` }));
  for (const holder of holders) assert.equal((await holder.arrive()).state, "shop");
  for (const holder of holders) {
    await eventually(async () => (await holder.arrive()) && !passTimes(holder.cookie("pass")).provisional, { what: "a confirmed pass" });
  }
  const waiters = Array.from({ length: 4 }, (_, i) => world.visitor({ name: `waiter ${i}` }));
  for (const waiter of waiters) {
    await waiter.status();
    assert.equal((await waiter.join()).status, 201);
  }
  const numbers = new Map(waiters.map((waiter) => [waiter.name, waiter.number]));
  const seen = [];
  const stops = [
    ...holders.map((holder) => keepComing(holder, (it) => it.arrive(), seen)),
    ...waiters.map((waiter) => keepComing(waiter, (it) => it.status(), seen)),
  ];
  /** Until every one of them has been answered so often anew. */
  const round = (count) => {
    const from = seen.length;
    const answered = ({ name }) => seen.slice(from).filter((answer) => answer.name === name).length >= count;
    return eventually(() => [...holders, ...waiters].every(answered), { timeoutMs: 30_000, what: "answers for all" });
  };
  const signedAnew = async () => {
    const before = holders.map((holder) => holder.cookie("pass"));
    await eventually(() => holders.every((holder, i) => holder.cookie("pass") !== before[i]), { what: "passes under the new secret" });
  };
  await round(3);
  await world.baton.restart({ vars: { BATON_SECRET: SECRETS[1], BATON_SECRET_PREVIOUS: SECRETS[0] } });
  await round(5);
  await signedAnew();
  // Passes have moved on. Names and tickets have not: who waits is served until here, and would need the first secret on.
  await Promise.all(stops.slice(HOLDERS).map((stop) => stop()));
  await world.baton.restart({ vars: { BATON_SECRET: SECRETS[2], BATON_SECRET_PREVIOUS: SECRETS[1] } });
  const passes = holders.map((holder) => holder.cookie("pass"));
  await eventually(() => holders.every((holder, i) => holder.cookie("pass") !== passes[i]), { what: "passes under the third secret" });
  await Promise.all(stops.map((stop) => stop()));
  const of = (kind) => seen.filter(({ name }) => name.startsWith(kind));
  for (const { name, status, state } of of("holder")) assert.deepEqual([status, state], [200, "shop"], name);
  const told = of("waiter");
  assert.ok(told.length > 20);
  for (const { name, status, json } of told) assert.deepEqual([status, json.number, json.state], [200, numbers.get(name), "waiting"], name);
  const everything = seen.map(({ text }) => text).join("\n") + world.logs();
  for (const secret of SECRETS) {
    for (const encoding of ["utf8", "base64", "base64url", "hex"]) {
      const needle = Buffer.from(secret).toString(encoding).replace(/=+$/, "");
      assert.ok(!everything.includes(needle), `${secret} is seen as ${encoding}`);
    }
  }
});
