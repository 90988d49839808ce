// A wall clock that a test sets while the runtime goes on, as somebody sets a host's. `set_clock.c` says how.

import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findProgram, inRoot } from "../../../scripts/common.mjs";

const compiler = findProgram("cc");

/** Why nothing can be put between a process and its C library here; false if it can. */
export const noShim =
  (process.platform !== "linux" && "a library can be put before another on Linux only") || (!compiler && "no C compiler (cc) is installed");

/** Why no clock is set here; false if one is. */
export const noClock = noShim || (process.env.CI ? "not in continuous integration: it takes minutes" : false);

/**
 * Compiles a shim. Returns `{ env, set }`: what the runtime's environment needs, and what writes the file that the shim reads, whose name is in the
 * environment's `variable`.
 */
export function shim(t, source, variable) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-shim-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const [library, file] = [path.join(dir, "shim.so"), path.join(dir, "says")];
  const made = spawnSync(compiler, ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`cc: ${made.stderr}`);
  const set = (says) => {
    writeFileSync(`${file}.next`, String(says));
    renameSync(`${file}.next`, file);
  };
  set(0);
  return { env: { LD_PRELOAD: library, [variable]: file }, set };
}

/** Returns `{ env, set }`: what the runtime's environment needs, and what sets its clock so many seconds ahead of the right time. */
export const clock = (t) => shim(t, inRoot("tests", "runtime", "support", "set_clock.c"), "CLOCK_OFFSET_FILE");
