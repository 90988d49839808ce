// What processes take, children included, as Linux tells it; and the end of all of them at once.

import { readFileSync, readdirSync } from "node:fs";

/** Returns the fields of `/proc/pid/stat` after the name, or undefined if the process is gone. */
function stat(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  } catch {
    return undefined;
  }
}

/** Returns these processes and all below them. */
export function withChildren(pids) {
  const parents = new Map();
  for (const pid of readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = Number(stat(pid)?.[1]);
    if (parent) parents.set(pid, parent);
  }
  const found = new Set(pids);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Returns the CPU seconds that these processes, and their children that have ended, have used. */
export function cpuOf(pids) {
  const ticks = withChildren(pids).map(
    (pid) =>
      stat(pid)
        ?.slice(11, 15)
        .reduce((sum, field) => sum + Number(field), 0) ?? 0,
  );
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

/** Returns the bytes of memory of these processes; what several share is counted once. */
export function memoryOf(pids) {
  return withChildren(pids).reduce((sum, pid) => {
    try {
      return sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1024;
    } catch {
      return sum;
    }
  }, 0);
}

/** Kills these processes and all below them, as when the power fails. */
export function killAll(pids) {
  for (const pid of withChildren(pids)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
