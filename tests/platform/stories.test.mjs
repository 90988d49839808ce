// The stories of tests/runtime/ once more, on the strict platform: each ends with a look at what Cloudflare would have refused.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inRoot, npmProgram, run } from "../../scripts/common.mjs";

const STORIES = ["flow_line", "flow_baton", "flow_restart", "hall"];
const STORY_MS = 600_000;

// All at once: they wait far more than they work.
describe("on the strict platform", { concurrency: STORIES.length }, () => {
  for (const story of STORIES)
    test(`${story}, on the strict platform`, { timeout: STORY_MS }, async () => {
      const file = inRoot("tests", "runtime", `${story}.test.mjs`);
      const env = { ...process.env, BATON_PLATFORM: "strict" };
      delete env.NODE_TEST_CONTEXT;
      const { code, text } = await run(npmProgram("node"), ["--test", "--import", inRoot("tests", "support", "ends.mjs"), file], {
        env,
        quiet: true,
      });
      assert.equal(
        code,
        0,
        text
          .split("\n")
          .filter((line) => !line.startsWith("ok"))
          .join("\n")
          .slice(-6_000),
      );
    });
});
