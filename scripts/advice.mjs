// How good the desk's forecasts are (docs/advice.md).
//
//   npm run advice -- --export onsale.jsonl    what would have been forecast of a sale that was, and what came
//   npm run check-advice                       two hundred simulated sales; writes the table of docs/advice.md

import { readFileSync, writeFileSync } from "node:fs";
import { fail, inRoot, run, toolEnv, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";

const PAGE = inRoot("docs", "advice.md");
const TABLE = /(<!-- forecasts -->\n)[\s\S]*?(<!-- \/forecasts -->)/;
const USAGE = "Say what to look at: npm run advice -- --export onsale.jsonl [--every-min 10]; the file comes from `npm run export`.";

const tool = (args) => run("cargo", ["run", "--quiet", "--release", "-p", "baton-tools", "--bin", "advice", "--", ...args], { env: toolEnv(), capture: true });

/** Seeds that nothing was tuned by; every band must hold 70 to 90 of a hundred. */
async function check(args) {
  const { code, text } = await tool(["check", ...args]);
  const table = text.slice(Math.max(0, text.indexOf("| forecast of")));
  if (!table.startsWith("| forecast of")) throw new UserError("advice check failed; see above.");
  const page = readFileSync(PAGE, "utf8");
  if (args.length === 0) writeFileSync(PAGE, page.replace(TABLE, (_, begin, end) => `${begin}${table}${end}`));
  process.exitCode = code;
}

async function replay([flag, file, ...more]) {
  if (flag !== "--export" || !file) throw new UserError(USAGE);
  process.exitCode = (await tool(["replay", file, ...more])).code;
}

await prepare();
const [what, ...args] = process.argv.slice(2);
await (what === "check" ? check(args) : replay(process.argv.slice(2))).catch(fail);
