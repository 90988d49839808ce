// The short form of `npm run check-world -- faults`: one crowd of fifty through a disk that is full, fails and is slow, and through a process that
// stands still.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crowdThrough, replayOf } from "./crowd.mjs";
import { faultOf, impossible } from "./faults.mjs";

const TIMEOUT_MS = 240_000;
const SEED = 1;
const SERVED_MIN = 30;

test("a crowd of fifty, one fault after the other: what was acknowledged holds, and everybody is served", { timeout: TIMEOUT_MS, skip: impossible(faultOf("short")) }, async () => {
  const { broken, figures, text } = await crowdThrough({ name: "short", seed: SEED });
  console.log(text);
  assert.deepEqual(broken.map(({ law, name: who, text: what }) => `${law}: ${who}: ${what}`), [], `again: ${replayOf({ name: "short", seed: SEED })}`);
  assert.ok(figures.ends.served >= SERVED_MIN, `only ${figures.ends.served} were served`);
});
