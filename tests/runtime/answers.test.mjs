// How long the origin takes to answer people inside: measured by the front, told in company, seen by operators, in metrics and after a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, raw, startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "operator-operator-operator-operator";
const SLOW_MS = 300;

/** An origin that takes as long as the address says: `/buy/?300`, and fails at `/buy/?fails`. */
async function timed(t) {
  const origin = await startOrigin(t, (request, response) => {
    const says = new URL(request.url, "http://origin").search.slice(1);
    if (says === "fails") response.statusCode = 500;
    setTimeout(() => response.end("ok"), Number(says) || 0);
  });
  const world = await startWorld(t, { origin: origin.url, room: { permits: 5, claim_within_s: 60 }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const inside = (path) => raw(world.baton.port, path, { headers: { authorization: `Bearer ${TOKEN}` } });
  const report = async () => JSON.parse((await inside("/__baton/admin/rooms/onsale")).body).report;
  /** Somebody asks how things are, as pages do: what the front has counted rides along, and with the join after it to the room. */
  const talk = async () => {
    const visitor = world.visitor();
    await visitor.arrive();
    await visitor.arrive();
  };
  const counted = (isEnough) =>
    eventually(
      async () => {
        await talk();
        const { answers } = await report();
        return isEnough(answers) && answers;
      },
      { timeoutMs: 40_000, everyMs: 500, what: "that the room hears how long the origin took" },
    );
  return { world, inside, report, counted };
}

test("answers to people inside are timed in octaves; an error is counted and has no time", { timeout: 120_000 }, async (t) => {
  const { world, inside, report, counted } = await timed(t);
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  await visitor.arrive("/buy/");
  for (let nth = 0; nth < 20; nth += 1) assert.equal((await visitor.request(`/buy/?${SLOW_MS}`)).status, 200);
  for (let nth = 0; nth < 3; nth += 1) assert.equal((await visitor.request("/buy/?fails")).status, 500);
  const { recent, octaves, sum_ms: sumMs } = await counted(({ count, failed }) => count >= 20 && failed >= 3);
  const within = (from, to) => octaves.filter(([end]) => end > from && end <= to).reduce((sum, [, count]) => sum + count, 0);
  assert.ok(within(256, 2_048) >= 20, JSON.stringify(octaves));
  assert.ok(recent.p95_ms > 256 && recent.p95_ms <= 4_096, JSON.stringify(recent));
  assert.ok(sumMs >= 20 * SLOW_MS, `${sumMs} ms in all`);
  assert.equal(recent.failed, 3);
  const { body } = await inside("/__baton/metrics");
  const bucket = (end) => Number(body.match(new RegExp(`^baton_origin_answer_seconds_bucket\\{(?=[^}]*le="${end}")[^}]*\\} (\\d+)`, "m"))?.[1]);
  assert.ok(bucket("2.048") - bucket("0.256") >= 20, `${bucket("0.256")} to ${bucket("2.048")}`);
  assert.equal(bucket("\\+Inf"), (await report()).answers.count);
  await world.baton.restart();
  assert.ok((await report()).answers.count >= 23 - 3, "what was counted outlives a restart");
});

test("who is not inside is not timed, and nobody sets out to tell it", { timeout: 60_000 }, async (t) => {
  const { world, report } = await timed(t);
  for (let nth = 0; nth < 5; nth += 1) assert.equal((await raw(world.baton.port, `/open?${nth}`)).status, 200);
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  await visitor.arrive("/buy/");
  const rows = (await report()).version;
  for (let nth = 0; nth < 20; nth += 1) await visitor.request("/buy/?1");
  const told = await report();
  assert.deepEqual([told.version, told.answers.count], [rows, told.answers.count], "twenty good answers wrote no row");
  assert.ok(told.answers.count <= 2, `${told.answers.count} were told: only what rode along with the arrivals`);
});
