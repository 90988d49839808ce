// What becomes of every reading of the gate's list at one origin: whether it reads so, and whether Baton holds or refuses what it would take for the gated
// page. Baton forwards to a recorder, so one Baton judges for all origins; each origin gets the bytes that were sent on.

import { BUY, HOST } from "./targets.mjs";
import { askAll, startRecorder } from "./wire.mjs";
import { startWorld } from "../runtime/support/world.mjs";

/** Nobody goes in. */
const ROOM = { paths: ["/buy/*"], permits: 0 };
const HEADERS = [`Host: ${HOST}`, "Accept: application/json"];
/** Baton's own answers to what it does not let through, by what they say of it. */
const HELD = 429;
const REFUSED = [400, 404, 405, 421, 501];

/** Resolves to what Baton does with each target without a pass, by target: `"held"`, `"refused"`, or `{ sent }` for what it forwards. */
export async function judged(t, all) {
  const recorder = await startRecorder(t, (target) => JSON.stringify({ sent: target }));
  const world = await startWorld(t, { rooms: { buy: ROOM }, origin: `http://127.0.0.1:${recorder}`, runtime: { door: false } });
  const answers = await askAll(world.baton.port, all, HEADERS);
  const verdicts = answers.map(({ status, body }, at) => {
    if (status === 200) return JSON.parse(body);
    if (status === HELD) return "held";
    if (REFUSED.includes(status)) return "refused";
    throw new Error(`${all[at]}: ${status} ${body.slice(0, 200)}`);
  });
  return new Map(all.map((target, at) => [target, verdicts[at]]));
}

/**
 * Asks an origin; throws if it does not answer its page as it is spelt. Resolves to `{ cells, reached }`: by a reading's name what Baton does with what the origin would take for the gated page, and nothing if
 * it reads no target so; and the targets by which it was reached without a pass.
 */
export async function asked(port, targetsOf, verdicts) {
  const isBuy = async (all) =>
    new Set((await askAll(port, all, HEADERS)).flatMap(({ status, body }, at) => (status === 200 && body === BUY ? [all[at]] : [])));
  const page = await isBuy([`/${BUY}/seat`, "/about"]);
  if (page.size !== 1 || page.has("/about")) throw new Error("it does not answer its own page");
  const all = [...new Set(Object.values(targetsOf).flat())];
  const direct = await isBuy(all);
  const sent = await isBuy([...new Set([...verdicts.values()].flatMap((verdict) => verdict.sent ?? []))]);
  const reached = all.filter((target) => sent.has(verdicts.get(target).sent));
  const cells = Object.entries(targetsOf).map(([name, some]) => {
    const told = some.filter((target) => direct.has(target) && !verdicts.get(target).sent).map((target) => verdicts.get(target));
    const isReached = some.some((target) => reached.includes(target)) && "reached";
    return [name, [isReached, ...["held", "refused"].filter((word) => told.includes(word))].filter(Boolean)];
  });
  return { cells: Object.fromEntries(cells), reached };
}
