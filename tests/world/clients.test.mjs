// What clients without a browser are judged by, without them: their requests, and the table that is made of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENTS, nameOf } from "./clients/clients.mjs";
import { HEAD, cellOf, comesBack, comesIn, keepsPlace, rowOf } from "./clients/judge.mjs";
import { versionOf } from "./install.mjs";
import { chosen, tableOf, tableOn } from "./table.mjs";

/** A request to the gated path, or to a call of the room's. */
const sent = ({ call, cookie, set = [], status = 200, state, after, body, atMs = 0 } = {}) => ({
  path: call ? `/__baton/r/${call}` : "/r/",
  status,
  body,
  atMs,
  headers: { ...(cookie && { cookie }) },
  answer: {
    ...(set.length > 0 && { "set-cookie": set.map((each) => `${each}; Path=/; Max-Age=600; HttpOnly`) }),
    ...(state && { "baton-state": state }),
    ...(after && { "retry-after": String(after) }),
  },
});
const stranger = sent({ status: 429, state: "waiting", set: ["baton-visitor=v"] });
const joined = sent({ call: "join", cookie: "baton-visitor=v", status: 201, set: ["baton-r-ticket=t"] });

test("a place is kept if everything comes back from then on, as it was given", () => {
  const asks = (cookie) => keepsPlace([stranger, joined, sent({ call: "status", cookie })]);
  assert.ok(asks("baton-visitor=v; baton-r-ticket=t"));
  assert.ok(asks('$Version="1"; baton-visitor="v";$Path="/"; baton-r-ticket="t";$Path="/"'), "as Java writes them");
  for (const cookie of ["baton-visitor=v", "baton-visitor=v; baton-r-ticket=u", "baton-r-ticket=t", undefined]) assert.ok(!asks(cookie), `${cookie}`);
  assert.ok(!keepsPlace([stranger, sent({ call: "join", status: 403 })]), "no place was given");
  assert.ok(
    keepsPlace([
      sent({ set: ["__Host-baton-visitor=v", "__Host-baton-r-ticket=t"] }),
      sent({ cookie: "__Host-baton-visitor=v; __Host-baton-r-ticket=t" }),
    ]),
    "by https",
  );
});

test("a pass that is set on the way must come back too", () => {
  const claimed = sent({ call: "claim", cookie: "baton-visitor=v; baton-r-ticket=t", set: ["baton-r-pass=p"] });
  const lands = (cookie) => keepsPlace([stranger, joined, claimed, sent({ cookie })]);
  assert.ok(lands("baton-r-pass=p; baton-visitor=v; baton-r-ticket=t"));
  assert.ok(!lands("baton-visitor=v; baton-r-ticket=t"));
});

test("in is who has the shop's answer, and not the waiting page or a call's", () => {
  assert.ok(comesIn([stranger, sent()]));
  for (const log of [[], [stranger], [sent({ state: "waiting" })], [sent({ call: "status" })], [sent({ status: 502 })]])
    assert.ok(!comesIn(log), JSON.stringify(log));
});

test("who comes back is held to what the answer said, a page's refresh included", () => {
  const at = (...times) => times.map((atMs) => sent({ status: 429, after: 3, atMs }));
  assert.equal(comesBack(at(0)), "no");
  assert.equal(comesBack([...at(0), { ...joined, atMs: 3_000 }]), "no", "a call is no second look");
  assert.equal(comesBack(at(0, 3_000, 7_500)), "as told");
  assert.equal(comesBack(at(0, 3_000, 4_000)), "too early");
  assert.equal(comesBack(at(0, 9_000)), "too late");
  const page = (atMs) => sent({ atMs, body: '<noscript><meta http-equiv="refresh" content="4"></noscript>' });
  assert.equal(comesBack([page(0), page(4_100)]), "as told");
  assert.equal(comesBack([page(0), page(1_000)]), "too early");
});

test("a row says what a client does alone, and with what it needs", () => {
  const [good, lost] = [
    { kept: true, isIn: true },
    { kept: false, isIn: false },
  ];
  assert.deepEqual([good, { kept: true, isIn: false }, { kept: false, isIn: true }, lost].map(cellOf), [
    "✓",
    "✖ kept, not in",
    "✖ in, not kept",
    "✖",
  ]);
  assert.deepEqual(
    rowOf({ name: "curl", version: "1", needs: "`-b`", waits: { by: "`--retry`" } }, { alone: lost, http: good, https: good, waits: "as told" }),
    ["curl 1", "✖", "`-b`", "✓", "✓", "`--retry`: as told"],
  );
  assert.deepEqual(rowOf({ name: "w3m", version: "2" }, { http: good, https: lost, waits: "no" }), ["w3m 2", "✓", "", "✓", "✖", "no"]);
});

test("the row of a client that was not asked stays; who is on neither is left out", () => {
  const page = "before\n| a 1 | old |\n| ab 1 | another |\nafter";
  assert.equal(
    tableOf(["client", "said"], [["c 3", "new"]], { names: ["a", "b", "c"], page }),
    "| client | said |\n|---|---|\n| a 1 | old |\n| c 3 | new |",
  );
  assert.match(tableOf(["client", "said"], [["a 2", "new"]], { names: ["a"], page }), /\| a 2 \| new \|$/);
  assert.deepEqual(chosen({ a: 1, b: 2 }, ["b"]), [["b", 2]]);
  assert.throws(() => chosen({ a: 1 }, ["x"]), /Nothing is called x; there are a/);
});

test("the table of the docs is the list's: head, order, and the versions that stand there", () => {
  const { head, rows } = tableOn("docs/apps.md", "clients");
  assert.deepEqual(head, HEAD);
  const keys = rows.map(([cell]) => Object.keys(CLIENTS).find((key) => cell.startsWith(`${nameOf(key)} `)));
  assert.deepEqual(
    keys,
    Object.keys(CLIENTS).filter((key) => keys.includes(key)),
  );
  for (const [at, key] of keys.entries()) {
    assert.equal(rows[at].length, HEAD.length, key);
    const { pip, npm, crates } = CLIENTS[key];
    if (pip || npm || crates) assert.equal(rows[at][0], `${nameOf(key)} ${versionOf(CLIENTS[key])}`, `npm run check-world -- clients ${key} --docs`);
  }
});
