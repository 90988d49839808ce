/* Says in one line how the shop's check judged the proofs of requests that were forwarded lately. An operator waits for the line to turn
 * green before enforcing the check. */

import { filled } from "./filled.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Returns the line for a report's counts by verdict, and whether all is good. The line is empty if nothing was checked. */
export function proofLine(proofs) {
  const refusals = Object.entries(proofs).filter(([verdict, count]) => verdict !== "ok" && count > 0);
  const refused = refusals.reduce((sum, [, count]) => sum + count, 0);
  const checked = proofs.ok + refused;
  if (checked === 0) return { text: "", isGood: true };
  const reasons = refusals
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${write.number(count)}`)
    .join(", ");
  const values = { checked: write.number(checked), refused: write.number(refused), reasons };
  return { text: filled(words.proofs[refused === 0 ? "good" : "refused"], values), isGood: refused === 0 };
}
