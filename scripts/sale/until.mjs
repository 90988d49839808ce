// Waits for what only asking again can tell: an answer of Baton or of the shop.

import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 100;

/**
 * Looks until `look()` returns something true, and resolves to it. Throws when `withinMs` are over; the error says `what`, `where` and `cure`.
 * @template Seen
 * @param {() => Seen | Promise<Seen>} look
 * @param {{ what: string, where: string, cure?: string, withinMs?: number, signal?: AbortSignal }} of
 */
export async function until(look, { what, where, cure, withinMs = Infinity, signal }) {
  for (const end = Date.now() + withinMs; ; ) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${withinMs / 1_000} s at ${where}\n  cure: ${cure}`);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
