// When the runtime is killed: at random moments, and on purpose at nasty ones. The seed decides what is tried and how
// long after the moment; the moment itself is the crowd's.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { between, diceOf } from "../../scripts/dice.mjs";
import { MOMENTS } from "./stage.mjs";

/** From one kill's end to the next one's plan. */
const PAUSE_MS = [200, 2_500];
/** A join or a claim takes a few milliseconds from its sending to the answer; so a kill hits before, in and after its turn. */
const AFTER_MOMENT_MS = [0, 12];
/** Now and then nobody is killed for a while: long enough that who is gone is noticed. */
const PEACE_MS = [8_000, 14_000];
/** workerd needs about that long until it listens. */
const STILLBORN_MS = [1, 250];
const TWICE_AFTER_MS = [0, 200];
/** A moment that does not come is not waited for any longer. */
const PATIENCE_MS = 3_000;

/** What is tried, in shuffled rounds of all: so that every kind comes early and often. */
const KINDS = ["any", "any", ...MOMENTS, "twice", "starting"];
/** From the second round on, for the short runs have no time for peace. */
const LATER = ["after peace"];

/**
 * Kills until `untilMs` (Unix ms), and until it was `killsMin` times, one after the other. `tell(kill)` hears of each
 * as it is over: `{ kind, listening_ms }`. Leaves the runtime up.
 */
export async function killUntil(stage, { untilMs, killsMin, seed, tell }) {
  const random = diceOf(seed);
  let [round, rounds] = [[], 0];
  while (Date.now() < untilMs || stage.kills < killsMin) {
    if (round.length === 0) {
      round = shuffled(rounds === 0 ? KINDS : [...KINDS, ...LATER], random);
      rounds += 1;
    }
    const kind = round.pop();
    await sleep(between(random, kind === "after peace" ? PEACE_MS : PAUSE_MS));
    if (MOMENTS.includes(kind)) {
      await momentOf(stage, kind);
      await sleep(between(random, AFTER_MOMENT_MS));
    }
    await stage.kill();
    if (kind === "starting") await stage.stillborn(between(random, STILLBORN_MS));
    let listeningMs = await stage.revive();
    if (kind === "twice") {
      await sleep(between(random, TWICE_AFTER_MS));
      await stage.kill();
      listeningMs = await stage.revive();
    }
    tell({ kind, listening_ms: listeningMs });
  }
}

async function momentOf(stage, kind) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  await once(stage, kind, { signal }).catch(() => {}); // then it is a kill like any other
}

function shuffled(values, random) {
  const rest = [...values];
  return Array.from(values, () => rest.splice(Math.floor(random() * rest.length), 1)[0]);
}
