// The events of `npm run scale`: a rush at ten o'clock, everybody's return after a deploy, a line that only moves, and a whole sale for its price.
// Each function builds a world, runs it, and returns what it saw. Pure and deterministic.

import { between, diceOf } from "../../scripts/dice.mjs";
import { quantile } from "../../scripts/figures.mjs";
import { World } from "./world.mjs";

/** The least and the most ms after which a called page that is awake lands. */
export const LANDING = [300, 1_500];
/** The most tickets on a page of a room's list: `PAGE_TICKETS_MAX` of src/facts/limits.rs. */
export const LIST_TICKETS = 4_000;
/** The ms between the lists of two lobbies in which nobody is called: `LIST_EVERY_MS` of src/room/courier/greeting.rs. */
export const LIST_GAP = 100;
const SECOND = 1_000;

/** How many pages a second are let come to one lobby: src/gate/pace.rs. */
export const PACE_PER_S = 600;

/** Returns for how many seconds at most a page waits for its turn before it opens its socket; 0 if no page has to. */
export function spreadFor(people, lobbies, arrive_s) {
  const least_s = Math.ceil(people / lobbies / PACE_PER_S);
  return least_s > arrive_s ? least_s : 0;
}

function begin(settings) {
  const world = new World(settings);
  const random = diceOf(settings.seed ?? 1);
  const pick = () => Math.floor(random() * world.lobbies.length);
  world.onCall = (lobby) => world.clock.after(between(random, LANDING), () => world.claim(lobby));
  return { world, random, pick };
}

/** Gives permits back one after the other, `flow` a second, at random lobbies, from `from` to `to` ms. */
function releases({ world, random, pick }, { flow, from, to }) {
  const next = () => {
    if (world.clock.now >= to) return;
    world.release(pick());
    world.clock.after((-Math.log(1 - random()) * SECOND) / flow, next);
  };
  world.clock.at(from, next);
}

/** Sets when each page opens its socket, in ms: in turn, each in the second that it is told, as if every front knew how many come to all fronts. */
function takeTurns(pages, { lobbies, random, spread_s }) {
  let free = 0;
  for (const page of pages.sort((a, b) => a.at - b.at)) {
    free = Math.max(free, page.at) + SECOND / (PACE_PER_S * lobbies);
    const told_s = Math.floor((free - page.at) / SECOND + random() + random());
    page.socket = page.at + Math.max(0, Math.min(spread_s, told_s) - page.blur) * SECOND;
  }
}

/** `people` come within `arrive_s`, and their pages open their sockets in turn within `spread_s`; with 0 each does so immediately. `fronts` counts the visitors' requests to the worker. */
export function rush({ people, arrive_s, spread_s = 0, flow, after_s = 20, ...settings }) {
  const run = begin(settings);
  const { world, random, pick } = run;
  const end = (arrive_s + spread_s) * SECOND;
  /** @type {{ at: number, blur: number, lobby: number, socket?: number }[]} */
  const pages = Array.from({ length: people }, () => ({ at: random() * arrive_s * SECOND, blur: random(), lobby: pick() }));
  if (spread_s > 0) takeTurns(pages, { lobbies: settings.lobbies, random, spread_s });
  for (const { at, socket = at, lobby } of pages)
    world.clock.at(at, () => world.page(() => world.clock.after(socket - at, () => world.join(lobby, at))));
  releases(run, { flow, from: SECOND, to: end + after_s * SECOND });
  world.clock.run(end + (after_s + 120) * SECOND);
  return {
    ...seen(world),
    fronts: people + world.made.join + world.made.claim,
    numbered_s: seconds(most(world.numbered)),
    numbered_at_s: seconds(world.numberedAt),
    numbered_p50_s: seconds(quantile(world.numbered.sort(ascending), 0.5)),
    without_number: people - world.numbered.length,
  };
}

/** `people` wait, and all sockets are lost at once; every lobby has forgotten everything. Calls go on. */
export function comeBack({ people, spread_s, flow, ...settings }) {
  const run = begin(settings);
  const { world, random } = run;
  const lost = world.fillLost(people);
  const pages = Math.max(1, Math.ceil(people / world.lobbies.length / LIST_TICKETS));
  world.lobbies.forEach((_, index) => world.clock.at(index * LIST_GAP, () => world.list(index, pages)));
  let last = 0;
  for (const person of lost)
    world.clock.at(random() * spread_s * SECOND, () =>
      world.reopen(person, () => {
        last = world.clock.now;
      }),
    );
  releases(run, { flow, from: 0, to: spread_s * SECOND });
  world.clock.run();
  return { ...seen(world), fronts: people + world.made.claim, back_s: seconds(last) };
}

/** `people` wait already, nobody else comes, and `flow` a second go in: measures how long a baton takes. */
export function handOver({ people, flow, lasts_s = 30, ...settings }) {
  const run = begin(settings);
  run.world.fill(people);
  releases(run, { flow, from: 0, to: lasts_s * SECOND });
  run.world.clock.run();
  return seen(run.world);
}

/** A whole sale: `people` come evenly, and `crowd` of them wait at once for `wait_s`. Counts the requests and rows that the price is made of. */
export function sale({ people, crowd, wait_s, ...settings }) {
  const run = begin(settings);
  const { world, pick, random } = run;
  const flow = crowd / wait_s;
  world.fill(crowd);
  let come = 0;
  const next = () => {
    if (come++ >= people) return;
    world.join(pick());
    world.clock.after((-Math.log(1 - random()) * SECOND) / flow, next);
  };
  world.clock.at(0, next);
  const lasts_s = people / flow;
  releases(run, { flow, from: 0, to: lasts_s * SECOND });
  world.clock.run();
  return { ...seen(world), lasts_s, people };
}

const ascending = (a, b) => a - b;
const most = (values) => values.reduce((max, value) => Math.max(max, value), 0);
const seconds = (ms) => (ms === null ? null : ms / SECOND);

/** Returns for each second the requests of the object that had most of them in it. */
const busiest = (of) => Array.from({ length: most(of.map(({ length }) => length)) }, (_, second) => most(of.map((counts) => counts[second] ?? 0)));

function seen(world) {
  const batons = world.batons.sort(ascending);
  const servers = { room: [world.room], lobby: world.lobbies.map(({ server }) => server), porter: world.porters.map(({ server }) => server) };
  const requests = Object.fromEntries(
    Object.entries(servers).map(([kind, of]) => [
      kind,
      { most_per_s: most(of.map((server) => server.most)), in_all: of.reduce((sum, server) => sum + server.requests, 0) },
    ]),
  );
  const perSecond = Object.fromEntries(Object.entries(servers).map(([kind, of]) => [kind, busiest(of.map((server) => server.perSecond))]));
  return {
    baton_p50_ms: quantile(batons, 0.5),
    baton_p99_ms: quantile(batons, 0.99),
    batons: batons.length,
    requests,
    perSecond,
    rows: world.rows,
    batches: world.made.batch,
    made: world.made,
    ofReleases: world.ofReleases,
    objects: world.lobbies.length + world.porters.length + 1,
    took_s: seconds(world.clock.now),
  };
}
