// The buyers of the scripted sale: each comes to the page, waits on its socket, goes in when called, buys one seat and leaves. Each is a real HTTP
// client, as a browser would be. They assert nothing; `checks.mjs` judges what they remember.

import { setTimeout as sleep } from "node:timers/promises";
import { planCrowd } from "../../demo/crowd.mjs";
import { Visitor } from "../../tests/support/visitor.mjs";
import { brandOf } from "./house.mjs";

const LANDINGS_MAX = 5;

/**
 * Plans who comes when: `early` people within `earlyMs` from now, before the opening; the others within `lateMs` after it. The
 * same seed gives the same plan.
 */
export function planSale({ people, early, earlyMs, lateMs, opensInMs, holdMs, seed }) {
  const before = planCrowd({ visitors: early, arriveWithinMs: earlyMs, holdMs, seed });
  const after = planCrowd({ visitors: people - early, arriveWithinMs: lateMs, holdMs, seed: seed + 1 });
  const plans = [...before, ...after.map((plan) => ({ ...plan, arriveAfterMs: opensInMs + plan.arriveAfterMs }))];
  return plans.map((plan, at) => ({ ...plan, name: `buyer ${at + 1}` }));
}

/**
 * Lets all of them live; `done` resolves when the last one is done. Each ends as `bought`, as `sold out`, or as what went wrong. `page` is what their
 * first waiting page showed of the brand, or null if they walked in.
 */
export function sendBuyers(plans, { url, signal }) {
  const people = plans.map((plan) => ({
    plan,
    visitor: new Visitor({ url, name: plan.name }),
    cameAtMs: null,
    insideFromMs: null,
    entry: null,
    page: null,
    end: null,
  }));
  const lives = people.map(async (person) => {
    person.end = await live(person, signal).catch((error) => `failed: ${error.message}`);
    person.visitor.closeSocket();
  });
  return { people, done: Promise.all(lives) };
}

async function live(person, signal) {
  const { plan, visitor } = person;
  await sleep(plan.arriveAfterMs, undefined, { signal });
  person.cameAtMs = Date.now();
  let landing = await visitor.arrive();
  if (landing.state === "waiting") person.page = brandOf(landing.body);
  for (let tries = 0; landing.state === "waiting"; tries += 1) {
    const state = await called(person, signal);
    if (state === "over" || state === "none")
      return visitor.last.reason === "sold_out" || visitor.last.mode === "sold_out" ? "sold out" : `over: ${visitor.last.reason}`;
    if (tries === LANDINGS_MAX) return "never let in";
    landing = await visitor.claimByLanding();
  }
  if (landing.status >= 400) return `refused: ${landing.status}`;
  person.insideFromMs = Date.now();
  visitor.closeSocket();
  // When the last seat is gone, the shop's page has no form and gives the permit back by itself.
  if (visitor.tab.formKey === undefined) return "sold out";
  await sleep(plan.holdMs, undefined, { signal });
  const { booking, status } = await visitor.book({ seats: 1 });
  if (booking) return "bought";
  await visitor.leave();
  return status === 409 ? "sold out" : `booking refused: ${status}`;
}

/** Waits until the line calls or is over. Opens a lost socket again, as the page does. */
async function called(person, signal) {
  const { plan, visitor } = person;
  for (;;) {
    try {
      if (!visitor.socket) person.entry ??= (await visitor.openSocket())?.entry ?? null;
      await visitor.waitFor(
        ({ state, last }) => signal.aborted || ["called", "admitted", "over"].includes(state) || last?.mode === "sold_out",
        300_000,
      );
      signal.throwIfAborted();
      return visitor.state;
    } catch (error) {
      signal.throwIfAborted();
      if (error.status === undefined && error.code === undefined && !/socket/.test(error.message)) throw error;
      visitor.closeSocket();
      await sleep(plan.reconnectMs, undefined, { signal });
    }
  }
}
