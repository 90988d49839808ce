// The short chaos of every test run: one seed that is always the same, and one that never is. `npm run chaos` is the
// long one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { replayOf, report, runChaos } from "./chaos.mjs";

const SHORT = { minutes: 0.2, visitors: 40, permits: 8, killsMin: 6 };
const TIMEOUT_MS = 180_000;

/** Each alone and not together: a kill is to meet people, not a machine that is out of breath. */
for (const [name, seed] of [
  ["the same crowd as always", 1],
  ["a crowd never seen before", Date.now() % 1_000_000],
]) {
  test(`chaos, ${name}: places, permits and order outlive every kill`, { timeout: TIMEOUT_MS }, async () => {
    const options = { ...SHORT, seed };
    console.log(replayOf(options));
    const figures = await runChaos(options);
    console.log(report(figures, replayOf(options)));
    assert.deepEqual(
      figures.violations.map(({ law, name: who, text }) => `${law}: ${who}: ${text}`),
      [],
      `again: ${replayOf(options)}`,
    );
    assert.ok(figures.judged_for_order >= 10, `only ${figures.judged_for_order} could be judged for order`);
  });
}
