// A real crowd on this machine: the built worker on `workerd serve`, its objects counted, and people with real sockets in two processes.
// `npm run scale -- --validate` holds the model against it.
//
// The people come within some time and stand in line while permits are given back. Then workerd is killed, which loses every socket and all that
// objects had in memory. It is started again, and everybody comes back, spread over some time.

import { fork } from "node:child_process";
import { once } from "node:events";
import { inRoot } from "../../scripts/common.mjs";
import { calibrate, CALIBRATION_ROOMS } from "./calibrate.mjs";
import { quantile } from "../../scripts/figures.mjs";
import { countsOf, forgetMost, since } from "./gauge.mjs";

const PROCESSES = 2;
const ROOM = "crowd";
const HOUR_S = 3_600;
const SECOND = 1_000;
const ascending = (a, b) => a - b;

/**
 * Plays the crowd `{ people, lobbies, porters, arrive_s, stand_s, spread_s, flow, tick_ms }`. Resolves to `{ machine, lost, rush, return }`: what
 * each piece of work took beforehand, how many sockets were lost, and what was seen, in the words of `events.mjs`.
 */
export async function playCrowd(stage, plan, say) {
  const { people, lobbies, arrive_s, stand_s, spread_s, flow, tick_ms, porters } = plan;
  // A person who is called while everybody is away keeps the permit until coming back, so there must be others.
  const inside = Math.ceil(flow * Math.max(spread_s, 5));
  const room = {
    permits: inside,
    crowd: lobbies * 10_000,
    tick_ms,
    walk_in: false,
    linger_s: 120,
    grace_s: 240,
    claim_within_s: 300,
    lease_idle_s: HOUR_S,
    lease_max_s: 2 * HOUR_S,
    pass_ttl_s: HOUR_S,
    journal_keep_days: 1,
  };
  const baton = await stage.baton({ [ROOM]: room, ...CALIBRATION_ROOMS }, { wrapper: inRoot("bench", "lib", "counting.js"), isFed: false });
  say("measures this machine with a few people");
  const machine = { ...(await calibrate(baton, { hasPorters: porters > 0 })), ears: PROCESSES };
  const crowd = await Crowd.begin(stage, baton.port, plan.lines);
  say(`${inside} go in, so that there is somebody to give back`);
  await crowd.arrive({ count: inside, arrive_s: inside / 200 });
  await crowd.landed(inside);
  await crowd.batons();

  say(`${people} come within ${arrive_s} s`);
  const begun = await counted(baton);
  // The first second belongs to those who come: a permit that came back earlier would find nobody.
  const flows = crowd.after(SECOND, () => crowd.release({ flow, seconds: arrive_s + stand_s - 1 }));
  const arrived = await crowd.arrive({ count: people, arrive_s });
  const released = await flows;
  await crowd.landed(inside + released);
  const took = arrived.map(({ took_ms }) => took_ms).sort(ascending);
  const numbered = {
    numbered_s: took.at(-1) / SECOND,
    numbered_p50_s: quantile(took, 0.5) / SECOND,
    numbered_at_s: most(arrived.map(({ after_ms }) => after_ms)) / SECOND,
  };
  const rush = { ...seen(begun, await countsOf(baton)), ...times(await crowd.batons()), ...numbered };

  say("every socket is lost");
  const lost = await crowd.lose();
  await baton.runtime.restart();
  await baton.report(ROOM);
  say(`${lost} come back within ${spread_s} s`);
  const restarted = await counted(baton);
  const coming = crowd.comeBack({ port: baton.port, spread_s });
  const releasedAgain = await crowd.release({ flow, seconds: spread_s });
  const back = await coming;
  await crowd.landed(inside + released + releasedAgain);
  const returned = { ...seen(restarted, await countsOf(baton)), ...times(await crowd.batons()), back_s: most(back) / SECOND };
  return { machine, lost, rush, return: returned };
}

async function counted(baton) {
  await forgetMost(baton);
  return countsOf(baton);
}

const most = (values) => values.reduce((max, value) => Math.max(max, value), 0);

/** Returns what was counted meanwhile, in the model's words. */
function seen(before, after) {
  const { by, rows, most: busiest } = since(before, after);
  const all = (kind) =>
    Object.entries(by)
      .filter(([name]) => name.startsWith(`${kind} /`))
      .reduce((sum, [, count]) => sum + count, 0);
  const requests = Object.fromEntries(["room", "lobby", "porter"].map((kind) => [kind, { most_per_s: busiest[kind] ?? 0, in_all: all(kind) }]));
  return { requests, rows: rows["room insert journal"] ?? 0, batches: by["porter /batch"] ?? by["room /room"] ?? 0, by };
}

/** Pairs releases and calls in their order: the first permit that came back went to the lowest number that was called. */
function times({ releases, calls, again }) {
  if (releases.length !== calls.length) throw new Error(`${releases.length} permits came back and ${calls.length} people were called`);
  const sent = releases.sort(ascending);
  const heard = calls.sort((a, b) => a.number - b.number);
  const batons = heard
    .map(({ at, wasThere }, index) => ({ took: at - sent[index], wasThere }))
    .filter(({ wasThere }) => wasThere)
    .map(({ took }) => took)
    .sort(ascending);
  return { batons: batons.length, baton_p50_ms: quantile(batons, 0.5), baton_p99_ms: quantile(batons, 0.99), again };
}

/** The crowd's processes as one. */
class Crowd {
  #parts;

  static async begin(stage, port, lines) {
    const crowd = new Crowd();
    crowd.#parts = await Promise.all(
      Array.from({ length: PROCESSES }, (_, part) => Part.start(stage, { port, room: ROOM, part, seed: part + 1, lines: lines / PROCESSES })),
    );
    return crowd;
  }

  async #all(call, of) {
    return Promise.all(this.#parts.map((part, index) => part.call(call, of(index))));
  }

  async arrive({ count, arrive_s }) {
    return (await this.#all("arrive", (index) => ({ count: shareOf(count, index), arrive_s }))).flat();
  }

  async release({ flow, seconds }) {
    return sum(await this.#all("release", () => ({ flow: flow / PROCESSES, seconds })));
  }

  async comeBack(of) {
    return (await this.#all("comeBack", () => of)).flat();
  }

  async lose() {
    return sum(await this.#all("lose", () => ({})));
  }

  async batons() {
    const parts = await this.#all("batons", () => ({}));
    return {
      releases: parts.flatMap(({ releases }) => releases),
      calls: parts.flatMap(({ calls }) => calls),
      again: sum(parts.map(({ again }) => again)),
    };
  }

  /** Resolves when `count` people have landed in all. */
  async landed(count) {
    await new Promise((resolve, reject) => {
      const look = () => {
        const failed = this.#parts.find((part) => part.failed);
        if (failed) reject(failed.failed);
        if (sum(this.#parts.map((part) => part.landed)) >= count) resolve();
      };
      for (const part of this.#parts) part.onLanded = look;
      look();
    });
  }

  async after(ms, act) {
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    return act();
  }
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const shareOf = (count, index) => Math.floor((count + index) / PROCESSES);

/** One process of people. */
class Part {
  landed = 0;
  onLanded = () => {};
  #child;
  #waiting = [];

  static async start(stage, plan) {
    const part = new Part();
    part.#child = fork(inRoot("bench", "scale", "people.mjs"), [], { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
    stage.keep(part);
    part.#child.on("message", (message) => part.#hear(message));
    part.#child.once("exit", () => part.#fail(new Error("a process of the crowd is gone")));
    await part.call("begin", plan);
    return part;
  }

  #hear({ landed, call, done, failed }) {
    if (failed) return this.#fail(new Error(failed));
    if (landed) {
      this.landed += landed;
      return this.onLanded();
    }
    this.#waiting.find((each) => each.name === call)?.resolve(done);
    this.#waiting = this.#waiting.filter((each) => each.name !== call);
  }

  #fail(error) {
    this.failed = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.onLanded();
  }

  /** Asks the process for something that it does beside everything else. Resolves to its answer. */
  call(name, of) {
    if (this.failed) throw this.failed;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, resolve, reject });
      this.#child.send({ call: name, of });
    });
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
