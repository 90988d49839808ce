// Compiles the programs of tools/ that commands and tests run, when they are first wanted and after a change. The profile `tools` leaves out the
// release's optimisation at link time, so a change compiles in seconds.
//
//   node scripts/programs.mjs NAME…      compiles these

import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, inRoot, must } from "./common.mjs";

const PROFILE = "tools";

/** Returns the file of a compiled program. */
export const programFile = (name) => path.join(process.env.CARGO_TARGET_DIR ?? inRoot("target"), PROFILE, name);

/** Compiles these programs. */
export const compilePrograms = (...names) => must("cargo", ["build", "--quiet", "--profile", PROFILE, "-p", "baton-tools", ...names.flatMap((name) => ["--bin", name])]);

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await compilePrograms(...process.argv.slice(2)).catch(fail);
