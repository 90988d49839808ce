// The variables of wrangler.toml that are Baton's by mistake, or nearly Baton's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { askConfig, doubts, wranglerConfig } from "../../scripts/settings.mjs";

test("a secret among the variables is refused by its name, and its value is shown nowhere", async () => {
  const { vars } = wranglerConfig();
  assert.equal((await askConfig(vars)).status, 0);
  for (const name of [
    "BATON_SECRET",
    "BATON_SECRET_NEXT",
    "BATON_ADMIN_TOKEN",
    "ORIGIN_SECRET",
    "ENTRY_KEYS",
    "BYPASS_SECRET",
    "WEBHOOK_SECRET_CRM",
  ]) {
    const { status, stdout, stderr } = await askConfig({ ...vars, [name]: "hush hush hush hush" });
    assert.equal(status, 1, name);
    assert.match(
      stdout + stderr,
      new RegExp(`${name}: is a secret and must not be a plain variable\\. Remove it and run .npx wrangler secret put ${name}`),
    );
    assert.doesNotMatch(stdout + stderr, /hush/);
  }
});

test("a variable that is nearly one of Baton's is asked about; others are the operator's own", () => {
  const said = (name) => doubts({ ...wranglerConfig().vars, [name]: "x" });
  for (const [name, meant] of [
    ["ORIGN", "ORIGIN"],
    ["ROOM", "ROOMS"],
    ["OPERATOR", "OPERATORS"],
    ["ORIGIN_TIMEOUT", "ORIGIN_TIMEOUT_S"],
    ["GROUND", "GROUNDS"],
  ]) {
    assert.equal(said(name), `warning: ${name}: is no variable of Baton's, which does not read it. Did you mean ${meant}?\n`);
  }
  for (const name of ["ORIGIN", "REGION", "LOG_LEVEL", "SHOP", "SENTRY_DSN"]) assert.equal(said(name), "", name);
});
