// `npm run audit`: holds the exported journal of a room to the laws of a waiting room (docs/audit.md).
//
//   npm run audit -- verify EXPORT [--fingerprint HEX] [--chain-only] [--json]
//   npm run audit -- story EXPORT NUMBER [--lane NAME] [--edition N] [--json]
//   npm run audit -- carried EXPORT [--span-s N]
//
// EXPORT is a file of `npm run export`. The program (tools/src/audit) does all of it, and needs neither server nor secret. It is built when it is
// first wanted. Exit 0: sound; 1: not sound; 2: not readable, or wrong use.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { fail } from "./common.mjs";
import { compilePrograms, programFile } from "./programs.mjs";
import { prepare } from "./setup.mjs";

async function main(args) {
  await prepare();
  await compilePrograms("audit");
  const { status, error } = spawnSync(programFile("audit"), args, { cwd: process.env.INIT_CWD ?? process.cwd(), stdio: "inherit" });
  if (error) throw error;
  process.exitCode = status ?? 2;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2)).catch(fail);
