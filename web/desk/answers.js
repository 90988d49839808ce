/* How long the shop took to answer people inside lately, in one line. The figures are interpolated within an octave, so two digits of
 * them are told and no more. */

import { filled } from "./filled.js";
import words from "./words.json";

/** The last octave ends here, ms: what took longer has no figure. */
const LONGEST_MS = 65_536;
const numbers = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const counts = new Intl.NumberFormat("en");

/** A duration in words: 240 ms, 1.2 s. */
function told(ms) {
  if (ms >= LONGEST_MS) return words.answers.more;
  return ms < 995 ? filled(words.answers.ms, { count: numbers.format(ms) }) : filled(words.answers.s, { count: numbers.format(ms / 1_000) });
}

/** The line for a report's answers; empty when nobody was answered. */
export function answerLine({ recent: { count, failed, p50_ms: p50, p95_ms: p95 } }) {
  const all = count + failed;
  if (all === 0) return { text: "", isGood: true };
  const values = { failed: counts.format(failed), all: counts.format(all) };
  if (count === 0) return { text: filled(words.answers.none, values), isGood: false };
  return { text: filled(words.answers[failed > 0 ? "failed" : "told"], { ...values, half: told(p50), most: told(p95) }), isGood: failed === 0 };
}
