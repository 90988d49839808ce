// docs/apps.md says what is really exchanged, and the reference client gets in. It needs python3 and nothing of its packages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot, run } from "../../scripts/common.mjs";
import { ensureBuilt } from "../runtime/support/world.mjs";

test("the exchange in docs/apps.md is that of a running Baton", { timeout: 120_000 }, async () => {
  await ensureBuilt();
  const env = { ...process.env, BATON_AS_BUILT: "1", BATON_PREPARED: "1" };
  const { code, text } = await run(process.execPath, [inRoot("scripts", "apps_guide.mjs"), "--check"], { env, quiet: true });
  assert.equal(code, 0, text);
});
