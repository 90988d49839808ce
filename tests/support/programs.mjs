// Something else in the place of a program of tools/ (scripts/programs.mjs), for one test alone.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { programFile } from "../../scripts/programs.mjs";

/** Until the test's end there is no program but the one called `name`, and that is the script of the shell which `does(script)` was given last. */
export function instead(t, name) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-program-"));
  const before = process.env.CARGO_TARGET_DIR;
  process.env.CARGO_TARGET_DIR = folder;
  const file = programFile(name);
  mkdirSync(path.dirname(file));
  t.after(() => {
    if (before === undefined) delete process.env.CARGO_TARGET_DIR;
    else process.env.CARGO_TARGET_DIR = before;
    rmSync(folder, { recursive: true });
  });
  return (script) => {
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };
}
