// A wall clock that a test sets while the runtime goes on, as somebody sets a host's. `set_clock.c` says how.

import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findProgram, inRoot } from "../../../scripts/common.mjs";

const compiler = findProgram("cc");

/** Why no clock can be set here; false if one can. */
export const noClock = (process.platform !== "linux" && "a process's clock can be set on Linux only") || (!compiler && "no C compiler (cc) is installed") || (process.env.CI ? "not in continuous integration: it takes minutes" : false);

/** Returns `{ env, set }`: what the runtime's environment needs, and what sets its clock so many seconds ahead of the right time. */
export function clock(t) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-clock-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const [library, file] = [path.join(dir, "set_clock.so"), path.join(dir, "offset")];
  const made = spawnSync(compiler, ["-shared", "-fPIC", "-O2", "-o", library, inRoot("tests", "runtime", "support", "set_clock.c"), "-ldl"], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`cc: ${made.stderr}`);
  const set = (aheadS) => {
    writeFileSync(`${file}.next`, String(aheadS));
    renameSync(`${file}.next`, file);
  };
  set(0);
  return { env: { LD_PRELOAD: library, CLOCK_OFFSET_FILE: file }, set };
}
