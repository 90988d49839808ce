// Crowds of fifty through faults of the machine: those that break no law. `npm run check-world -- faults` plays the others too, and measures.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crowdThrough, replayOf } from "./crowd.mjs";
import { faultOf, impossible } from "./faults.mjs";

const TIMEOUT_MS = 600_000;
const SEED = 7;

/** One after the other: a crowd is to meet its fault, not another crowd. */
for (const name of ["stop", "clock-ahead", "clock-back", "disk-full"]) {
  test(`a crowd through ${name}: places, permits and order outlive it`, { skip: impossible(faultOf(name)), timeout: TIMEOUT_MS }, async () => {
    const { broken, figures, text } = await crowdThrough({ name, seed: SEED });
    console.log(text);
    assert.deepEqual(
      broken.map(({ law, name: who, text: why }) => `${law}: ${who}: ${why}`),
      [],
      `again: ${replayOf({ name, seed: SEED })}`,
    );
    assert.ok(figures.ends.served >= 10, `only ${figures.ends.served} were served`);
  });
}
