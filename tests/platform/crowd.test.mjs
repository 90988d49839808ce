// A crowd on the strict platform: some leave in the middle of requests, and in the middle of the sale there is a deploy in
// which objects take up the new code late. Everybody is served once, in the end, and nothing was asked of an object or the
// platform that Cloudflare would have refused.
//
//   CROWD=10000 node --test tests/platform/crowd.test.mjs       a larger one
//   BATON_OLD_WORKER=DIR                                        the build before, to deploy from; else this one's twin for tests

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { backoffMs } from "../../web/connection.js";
import { build, workerDir } from "../../scripts/build.mjs";
import { ISOLATE_BYTES_MAX, startPlatform } from "./platform.mjs";

const CROWD = Number(process.env.CROWD ?? 2_000);
const ROOM = {
  permits: 50,
  tick_ms: 100,
  claim_within_s: 30,
  linger_s: 30,
  lease_idle_s: 60,
  crowd: 20_000,
  tickets_per_ip_max: 0,
  walk_ins_per_ip_max: 0,
  joins_per_ip_per_minute: 0,
  joins_per_visitor_per_minute: 0,
};
/** One of these leaves in the middle of a request, and comes again. */
const LEAVES_EVERY = 20;
const COMES_EVERY_MS = 4;
/** Half of what the platform allows. A stub that a deploy has broken may be made anew a step or two deeper. */
const DEPTH_GOOD = 8;
const TRY_AGAIN_MS = 250;
/** A sale goes on as long as people are served, however slow the machine is. When nobody is for so long, it hangs. */
const STALLED_MS = 120_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function twin() {
  const old = process.env.BATON_OLD_WORKER;
  if (old) return old;
  const dir = workerDir({ faults: true });
  if (!process.env.BATON_AS_BUILT || !existsSync(`${dir}/index_bg.wasm`)) await build({ faults: true });
  return dir;
}

/** Who has been served, and whether that goes on. */
class Sale {
  /** Their numbers. */
  served = [];
  #lastMs = Date.now();

  serves(number) {
    this.served.push(number);
    this.#lastMs = Date.now();
  }

  get isStalled() {
    return Date.now() - this.#lastMs > STALLED_MS;
  }

  /** Once so many have been served. */
  async comesTo(count) {
    while (this.served.length < count) {
      if (this.isStalled) throw new Error(`nobody was served for ${STALLED_MS} ms, after ${this.served.length} of ${CROWD}`);
      await pause(50);
    }
  }

  /** Does it again while there is no answer, or one that says to come again: what a page does. */
  async insists(what, act, pauseMs = () => TRY_AGAIN_MS * (0.5 + Math.random())) {
    for (;;) {
      const answer = await act().catch((error) => ({ status: error.message }));
      if (!(typeof answer?.status === "string" || answer?.status >= 500)) return answer;
      if (this.isStalled) throw new Error(`${what}: ${answer.status}`);
      await pause(pauseMs());
    }
  }
}

/** Waits on a socket until the turn comes, on a new one whenever the old one goes: after as long a pause as the page makes. */
async function untilCalled(sale, person) {
  const isIn = ({ state }) => state === "called" || state === "admitted";
  await sale.insists(
    "the turn",
    async () => {
      if (!person.socket || person.tab.closed) await person.openSocket();
      await person.waitFor(isIn, STALLED_MS);
    },
    () => backoffMs(0, (person.last?.spread_s ?? 0) * 1_000),
  );
}

async function live(it, sale, person, at) {
  await sale.insists("the page", () => person.arrive());
  if (at % LEAVES_EVERY === 0) {
    await sale.insists("leaving", () =>
      it.leave(at % (2 * LEAVES_EVERY) === 0 ? "/buy/" : "/__baton/onsale/status?wait_s=5", {
        afterMs: 2,
        headers: { cookie: person.jar.header(), accept: "text/html" },
      }),
    );
  }
  for (let landed; landed?.state !== "shop"; ) {
    await untilCalled(sale, person);
    landed = await sale.insists("landing", () => person.claimByLanding());
  }
  const { number } = person;
  person.closeSocket();
  await sale.insists("the release", () => person.request("/buy/release"));
  sale.serves(number);
}

test(`${CROWD} people, some of whom leave in the middle, and a deploy that objects take up late`, { timeout: 1_200_000 }, async (t) => {
  const [current, old] = [workerDir(), await twin()];
  const it = await startPlatform(t, {
    room: ROOM,
    runtime: { workerDir: old },
    vars: { BATON_ADMIN_TOKEN: "admin-token-of-the-crowd-of-this-test" },
  });
  it.memory.watch();
  const sale = new Sale();
  const people = Array.from({ length: CROWD }, (_, at) => it.visitor({ name: `person ${at}` }));
  const tooMany = { tooDeep: 0, overloaded: 0, tooLong: 0, depthMost: 0 };
  const noteCounts = async () => {
    const { too_deep: tooDeep, overloaded, too_long: tooLong, depth_max: depth } = await it.counts();
    Object.assign(tooMany, {
      tooDeep: tooMany.tooDeep + tooDeep,
      overloaded: tooMany.overloaded + overloaded,
      tooLong: tooMany.tooLong + tooLong,
      depthMost: Math.max(tooMany.depthMost, depth),
    });
  };
  const lives = people.map(async (person, at) => {
    await pause(at * COMES_EVERY_MS);
    await live(it, sale, person, at);
  });
  const all = Promise.all(lives);
  const deploys = (async () => {
    for (const [share, late] of [
      [0.25, ["RoomObject"]],
      [0.5, ["LobbyObject"]],
    ]) {
      await sale.comesTo(CROWD * share);
      await noteCounts();
      const to = share === 0.25 ? current : old;
      const { finish } = await it.deploy(to, { from: to === current ? old : current, late });
      await sale.comesTo(CROWD * (share + 0.15));
      await finish();
    }
  })();
  await Promise.all([all, deploys]);
  await noteCounts();
  assert.equal(sale.served.length, CROWD);
  assert.equal(new Set(sale.served).size, CROWD, "a number is one person's");
  assert.deepEqual(
    people.flatMap((person) => person.aheadRises()),
    [],
    "ahead never rises",
  );
  const { inside_max: insideMax } = it.shop.stats();
  assert.ok(insideMax <= ROOM.permits, `${insideMax} were inside, ${ROOM.permits} may be`);
  console.log(
    `${CROWD} served; ${JSON.stringify(tooMany)}; an isolate took ${(it.memory.bytesMost / 1048576).toFixed(1)} of ${ISOLATE_BYTES_MAX / 1048576} MB`,
  );
  const { depthMost, ...refused } = tooMany;
  assert.deepEqual(refused, { tooDeep: 0, overloaded: 0, tooLong: 0 });
  assert.ok(depthMost <= DEPTH_GOOD, `${depthMost} calls deep: front, lobby, room and lobby are four`);
  assert.equal(it.memory.kills, 0);
});
