// A fault, and a crowd of fifty that goes through it.

import { report, runChaos } from "../chaos/chaos.mjs";
import { disturbing, faultOf } from "./faults.mjs";

export const VISITORS = 50;
const PERMITS = 8;
/** So long it happens again and again. */
const MINUTES = 0.4;

export const replayOf = ({ name, seed }) => `npm run check-world -- faults ${name} --seed ${seed}`;

/** Resolves to `{ broken, forgiven, figures, text }`: the laws that were broken, and what it all came to. */
export async function crowdThrough({ name, seed, say }) {
  const { shims, room, slackMs, forgives = [], minutes = MINUTES, ...fault } = faultOf(name);
  const figures = await runChaos({ minutes, visitors: VISITORS, permits: PERMITS, seed, say, shims, room, slackMs, disturb: disturbing(fault) });
  const isForgiven = ({ law }) => forgives.includes(law);
  return {
    broken: figures.violations.filter((each) => !isForgiven(each)),
    forgiven: figures.violations.filter(isForgiven),
    figures,
    text: report(figures, replayOf({ name, seed })),
  };
}
