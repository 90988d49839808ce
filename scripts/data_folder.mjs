// The folder of `npm start --data`: why nothing can be served from it, by file, cause and cure. `start` of a self-hosted folder does the same in sh.

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findProgram, UserError } from "./common.mjs";

/** How the lock's holder says that another process has it. */
const TAKEN = 75;
const MAGIC = "SQLite format 3";

const lockOf = (dir) => path.join(dir, "in-use");

/** Returns a command that holds the folder's lock as long as `command` runs, and becomes it. Without `flock` it is `command` alone. */
export function locked(dir, command) {
  const flock = process.platform === "linux" && findProgram("flock");
  return flock ? [flock, "--nonblock", "--no-fork", "--conflict-exit-code", String(TAKEN), lockOf(dir), ...command] : command;
}

/** Throws if the folder cannot be written. `say(line)` hears of what is wrong and does not keep Baton from running. */
export function readyFolder(dir, say) {
  try {
    mkdirSync(dir, { recursive: true });
    writeFileSync(lockOf(dir), `${process.pid}\n`);
  } catch (error) {
    if (error.code !== "ENOSPC")
      throw new UserError(
        `The data folder ${dir} cannot be written (${error.code}). Cure: let this user write there; if its disk is mounted read-only, the kernel's log says why; or choose another with --data.`,
      );
    say(`The disk of the data folder ${dir} is full. Nobody new comes in until there is room; places are kept. Cure: make room there.`);
  }
  for (const { name, parentPath } of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = path.join(parentPath, name);
    if (name !== "metadata.sqlite" || !isDamaged(file)) continue;
    renameSync(file, `${file}.damaged`);
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    say(
      `${file} was damaged and is now ${file}.damaged. It held only the times at which rooms wake by themselves: each room sets its own again at its first request.`,
    );
  }
}

/** Whether what should be a database begins as none. */
function isDamaged(file) {
  if (!existsSync(file) || statSync(file).size === 0) return false;
  const head = Buffer.alloc(MAGIC.length);
  const from = openSync(file, "r");
  readSync(from, head, 0, head.length, 0);
  closeSync(from);
  return head.toString("latin1") !== MAGIC;
}

/** Returns the error for somebody who starts Baton on this folder, or `undefined` if workerd ended for another reason. */
export function whyNotFrom(dir, { message }) {
  if (message.includes(`it ended (${TAKEN})`))
    return new UserError(
      `Another process serves from the data folder ${dir}. Cure: end that one (fuser ${lockOf(dir)} names it), or choose another with --data.`,
    );
  if (/SQLITE_CANTOPEN|unable to open database file/.test(message))
    return new UserError(`A file in the data folder ${dir} cannot be opened. Cure: let this user read and write all that is in it.`);
  if (/file is not a database|malformed/.test(message))
    return new UserError(
      `A file in the data folder ${dir} is damaged. If it is a metadata.sqlite, remove it and start again: it holds only the times at which rooms wake by themselves. Else restore a backup.`,
    );
  return undefined;
}
