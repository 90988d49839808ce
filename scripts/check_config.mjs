// `npm run check-config`: whether wrangler.toml is right, which room a request belongs to, and which other names of a gated page no room gates.
//
//   npm run check-config
//   npm run check-config -- --explain GET /events/7/checkout [--host tickets.example.com]
//
// Exit code 0: it is right; 1: it is not; 2: wrong use.

import { parseArgs } from "node:util";
import { fail, UsageError } from "./common.mjs";
import { otherNamesText } from "./other_names.mjs";
import { prepare } from "./setup.mjs";
import { unreachedText } from "./unreached.mjs";

/** Returns the question about the rooms, `{ method, path, host }`, or undefined if there is none. */
function questionOf(args) {
  const {
    values: { explain: method, host },
    positionals,
  } = parseArgs({ args, allowPositionals: true, options: { explain: { type: "string" }, host: { type: "string" } } });
  if (method === undefined && positionals.length === 0 && host === undefined) return undefined;
  if (method === undefined || positionals.length !== 1)
    throw new UsageError("Say a method and a path: npm run check-config -- --explain GET /events/7/checkout");
  return { method, path: positionals[0], host };
}

async function main() {
  const question = questionOf(process.argv.slice(2));
  await prepare();
  const { askConfig, doubts, wranglerConfig } = await import("./settings.mjs");
  const config = wranglerConfig();
  const { vars } = config;
  const { status, stdout, stderr } = await askConfig(vars, question);
  process.stdout.write(stdout);
  if (!question) process.stderr.write(doubts(vars) + unreachedText(config));
  if (!question && status === 0) {
    const isGated = async (name, host) => !(await askConfig(vars, { method: "GET", path: name, host })).stdout.includes(": no room,");
    process.stdout.write(await otherNamesText(vars.ROOMS, isGated));
  }
  process.stderr.write(stderr);
  process.exitCode = status;
}

await main().catch(fail);
