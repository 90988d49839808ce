// docs/apps.md says what is really exchanged, and the reference client gets in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot, run } from "../../scripts/common.mjs";
import { ensureBuilt } from "../runtime/support/world.mjs";
import { lacking, python } from "./support/programs.mjs";

test("the exchange in docs/apps.md is that of a running Baton", { skip: lacking({ python }), timeout: 120_000 }, async () => {
  await ensureBuilt();
  const env = { ...process.env, BATON_AS_BUILT: "1", BATON_PREPARED: "1" };
  const { code, text } = await run(process.execPath, [inRoot("scripts", "apps_guide.mjs"), "--check"], { env, quiet: true });
  assert.equal(code, 0, text);
});
