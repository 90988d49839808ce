// Lets one process at a time do what two must not do at once: build into the same folder.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as after } from "node:timers/promises";

/** How often a process that waits looks whether it may begin, ms. */
const LOOK_EVERY_MS = 200;
/** How old a file without a number may be before nobody is about to write one, ms. */
const EMPTY_MS = 5_000;

const GONE = "gone";
const BEGUN = "begun";

let before = Promise.resolve();

/**
 * Does `work` while no other process, and no other call of this one, works under the same file. The file holds the number of the process that works; it
 * goes when the work is done, and one of a process that died counts for nothing. `waits` is called once, with the number of the process that is waited
 * for. Resolves to what `work` resolves to.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: number) => void} waits
 * @returns {Promise<T>}
 */
export function alone(file, work, waits) {
  const done = before.then(async () => {
    await take(file, waits);
    try {
      return await work();
    } finally {
      rmSync(file, { force: true });
    }
  });
  before = done.then(
    () => {},
    () => {},
  );
  return done;
}

async function take(file, waits) {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let isTold = false; !isTaken(file); ) {
    const holder = holderOf(file);
    if (holder === GONE) continue;
    // Numbers come again: a file with this process's own number is an earlier process's, since another call here would have gone first.
    if (holder !== BEGUN && (holder === process.pid || !isAlive(holder))) {
      takeFrom(file, holder);
      continue;
    }
    if (!isTold && holder !== BEGUN) {
      waits(holder);
      isTold = true;
    }
    await after(LOOK_EVERY_MS);
  }
}

function isTaken(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Returns the number of the process that works, `GONE` if none does any more, `BEGUN` if one has not written its number yet. */
function holderOf(file) {
  try {
    const text = readFileSync(file, "utf8");
    return text === "" && Date.now() - statSync(file).mtimeMs < EMPTY_MS ? BEGUN : Number(text);
  } catch (error) {
    if (error.code === "ENOENT") return GONE;
    throw error;
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Removes the file of a process that died. Several may try, and one of them moves the file; whoever moved that of a living process puts it back. */
function takeFrom(file, dead) {
  const moved = `${file}.${process.pid}`;
  try {
    renameSync(file, moved);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  const holder = Number(readFileSync(moved, "utf8"));
  if (Object.is(holder, dead) || existsSync(file)) rmSync(moved);
  else renameSync(moved, file);
}
