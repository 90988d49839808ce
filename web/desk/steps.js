/* The steps of a schedule in a form: local times in a zone, and the moments that they mean. Pure. */

import { instants, localText, written } from "./zones.js";

/** Returns the steps as the form holds them: `{ local, at, pick, set: [[key, value]] }`. `at` is undefined while no moment is meant. */
export const readSteps = (schedule, zone) =>
  schedule.map(({ at, set }) => ({ at: Date.parse(at), local: localText(Date.parse(at), zone), pick: undefined, set: Object.entries(set) }));

/**
 * Returns what a local time means: a step with its moment, or one without it and why. `pick` is 0 or 1, of two moments that may be meant.
 * Without `pick`, the one that is already `at` is taken.
 */
export function meant({ local, pick, at }, zone) {
  const found = instants(local, zone);
  if (found.kind === "once") return { at: found.at };
  if (found.kind === "bad") return { asks: "bad" };
  const picked = pick ?? [0, 1].find((index) => found.choices[index] === at);
  return { at: found.choices[picked], pick: picked, asks: found.kind, choices: found.choices };
}

/** Returns the schedule as the API takes it, in order of time. Returns undefined if a step has no moment, or sets nothing. */
export function writeSteps(steps, zone) {
  if (steps.some(({ at, set }) => at === undefined || set.length === 0)) return undefined;
  const inOrder = [...steps].sort((a, b) => a.at - b.at);
  return inOrder.map(({ at, set }) => ({ at: written(at, zone), set: Object.fromEntries(set) }));
}
