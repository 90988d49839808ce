// Compiles the programs of tools/ that commands and tests run, when they are first wanted and after a change. The profile `tools` leaves out the
// release's optimisation at link time, so a change compiles in seconds.
//
//   node scripts/programs.mjs NAME…      compiles these

import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, inRoot, must } from "./common.mjs";

const PROFILE = "tools";

/** Returns the file of a compiled program. */
export const programFile = (name) => path.join(process.env.CARGO_TARGET_DIR ?? inRoot("target"), PROFILE, name);

/** Compiles these programs. The first time takes minutes, so it says what it is doing. */
export function compilePrograms(...names) {
  const absent = names.filter((name) => !existsSync(programFile(name)));
  if (absent.length > 0) console.error(`Building ${absent.join(" and ")} once: about two minutes on two cores.`);
  return must("cargo", ["build", "--quiet", "--profile", PROFILE, "-p", "baton-tools", ...names.flatMap((name) => ["--bin", name])]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await compilePrograms(...process.argv.slice(2)).catch(fail);
