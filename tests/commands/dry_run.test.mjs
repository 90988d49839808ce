// What a command that deploys says in the end: that it deployed, and which version, only if wrangler said so itself.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";
import { NOTHING, versionIn } from "../../scripts/deployed.mjs";
import { outcome } from "../../scripts/way_out.mjs";

test("a dry run of the way out says that nothing was deployed", { timeout: 120_000 }, () => {
  const { status, stdout, stderr } = spawnSync(npmProgram("node"), [inRoot("scripts", "way_out.mjs"), "--dry-run"], {
    env: toolEnv({ CI: "1" }),
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /--dry-run: exiting now\./, "wrangler tried it");
  assert.ok(stdout.trimEnd().endsWith(`${NOTHING} Baton is still in front of the site.`), stdout);
  assert.doesNotMatch(stdout, /out of the way/);
});

test("what was deployed is what wrangler says, whatever flags it was given and whatever it was answered", () => {
  const session = '{"version":1,"type":"wrangler-session","wrangler_version":"4.164.0"}\n';
  const deploy = (version) => `${session}${JSON.stringify({ type: "deploy", version: 1, worker_name: "baton", version_id: version })}\n`;
  assert.equal(versionIn(deploy("6f6c2d5e")), "6f6c2d5e");
  for (const lines of ["", session, deploy(null), deploy(undefined)]) assert.equal(versionIn(lines), null, lines);
  assert.match(outcome("6f6c2d5e"), /^Baton is out of the way: everybody reaches the site \(version 6f6c2d5e\)/);
});
