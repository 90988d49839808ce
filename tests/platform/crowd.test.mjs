// A crowd on the strict platform: some leave in the middle of requests, and in the middle of the sale there is a deploy in
// which objects take up the new code late. Everybody is served once, in the end, and nothing was asked of an object or the
// platform that Cloudflare would have refused.
//
//   CROWD=10000 node --test tests/platform/crowd.test.mjs       a larger one
//   BATON_OLD_WORKER=DIR                                        the build before, to deploy from; else this one's twin for tests

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { build, workerDir } from "../../scripts/build.mjs";
import { eventually } from "../runtime/support/world.mjs";
import { ISOLATE_BYTES_MAX, startPlatform } from "./platform.mjs";

const CROWD = Number(process.env.CROWD ?? 2_000);
const ROOM = { permits: 50, tick_ms: 100, claim_within_s: 30, linger_s: 30, lease_idle_s: 60, crowd: 20_000, tickets_per_ip_max: 0, walk_ins_per_ip_max: 0, joins_per_ip_per_minute: 0, joins_per_visitor_per_minute: 0 };
/** Of these one leaves in the middle of a request, and comes again. */
const LEAVES_EVERY = 20;
const COMES_EVERY_MS = 4;
const TRIES = 60;
const TRY_AGAIN_MS = 250;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function twin() {
  const old = process.env.BATON_OLD_WORKER;
  if (old) return old;
  const dir = workerDir({ faults: true });
  if (!process.env.BATON_AS_BUILT || !existsSync(`${dir}/index_bg.wasm`)) await build({ faults: true });
  return dir;
}

/** Does it again while there is no answer, or one that says to come again: what a page does. */
async function insist(what, act) {
  for (let left = TRIES; ; left -= 1) {
    try {
      const answer = await act();
      if (!(answer?.status >= 500)) return answer;
      if (left === 0) throw new Error(`${what}: ${answer.status}`);
    } catch (error) {
      if (left === 0) throw new Error(`${what}: ${error.message}`);
    }
    await pause(TRY_AGAIN_MS * (0.5 + Math.random()));
  }
}

/** Waits on a socket until the turn comes, on a new one whenever the old one goes. */
async function untilCalled(person) {
  const isIn = ({ state }) => state === "called" || state === "admitted";
  await insist("the turn", async () => {
    if (!person.socket || person.tab.closed) await person.openSocket();
    await person.waitFor(isIn, 180_000);
  });
}

async function live(it, person, at) {
  await insist("the page", () => person.arrive());
  if (at % LEAVES_EVERY === 0) {
    await insist("leaving", () => it.leave(at % (2 * LEAVES_EVERY) === 0 ? "/buy/" : "/__baton/onsale/status?wait_s=5", { afterMs: 2, headers: { cookie: person.jar.header(), accept: "text/html" } }));
  }
  for (let tries = 0; tries < TRIES; tries += 1) {
    await untilCalled(person);
    const landed = await insist("landing", () => person.claimByLanding());
    if (landed.state === "shop") break;
  }
  const { number } = person;
  person.closeSocket();
  await insist("the release", () => person.request("/buy/release"));
  return number;
}

/** Once so many have been served. */
const served = (done, share) => eventually(() => done.length >= CROWD * share, { timeoutMs: 600_000, everyMs: 50, what: `${share} of them served` });

test(`${CROWD} people, some of whom leave in the middle, and a deploy that objects take up late`, { timeout: 1_200_000 }, async (t) => {
  const [current, old] = [workerDir(), await twin()];
  const it = await startPlatform(t, { room: ROOM, runtime: { workerDir: old }, vars: { BATON_ADMIN_TOKEN: "admin-token-of-the-crowd-of-this-test" } });
  it.memory.watch();
  const done = [];
  const people = Array.from({ length: CROWD }, (_, at) => it.visitor({ name: `person ${at}` }));
  const tooMany = { tooDeep: 0, overloaded: 0, tooLong: 0, depthMost: 0 };
  const noteCounts = async () => {
    const { too_deep: tooDeep, overloaded, too_long: tooLong, depth_max: depth } = await it.counts();
    Object.assign(tooMany, { tooDeep: tooMany.tooDeep + tooDeep, overloaded: tooMany.overloaded + overloaded, tooLong: tooMany.tooLong + tooLong, depthMost: Math.max(tooMany.depthMost, depth) });
  };
  const lives = people.map(async (person, at) => {
    await pause(at * COMES_EVERY_MS);
    done.push(await live(it, person, at));
  });
  const all = Promise.all(lives);
  const deploys = (async () => {
    for (const [share, late] of [[0.25, ["RoomObject"]], [0.5, ["LobbyObject"]]]) {
      await served(done, share);
      await noteCounts();
      const to = share === 0.25 ? current : old;
      const { finish } = await it.deploy(to, { from: to === current ? old : current, late });
      await served(done, share + 0.15);
      await finish();
    }
  })();
  await Promise.all([all, deploys]);
  await noteCounts();
  assert.equal(done.length, CROWD);
  assert.equal(new Set(done).size, CROWD, "a number is one person's");
  assert.deepEqual(people.flatMap((person) => person.aheadRises()), [], "ahead never rises");
  const { inside_max: insideMax } = it.shop.stats();
  assert.ok(insideMax <= ROOM.permits, `${insideMax} were inside, ${ROOM.permits} may be`);
  console.log(`${CROWD} served; ${JSON.stringify(tooMany)}; an isolate took ${(it.memory.bytesMost / 1048576).toFixed(1)} of ${ISOLATE_BYTES_MAX / 1048576} MB`);
  assert.deepEqual({ ...tooMany, depthMost: 0 }, { tooDeep: 0, overloaded: 0, tooLong: 0, depthMost: 0 });
  assert.equal(it.memory.kills, 0);
});
