// What a room tells everybody: its draws and its chain. A crowd that looks at once must not become a crowd at the room.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startScripted } from "./support/scripted.mjs";
import { eventually, raw } from "./support/world.mjs";

const CROWD = 20;

/** A world whose room says what `says` gives, and the paths it was asked for. */
async function roomThat(t, says) {
  const asked = [];
  const ofRoom = ({ path }) => {
    asked.push(path);
    return says(asked.length);
  };
  const world = await startScripted(t, { script: () => ({ status: 500 }), ofRoom });
  const look = async (what) => {
    const { status, body } = await raw(world.port, `/__baton/onsale/${what}`, { headers: { accept: "application/json" } });
    return [status, body];
  };
  const healthy = () => raw(world.port, "/__baton/health");
  return { asked, look, healthy, crowd: (what) => Array.from({ length: CROWD }, () => look(what)) };
}

for (const what of ["draw", "chain"]) {
  test(`${what}: a crowd that looks at once is one question, and so are those who come in the next seconds`, async (t) => {
    let answer;
    const told = new Promise((resolve) => {
      answer = resolve;
    });
    const { asked, look, healthy, crowd } = await roomThat(t, () => told);
    const looking = crowd(what);
    await eventually(() => asked.length > 0, { what: "a question to the room" });
    // Whoever comes behind the crowd is answered when the front has begun with all of the crowd.
    await healthy();
    answer({ text: '{"said":1}' });
    for (const one of await Promise.all(looking)) assert.deepEqual(one, [200, '{"said":1}']);
    assert.deepEqual(await look(what), [200, '{"said":1}']);
    assert.deepEqual(asked, [`/${what}`]);
  });
}

test("a room that fails is asked again by the next who looks, and nobody is told what it never said", async (t) => {
  const { asked, look } = await roomThat(t, (time) => (time === 1 ? { status: 500, text: "no" } : { text: '{"said":2}' }));
  assert.equal((await look("draw"))[0], 503);
  assert.deepEqual(await look("draw"), [200, '{"said":2}']);
  assert.equal(asked.length, 2);
});
