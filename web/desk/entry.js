/* Says in one line who had no valid entry token. An operator sees at once if the shop signs with a key that Baton does not know. */

import { filled } from "./filled.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Reasons that visitors cause. Every other reason is something to mend: at the shop, or in ENTRY_KEYS. */
const USUAL = ["missing", "early", "late", "used", "unknown"];

/** Returns the line for a report's counts by reason, and whether all is usual. The line is empty if nobody was turned away. */
export function entryLine(entry = {}) {
  const refusals = Object.entries(entry).filter(([, count]) => count > 0);
  if (refusals.length === 0) return { text: "", isGood: true };
  const reasons = refusals
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${write.number(count)}`)
    .join(", ");
  const refused = refusals.reduce((sum, [, count]) => sum + count, 0);
  return { text: filled(words.entry, { refused: write.number(refused), reasons }), isGood: refusals.every(([reason]) => USUAL.includes(reason)) };
}
