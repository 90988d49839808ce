// What origins with a gated page are asked for. Pure.

import { READINGS, spellings, spelt } from "./spellings.mjs";

export const HOST = "tickets.example.com";
/** The first segment of the gated page, and what its handler answers. */
export const BUY = "buy";
/** What is read in many ways at once, beside the list. */
export const MIXED = "mixed";

/** By a reading's name: the targets that an origin takes for the gated page by this reading, and not because they begin like it anyhow. */
export function targets({ seed, count }) {
  const named = READINGS.map((reading) => [reading.name, spelt(reading, BUY, "seat").filter((target) => !target.startsWith(`/${BUY}/`))]);
  return Object.fromEntries([...named, [MIXED, spellings({ seed, count, host: HOST })]]);
}
