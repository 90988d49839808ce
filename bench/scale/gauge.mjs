// Measures how much of its one thread a running Baton has used, and what it counted meanwhile.

import { readFileSync } from "node:fs";
import { ask, cpuSeconds } from "../lib/stage.mjs";

/** Returns the ms for which the main thread of a process has run, or the whole process where the system does not tell. */
export function threadMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return cpuSeconds(pid) * 1_000;
  }
}

export const countsOf = async (baton) => JSON.parse(await ask(baton.port, "/bench/counts"));
/** Starts a new search for the busiest second. */
export const forgetMost = (baton) => ask(baton.port, "/bench/most/forget");

/** Returns the counts by name, less those of before. */
export function since(before, after) {
  const less = (a = {}, b = {}) => Object.fromEntries(Object.entries(b).map(([name, count]) => [name, count - (a[name] ?? 0)]));
  return { by: less(before.by, after.by), rows: less(before.rows, after.rows), sent: less(before.sent, after.sent), most: after.most };
}

/** Resolves to what `act` took: `{ ms, counts, result }`. */
export async function gauged(baton, act) {
  const before = await countsOf(baton);
  const from = threadMs(baton.pid);
  const result = await act();
  const ms = threadMs(baton.pid) - from;
  return { ms, counts: since(before, await countsOf(baton)), result };
}
