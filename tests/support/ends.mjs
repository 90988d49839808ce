// A test file's process ends when its tests have, also if something that they started holds it. `node --test --test-force-exit` would
// do that at once, and loses the results that are not written yet.
//
//   node --test --import ./tests/support/ends.mjs FILE

import { after } from "node:test";

/** Everything that is being closed has so long. */
const ENDS_WITHIN_MS = 15_000;

// The runner itself loads this too, and must outlive its files.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    setTimeout(() => {
      console.error(`${process.argv[1]}: the tests are over, and something still runs: ${[...new Set(process.getActiveResourcesInfo())].join(", ")}`);
      process.stdout.write("", () => process.exit());
    }, ENDS_WITHIN_MS).unref();
  });
}
