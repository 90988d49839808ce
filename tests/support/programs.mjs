// Something else in the place of a program of tools/ (scripts/programs.mjs), for one test alone.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { programFile } from "../../scripts/programs.mjs";

/** From now on until the test's end the program called `name` is this script of the shell. */
export function instead(t, name, script) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-program-"));
  const before = process.env.CARGO_TARGET_DIR;
  process.env.CARGO_TARGET_DIR = folder;
  const file = programFile(name);
  mkdirSync(path.dirname(file));
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  t.after(() => {
    if (before === undefined) delete process.env.CARGO_TARGET_DIR;
    else process.env.CARGO_TARGET_DIR = before;
    rmSync(folder, { recursive: true });
  });
}
