// What faults cost, as figures: a row each with what is seen and what it may be.

import assert from "node:assert/strict";
import { once } from "node:events";
import WebSocket from "ws";
import { eventually, pass, scene } from "../runtime/harness.mjs";
import { clock } from "../runtime/support/set_clock.mjs";
import { socketsHeld } from "../runtime/support/self_hosted.mjs";
import { disk } from "./faults.mjs";

const HOUR_S = 3_600;
const LEAP_S = 600;
const ACTIVE = 50;
const FILES = 1_024;
/** More than can be held at once. */
const COMING = 520;
/** Requests of which the middle one counts. */
const ASKS = 301;

/** Plays a scene, with the shim that `make` gives, and resolves to what `story(it, set)` does. */
async function played(make, settings, story) {
  const ends = [];
  const { env, set } = make?.({ after: (end) => ends.push(end) }) ?? {};
  const it = await scene({ ...settings, env });
  try {
    return await story(it, set);
  } finally {
    await it.stop();
    for (const end of ends) end();
  }
}

const isIn = async (visitor) => (await visitor.arrive()).state === "shop";

async function inside(it, count) {
  const people = [];
  for (let i = 0; i < count; i += 1) people.push(await it.holder());
  return people;
}

const putOut = () =>
  played(clock, { permits: ACTIVE, lease_idle_s: 300, walk_ins_per_ip_max: 0 }, async (it, set) => {
    const people = await inside(it, ACTIVE);
    await pass(12_000);
    await Promise.all(people.map(isIn));
    set(LEAP_S);
    await pass(3_000);
    const are = await Promise.all(people.map(isIn));
    return are.filter((is) => !is).length;
  });

const nextCallS = () =>
  played(clock, { permits: 3, tick_ms: 1_000, lease_idle_s: 20, linger_s: 5 }, async (it, set) => {
    const people = await inside(it, 3);
    const line = await it.line(6);
    await Promise.all(people.map(isIn));
    const endsAt = performance.now() + 20_000;
    await pass(5_000);
    set(-HOUR_S);
    await line[0].waitForState("called", 150_000);
    return Math.max(0, performance.now() - endsAt) / 1_000;
  });

/** How long requests of somebody inside take, one after the other: the middle one of so many, ms. */
async function middleMs(person, count) {
  const taken = [];
  for (let i = 0; i < count; i += 1) {
    const askedAt = performance.now();
    assert.ok(await isIn(person), "still inside");
    taken.push(performance.now() - askedAt);
  }
  return taken.toSorted((a, b) => a - b)[count >> 1];
}

/** The first request that learns that the room is away, in seconds, and what the later ones take beside those of before, as a ratio. */
const away = () =>
  played(disk, { permits: 1, pass_ttl_s: 2, lease_idle_s: 600 }, async (it, set) => {
    const [person] = await inside(it, 1);
    await middleMs(person, ASKS);
    const before = await middleMs(person, ASKS);
    set("full");
    await pass(4_000);
    const first = (await middleMs(person, 1)) / 1_000;
    const later = await middleMs(person, ASKS);
    set("well");
    return { first, ratio: later / before };
  });

/** Played once for both of its figures. */
let awayPlayed;
const awayOnce = () => (awayPlayed ??= away());

const deadS = () =>
  played(undefined, { permits: 0, linger_s: 10 }, async (it) => {
    const visitor = await it.waiter();
    const { url } = visitor.tab.socket;
    visitor.closeSocket();
    // Nobody pings by it, so that nothing is heard of it any more.
    const dead = new WebSocket(url, { headers: { origin: visitor.url.origin, cookie: visitor.jar.header() } });
    await once(dead, "message");
    const openedAt = performance.now();
    const report = async () =>
      (await (await fetch(new URL("/__baton/admin/rooms/onsale", it.rt.url), { headers: { authorization: `Bearer ${it.token}` } })).json()).report;
    await eventually(async () => (await report()).away === 1, { timeoutMs: 240_000, everyMs: 500, what: "the end of a dead socket" });
    dead.terminate();
    return (performance.now() - openedAt) / 1_000;
  });

async function socketsAt() {
  const ends = [];
  try {
    const { held, isUp, people } = await socketsHeld({ after: (end) => ends.push(end) }, { files: FILES, coming: COMING, atOnce: 1 });
    for (const visitor of people) visitor.closeSocket({ abrupt: true });
    return isUp ? held.length : 0;
  } finally {
    for (const end of ends.reverse()) end();
  }
}

/** `most` or `least`: what it may be; a row without either is printed only. */
export const FIGURES = [
  { what: `people put out by a leap of 10 minutes, ${ACTIVE} active`, measure: putOut, most: 0, unit: "" },
  { what: "next call after the clock was set back by an hour, six waiting", measure: nextCallS, most: 3, unit: "s" },
  { what: "the first request of somebody inside that finds the room away", measure: async () => (await awayOnce()).first, unit: "s" },
  { what: "the later ones, beside those of before", measure: async () => (await awayOnce()).ratio, most: 1.1, unit: "×" },
  { what: "a dead socket's visitor is away after", measure: deadS, most: 105, unit: "s" },
  { what: `sockets held at a limit of ${FILES} descriptors; 0: the process ended`, measure: socketsAt, least: 470, unit: "" },
];
