// The stories of tests/runtime/ once more, on the strict platform: each ends with a look at what Cloudflare would have refused.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { inRoot, npmProgram } from "../../scripts/common.mjs";

const STORIES = ["flow_line", "flow_baton", "flow_restart", "hall"];
const STORY_MS = 600_000;

for (const story of STORIES) {
  test(`${story}, on the strict platform`, { timeout: STORY_MS }, () => {
    const file = inRoot("tests", "runtime", `${story}.test.mjs`);
    const env = { ...process.env, BATON_PLATFORM: "strict" };
    delete env.NODE_TEST_CONTEXT;
    const { status, stdout, stderr } = spawnSync(npmProgram("node"), ["--test", "--import", inRoot("tests", "support", "ends.mjs"), file], { env, encoding: "utf8", maxBuffer: 1 << 26 });
    assert.equal(status, 0, `${stdout}\n${stderr}`.split("\n").filter((line) => !line.startsWith("ok")).join("\n").slice(-6_000));
  });
}
