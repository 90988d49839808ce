// What the shop's check says of proofs (`Baton-Checked`): taken off its answers, counted by verdict, shown to operators.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, raw, startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "operator-operator-operator-operator";
const NONE = { ok: 0, missing: 0, malformed: 0, host: 0, mac: 0, time: 0, target: 0, replay: 0, room: 0 };

/** An origin that answers `/…/no;mac` with that verdict, and a Baton in front of it. */
async function checked(t, options = {}) {
  const origin = await startOrigin(t, (request, response) => {
    const verdict = decodeURIComponent(new URL(request.url, "http://origin").search.slice(1));
    if (verdict !== "") response.setHeader("Baton-Checked", verdict);
    response.end("ok");
  });
  const world = await startWorld(t, { origin: origin.url, ...options, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const inside = (path) => raw(world.baton.port, path, { headers: { authorization: `Bearer ${TOKEN}` } });
  const report = async () => JSON.parse((await inside("/__baton/admin/rooms/onsale")).body).report;
  const counted = async (expected) => {
    let proofs;
    const areCounted = async () => {
      ({ proofs } = await report());
      return Object.entries(expected).every(([verdict, count]) => proofs[verdict] === count) && proofs;
    };
    return eventually(areCounted, { timeoutMs: 70_000, what: `the counts ${JSON.stringify(expected)}` }).catch((error) =>
      assert.deepEqual(proofs, { ...proofs, ...expected }, error),
    );
  };
  return { world, inside, report, counted };
}

test("verdicts on answers to people inside are counted by reason, and no visitor sees them", { timeout: 150_000 }, async (t) => {
  const { world, inside, report, counted } = await checked(t);
  const visitor = world.visitor();
  await visitor.arrive("/buy/");
  for (const verdict of ["no;mac", "no;mac", "no;host", "ok", "no;nonsense", "perhaps"]) {
    const answer = await visitor.request(`/buy/?${encodeURIComponent(verdict)}`);
    assert.deepEqual([answer.status, answer.body, answer.headers["baton-checked"]], [200, "ok", undefined], verdict);
  }
  assert.deepEqual(await counted({ mac: 2, host: 1, ok: 1 }), { ...NONE, mac: 2, host: 1, ok: 1 });
  assert.deepEqual((await report()).totals.proofs, { ...NONE, mac: 2, host: 1, ok: 1 });
  const { body } = await inside("/__baton/metrics");
  assert.match(body, /^baton_proofs_checked_total\{room="onsale",verdict="mac"\} 2$/m);
  assert.match(body, /^baton_proofs_checked_total\{room="onsale",verdict="ok"\} 1$/m);
  await world.baton.restart();
  assert.equal((await counted({ mac: 2 })).host, 1, "what was counted outlives a restart");
});

test("good ones alone are told too, and those of an exception, of an observed visitor and after a release", { timeout: 150_000 }, async (t) => {
  const { world, counted } = await checked(t, { room: { mode: "observe", bypass_paths: ["/buy/free"] } });
  assert.equal((await raw(world.baton.port, "/buy/free?ok")).status, 200);
  await counted({ ok: 1 });
  const visitor = world.visitor();
  for (let nth = 0; nth < 3; nth += 1) assert.equal((await visitor.request("/buy/?ok")).status, 200);
  await raw(world.baton.port, "/open?ok");
  assert.deepEqual(await counted({ ok: 4 }), { ...NONE, ok: 4 }, "a path of no room is no room's");
});
