// The short form of `npm run check-world -- faults`: one crowd of fifty through a disk that is full, fails and is slow, through clocks that are set, and
// through a process that stands still; and one through two processes on one folder.

import assert from "node:assert/strict";
import { test } from "node:test";
import { crowdThrough, replayOf } from "./crowd.mjs";
import { faultOf, impossible } from "./faults.mjs";

const TIMEOUT_MS = 240_000;
const SEED = 1;
const SERVED_MIN = 30;

for (const name of ["short", "double"]) {
  test(`a crowd of fifty, ${name === "short" ? "one fault after the other" : "two processes on one folder"}: what was acknowledged holds, and everybody is served`, { timeout: TIMEOUT_MS, skip: impossible(faultOf(name)) }, async () => {
    const { broken, figures, text } = await crowdThrough({ name, seed: SEED });
    console.log(text);
    assert.deepEqual(broken.map(({ law, name: who, text: what }) => `${law}: ${who}: ${what}`), [], `again: ${replayOf({ name, seed: SEED })}`);
    assert.ok(figures.ends.served >= SERVED_MIN, `only ${figures.ends.served} were served`);
  });
}
