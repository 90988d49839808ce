/* What several parts of a report work out of its counts. Pure. */

/** Returns how many came, with those who were there before. */
export const cameOf = ({ people }) => people.before + people.entered + people.joined + people.walked_in;

/** Returns the permits' time in percent: `{ used, called, idle, dead }`. Returns null if no permit was out. */
export function shareOf({ permits: { used_ms: used, called_ms: called, idle_ms: idle } }) {
  const all = used + called + idle;
  if (all === 0) return null;
  const of = (part) => Math.round((part / all) * 1_000) / 10;
  return { used: of(used), called: of(called), idle: of(idle), dead: of(called + idle) };
}
