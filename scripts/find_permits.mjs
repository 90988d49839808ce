// `npm run find-permits`: how many people can my shop take at once? It drives a staging shop as people do and answers with a number that
// can be relied on, or says why there is none (docs/find-permits.md).
//
//   npm run find-permits -- --url https://staging.example.com --steps checkout.toml [--allow-writes]
//       [--code-file FILE] [--code-wait-s 900] [--people-max 500] [--requests-per-s-max 300] [--minutes-max 120]
//       [--level-s S] [--settle-s S] [--timeout-s 30] [--room NAME --public-host HOST] [--out FOLDER] [--seed N] [--json]
//
// With --from-production it asks no shop, but says what a past sale has shown: --url https://tickets.example.com --room onsale
// [--token FILE], or --export onsale.jsonl; and [--span-s 60] [--seed N] [--json] (from_production.mjs).
//
// It asks only the hosts that were named, and each only after it has served a code of this run. ORIGIN_SECRET with --room signs
// requests for a shop behind Baton's check. Exit 0: a number, or "at least"; 1: none; 2: it could not be asked.

import { pathToFileURL } from "node:url";
import { fail, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await prepare();
  const said = (error) => {
    if (!(error instanceof UserError)) return fail(error);
    console.error(error.message);
    return 2;
  };
  // Both need the project's packages.
  const [{ FLAG, fromProduction }, { findPermits }] = await Promise.all([
    import("./find_permits/from_production.mjs"),
    import("./find_permits/command.mjs"),
  ]);
  const args = process.argv.slice(2);
  process.exitCode = await (args.includes(FLAG) ? fromProduction(args) : findPermits(args)).catch(said);
}
