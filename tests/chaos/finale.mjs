// The end of a chaos: are all permits still there, and no more? As many newcomers as there are permits must be in
// together, and one more must wait until one of them goes. And what does the journal say of it all?

import { audited, journalOf } from "../support/audit.mjs";
import { ROOM } from "./stage.mjs";

/** A permit that was lost with a kill comes back when its lease runs out; then a call or two, and a slow machine. */
const PATIENCE_MS = (ROOM.lease_idle_s + 2 * ROOM.claim_within_s) * 1_000 + 15_000;

/** `chaos`: `{ permits, witness, newcomer(name) }`. Accuses when a permit is lost, or was made from nothing. */
export async function allPermitsAreThere(chaos) {
  const { permits, witness } = chaos;
  const people = Array.from({ length: permits + 1 }, (_, i) => chaos.newcomer(`newcomer ${i + 1}`));
  for (const person of people) await person.comeAndListen();
  const results = await Promise.allSettled(people.slice(0, permits).map((person) => person.goIn(PATIENCE_MS)));
  const inside = results.filter(({ status }) => status === "fulfilled").length;
  const why = results.find((result) => result.status === "rejected")?.reason;
  if (inside < permits) return witness.accuse(people[inside], "permits", `only ${inside} of ${permits} can be in together (${why.message})`);
  const last = people[permits];
  if (last.visitor.state !== "waiting") return witness.accuse(last, "permits", `${permits} are in, and this one is ${last.visitor.state}`);
  await people[0].giveBack();
  await last.goIn(PATIENCE_MS).catch((error) => witness.accuse(last, "permits", `is not called after a release (${error.message})`));
  return undefined;
}

/** The room's own journal, over all its lives, held to the laws by the audit. Answers what that says. */
export async function journalIsSound({ stage, witness }) {
  const { sound, text } = await audited(await journalOf({ url: stage.rt.url, token: stage.token }));
  if (!sound) witness.accuse(null, "audit", text.trim());
  return text.trim();
}
