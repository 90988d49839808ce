// `npm run check-config`: whether wrangler.toml is right, and which room a request belongs to.
//
//   npm run check-config
//   npm run check-config -- --explain GET /events/7/checkout [--host tickets.example.com]
//
// Exit code 0: it is right; 1: it is not; 2: wrong use.

import { fail } from "./common.mjs";
import { prepare } from "./setup.mjs";

async function main() {
  await prepare();
  const { askConfig, wranglerConfig } = await import("./settings.mjs");
  const { status, stdout, stderr } = askConfig({ ...wranglerConfig().vars }, process.argv.slice(2));
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status ?? 1;
}

await main().catch(fail);
