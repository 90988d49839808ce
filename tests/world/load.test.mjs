// What load tools are judged by, without them: what each prints at the end, and the table that is made of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { versionOf } from "./install.mjs";
import { HEAD, TOOLS, rowOf } from "./load/tools.mjs";
import { tableOn } from "./table.mjs";

test("a tool's words are read, and only its honest line counts nobody who waits", () => {
  const said = {
    ab: "Complete requests:      200\nFailed requests:        0\nNon-2xx responses:      200\n",
    wrk: "  1906 requests in 2.01s, 1.31MB read\n  Non-2xx or 3xx responses: 1906\n",
    h2load: "requests: 200 total, 200 started, 200 done, 0 succeeded, 200 failed, 0 errored, 0 timeout\n",
    siege:
      '{\t"transactions":\t\t\t         200,\n\t"availability":\t\t\t      100.00,\n\t"successful_transactions":\t           0,\n\t"failed_transactions":\t\t           0,\n}\n',
    autocannon: '{"requests":{"total":200},"errors":0,"2xx":0,"non2xx":200}\n',
    artillery: "vusers.completed: ............ 200\nvusers.created: .............. 200\nvusers.failed: ............... 0\n",
    locust: '[\n {"name": "/", "num_requests": 380, "num_failures": 380}\n]\n',
  };
  assert.deepEqual(Object.keys(said), Object.keys(TOOLS));
  const good = (name, { says }) => says(said[name]).good;
  assert.deepEqual(
    Object.keys(TOOLS).filter((name) => good(name, TOOLS[name]) > 0),
    ["ab", "wrk", "siege", "autocannon", "artillery"],
  );
  for (const name of ["ab", "wrk", "siege", "autocannon"]) assert.equal(good(name, TOOLS[name].honest), 0, name);
  assert.deepEqual(rowOf("ab", "2.3", { plain: { all: 200, good: 200 }, html: { all: 200, good: 150 }, honest: { all: 200, good: 0 } }), [
    "ab 2.3",
    "all",
    "150 of 200",
    "read `Non-2xx responses`",
    "none",
  ]);
});

test("the table of the docs is the list's: head, order, and the versions that stand there", () => {
  const { head, rows } = tableOn("docs/rehearsal.md", "load");
  assert.deepEqual(head, HEAD);
  const names = rows.map(([cell]) => cell.split(" ")[0]);
  assert.deepEqual(
    names,
    Object.keys(TOOLS).filter((name) => names.includes(name)),
  );
  for (const [at, name] of names.entries()) {
    assert.equal(rows[at].length, HEAD.length, name);
    if (TOOLS[name].npm || TOOLS[name].pip)
      assert.equal(rows[at][0], `${name} ${versionOf(TOOLS[name])}`, `npm run check-world -- load ${name} --docs`);
  }
});
