// One whole run against a simulated shop: the code of the real run, in simulated time.

import { diceOf } from "../../scripts/dice.mjs";
import { measure, Stop } from "../../scripts/find_permits/run.mjs";
import { Guard } from "../../scripts/find_permits/safety.mjs";
import { judge } from "../../scripts/find_permits/verdict.mjs";
import { VirtualClock, VirtualShop } from "./virtual.mjs";

const STEPS = [
  { name: "page", delay_ms: 10, think_ms: [0, 0] },
  { name: "order", work_ms: 40, think_ms: [200, 600] },
];
/** A visit in the empty shop: both answers and the thinking between them. */
export const VISIT_MS = 10 + 40 + 400;

/** People at the knee of such a shop: pieces of work a second × the time of a visit. */
export const kneeOf = ({ segments, servers }) => ((segments * servers) / 40) * VISIT_MS;

/** The clock as a machine sees it that does everything late by `lateMs(nowMs)`. */
const late = (clock, lateMs) => ({
  now: () => clock.now(),
  at(atMs, call) {
    let cancel = clock.at(atMs, () => {
      cancel = clock.at(clock.now() + lateMs(clock.now()), call);
    });
    return () => cancel();
  },
});

/**
 * `{ verdict, seen, shop, clock, events }` of a run with this shop, this chance, and these caps. `lateMs(nowMs)` says by how much the generator's machine is
 * late with whatever it does at this moment.
 */
export async function simulate(
  shopOptions,
  seed,
  { caps: own = {}, onEvent = () => {}, machine = { open: () => {}, close: () => ({ cpu_percent: 1 }) }, stop = new Stop(), lateMs = () => 0 } = {},
) {
  const clock = new VirtualClock();
  const ownClock = late(clock, lateMs);
  const shop = new VirtualShop(clock, { ...shopOptions, roll: diceOf(seed + 1_000) });
  const caps = { people_max: 500, requests_per_s_max: 5_000, run_ms_max: 3_600_000, ...own };
  const events = [];
  const tell = (event) => {
    events.push({ ...event, atMs: clock.now() });
    onEvent({ event, clock, shop, stop });
  };
  const times = { level_ms: 3_500, settle_ms: 1_500, look_ms: 1_500, down_ms: 1_000 };
  const guard = new Guard(caps);
  const heard = async (answer) => {
    const said = await answer;
    const byMs = lateMs(clock.now());
    if (byMs > 0) await new Promise((resolve) => clock.at(clock.now() + byMs, resolve));
    return said;
  };
  const openVisitor = () => {
    const visitor = shop.openVisitor();
    return {
      ...visitor,
      ask: (step) => {
        const why = guard.mayAsk(clock.now());
        return why === null ? heard(visitor.ask(step)) : Promise.resolve({ isOk: false, status: 0, why, mustStop: true });
      },
    };
  };
  const seen = await clock.run(measure({ clock: ownClock, steps: STEPS, openVisitor, roll: diceOf(seed), machine, times, caps, stop, guard, tell }));
  return { verdict: judge(seen.levels, { ...seen, seed }), seen, shop, clock, events, guard };
}
