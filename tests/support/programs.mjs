// The programs of tools/ (scripts/programs.mjs) in tests: there before any clock runs, or something else in the place of one.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { before } from "node:test";
import { compilePrograms, programFile } from "../../scripts/programs.mjs";

/** Cold, on two cores that have much else to do. */
const COMPILES_MS = 600_000;

/** Compiles these before the first test of the file. */
export const compileBefore = (...names) => before(() => compilePrograms(...names), { timeout: COMPILES_MS });

/** Until the test's end there is no program but the one called `name`, and that is the script of the shell which `does(script)` was given last. */
export function instead(t, name) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-program-"));
  const target = process.env.CARGO_TARGET_DIR;
  process.env.CARGO_TARGET_DIR = folder;
  const file = programFile(name);
  mkdirSync(path.dirname(file));
  t.after(() => {
    if (target === undefined) delete process.env.CARGO_TARGET_DIR;
    else process.env.CARGO_TARGET_DIR = target;
    rmSync(folder, { recursive: true });
  });
  return (script) => {
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };
}
