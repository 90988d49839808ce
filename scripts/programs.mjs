// The programs of tools/ that commands and tests run, compiled when they are first wanted and after a change. The profile `tools` does
// without the release's last steps: minutes to compile for a tenth of the time that they run.
//
//   node scripts/programs.mjs NAME…      compiles these

import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, inRoot, must } from "./common.mjs";

const file = (profile, name) => path.join(process.env.CARGO_TARGET_DIR ?? inRoot("target"), profile, name);

/** Where a program lies once it was compiled. */
export const programFile = (name) => file("tools", name);

/** Compiles these. */
export const compilePrograms = (...names) => must("cargo", ["build", "--quiet", "--profile", "tools", "-p", "baton-tools", ...names.flatMap((name) => ["--bin", name])]);

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await compilePrograms(...process.argv.slice(2)).catch(fail);
