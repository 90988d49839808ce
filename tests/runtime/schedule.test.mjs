// A room carries out its schedule by its own alarm: nobody asks it anything at that moment.

import assert from "node:assert/strict";
import { audited, journalOf } from "../support/audit.mjs";
import { judge } from "../support/openapi.mjs";
import { eventually, play } from "./harness.mjs";

const date = (inMs) => new Date(Date.now() + inMs).toISOString();

async function asked(it, method, body) {
  const headers = { authorization: `Bearer ${it.token}` };
  return fetch(`${it.rt.url}/__baton/admin/rooms/onsale`, { method, headers, body: body && JSON.stringify(body) });
}

async function told(it) {
  const headers = { authorization: `Bearer ${it.token}` };
  it.api ??= judge(await (await fetch(`${it.rt.url}/__baton/admin/openapi.json`, { headers })).json());
  return it.api.check("/__baton/admin/rooms/{room}", "GET", await asked(it, "GET"));
}

play("who waits is called by the schedule alone, and what it cannot set is said", { mode: "paused", permits: 1, lease_idle_s: 60 }, async (it) => {
  const visitor = it.visitor();
  await visitor.arrive();
  assert.equal((await visitor.openSocket()).state, "waiting");
  const schedule = [
    { at: date(-60_000), set: { permits: 9 } },
    { at: date(4_000), set: { mode: "open", permits: 2 } },
    { at: date(5_000), set: { lease_max_s: 30, permits: 7 } },
  ];
  const set = await asked(it, "PATCH", { schedule, lease_idle_s: 90 });
  assert.equal(set.status, 200, await set.clone().text());
  const states = ({ report }) => report.schedule.map(({ state }) => state);
  assert.deepEqual(states(await set.json()), ["passed", "due", "due"]);

  // Nothing asks the room: its alarm makes it call, and the socket says so.
  await visitor.waitForState("called");
  assert.ok(Date.now() >= Date.parse(schedule[1].at), "not before its time");

  const after = await eventually(
    async () => {
      const now = await told(it);
      return states(now).includes("due") ? undefined : now;
    },
    { everyMs: 250, what: "the last step" },
  );
  assert.deepEqual(states(after), ["passed", "done", "refused"]);
  assert.match(after.report.schedule[2].why, /lease_idle_s/);
  assert.deepEqual([after.report.mode, after.report.permits], ["open", 2], "of a step that is refused nothing is set");
  assert.equal(after.changed.mode.by, "schedule");
  assert.deepEqual(after.settings.schedule.value, schedule);

  const metrics = await (await fetch(`${it.rt.url}/__baton/metrics`, { headers: { authorization: `Bearer ${it.token}` } })).text();
  for (const state of ["done", "refused", "passed"])
    assert.match(metrics, new RegExp(`baton_schedule_steps\\{room="onsale",state="${state}"\\} 1\\n`));
  const { sound, text } = await audited(await journalOf({ url: it.rt.url, token: it.token }));
  assert.ok(sound, text);
  assert.match(text, /3 steps of the schedule/);

  const wrong = await asked(it, "PATCH", { schedule: [{ at: "tomorrow", set: { permit: 3 } }] });
  assert.equal(wrong.status, 400);
  const { error } = await wrong.json();
  assert.match(error.message, /schedule\[0\]\.at/);
  assert.match(error.message, /Did you mean permits\?/);
});
