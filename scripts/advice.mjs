// Measures how good the desk's forecasts are (docs/advice.md).
//
//   npm run advice -- --export onsale.jsonl    what would have been forecast of a past sale, and what came
//                [--every-min 10]              the minutes between two forecasts
//   npm run check-advice                       two hundred simulated sales; writes the table of docs/advice.md
//                [-- --sales 200] [--seed N]   other sales, from this seed on; writes nothing

import { readFileSync, writeFileSync } from "node:fs";
import { between } from "../bench/lib/table.mjs";
import { fail, inRoot, run, UsageError, UserError } from "./common.mjs";
import { compilePrograms, programFile } from "./programs.mjs";
import { prepare } from "./setup.mjs";

const PAGE = inRoot("docs", "advice.md");
const USAGE = "Say what to look at: npm run advice -- --export onsale.jsonl [--every-min 10]; the file comes from `npm run export`.";

async function tool(args) {
  await compilePrograms("advice");
  return run(programFile("advice"), args, { capture: true });
}

/** Plays seeds by which nothing was tuned. Every band must hold 70 to 90 of a hundred. */
async function check(args) {
  const { code, signal, out: table } = await tool(["check", ...args]);
  if (signal) throw new UserError(`advice check was killed (${signal}) before it was done.`);
  if (!table.startsWith("| forecast of")) throw new UserError("advice check failed; see above.");
  if (args.length === 0) writeFileSync(PAGE, between(readFileSync(PAGE, "utf8"), "forecasts", table.trimEnd()));
  process.exitCode = code;
}

/** @param {string[]} words */
async function replay([flag, file, ...more]) {
  if (flag !== "--export" || !file) throw new UsageError(USAGE);
  process.exitCode = (await tool(["replay", file, ...more])).code;
}

await prepare();
const [what, ...args] = process.argv.slice(2);
await (what === "check" ? check(args) : replay(process.argv.slice(2))).catch(fail);
