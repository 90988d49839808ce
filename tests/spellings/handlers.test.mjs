// Node's frameworks behind Baton, each with a gated page: no reading of the gate's list, and none of a thousand spellings that are several at once, leads
// to its handler without a pass. `npm run check-world -- origins` asks more servers the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, judged } from "./classes.mjs";
import { NAMES, isInstalled, startShops } from "./handlers.mjs";
import { READINGS, spelt } from "./spellings.mjs";
import { targets } from "./targets.mjs";

const LIMIT = { timeout: 15 * 60_000 };
const SEED = Number(process.env.BATON_SEED ?? 20_261_127);

test("the list's spellings are those that the gate's own code writes", () => {
  for (const reading of READINGS) assert.deepEqual(spelt(reading, "buy", "seat"), reading.spellings, reading.name);
});

test("c111_no_reading_of_the_list_reaches_a_handler", LIMIT, async (t) => {
  if (!isInstalled()) {
    assert.ok(!process.env.BATON_ALL_ORIGINS, "node tests/spellings/install.mjs");
    return t.skip("node tests/spellings/install.mjs");
  }
  const all = targets({ seed: SEED, count: 1_000 });
  const [verdicts, ports] = await Promise.all([judged(t, [...new Set(Object.values(all).flat())]), startShops(t)]);
  const reached = [],
    read = new Set();
  for (const name of NAMES) {
    const told = await asked(ports[name], all, verdicts);
    reached.push(...told.reached.map((target) => `${name}: ${target}`));
    for (const [reading, words] of Object.entries(told.cells)) if (words.length > 0) read.add(reading);
  }
  assert.deepEqual(reached, []);
  for (const reading of ["case", "escape", "host", "separator", "mixed"])
    assert.ok(read.has(reading), `${reading}: nobody reads so, so nothing was tried`);
});
