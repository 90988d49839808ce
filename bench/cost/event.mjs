// Runs a simulated event on `workerd serve` and counts everything in it that Cloudflare bills: visitors arrive, wait, are called, land, look at some
// pages and give their permit back. `bench/lib/counting.js` counts at Baton, `people.mjs` at the visitors.

import { fork } from "node:child_process";
import { once } from "node:events";
import { inRoot } from "../../scripts/common.mjs";
import { ask, cpuSeconds } from "../lib/stage.mjs";

const PROCESSES = 2;
const ROOM = "sale";
/** The longest time to wait until every permit is back. */
const SETTLE_MS_MAX = 60_000;
/** The `crowd` that a room needs for one more lobby. */
const LOBBY_SIZE = 10_000;

/**
 * Runs one event: `{ visitors, together, per_s, pages, pause_ms, permits, lobbies, settings }`. Resolves to the counts, with the
 * event's own figures beside them.
 */
export async function runEvent(stage, event) {
  const { visitors, together, per_s, pages, pause_ms, permits, lobbies, settings = {} } = event;
  const room = { permits, crowd: lobbies * LOBBY_SIZE, journal_keep_days: 1, claim_within_s: 120, ...settings };
  const baton = await stage.baton({ [ROOM]: room }, { wrapper: inRoot("bench", "lib", "counting.js"), isFed: false });
  const startedAt = performance.now();
  const crowd = await Promise.all(Array.from({ length: PROCESSES }, () => Part.start(stage)));
  const share = {
    room: ROOM,
    port: baton.port,
    visitors: visitors / PROCESSES,
    together: Math.ceil(together / PROCESSES),
    per_s: per_s / PROCESSES,
    pages,
    pause_ms,
  };
  const report = () =>
    process.stderr.write(
      `${event.name}: ${crowd.reduce((sum, { soFar }) => sum + soFar, 0)} of ${visitors} through, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`,
    );
  const reporting = setInterval(report, 10_000);
  const people = sum(await Promise.all(crowd.map((part) => part.run(share))).finally(() => clearInterval(reporting)));
  const took_s = (performance.now() - startedAt) / 1_000;
  const during = await counts(baton);
  await settled(baton, permits);
  const counted = await counts(baton);
  const { next_number } = await baton.report(ROOM);
  const cpu_s = cpuSeconds(baton.pid);
  await baton.stop();
  check(event, { people, counted, next_number });
  return {
    ...event,
    took_s: round(took_s),
    cpu_s: round(cpu_s ?? 0),
    people,
    counted,
    after: { requests: counted.requests - during.requests, alarms: counted.alarms - during.alarms },
  };
}

const counts = async (baton) => JSON.parse(await ask(baton.port, "/bench/counts"));

/**
 * Resolves when every permit is back. What is counted after that belongs to nobody's visit. Throws if permits are still
 * missing after `SETTLE_MS_MAX`.
 */
async function settled(baton, permits) {
  const until = performance.now() + SETTLE_MS_MAX;
  for (;;) {
    const report = await baton.report(ROOM);
    if (report.hand + report.tray === permits) return;
    if (performance.now() > until) throw new Error(`permits are missing at the end: ${JSON.stringify(report)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
}

/** Throws if what was counted at Baton is not what the visitors did. */
function check({ visitors, pages }, { people, counted, next_number }) {
  const expected = {
    pages: [people.pages, visitors],
    "numbers given out": [next_number - 1, visitors],
    "who waited and who walked in": [people.landings + people.walk_ins, visitors],
    "requests to the worker": [counted.worker - counted.operator, people.pages + people.sockets + people.landings + people.inside + people.again],
    "pages inside": [people.inside, visitors * pages],
  };
  for (const [what, [found, wanted]] of Object.entries(expected)) {
    if (found !== wanted) throw new Error(`${what}: ${found}, expected ${wanted}`);
  }
}

function sum(tallies) {
  const total = {};
  for (const tally of tallies) for (const [name, value] of Object.entries(tally)) total[name] = (total[name] ?? 0) + value;
  return Object.fromEntries(Object.entries(total).map(([name, value]) => [name, round(value)]));
}

const round = (value) => Math.round(value * 10) / 10;

/** A process with half of the visitors. */
class Part {
  soFar = 0;
  #child;

  static async start(stage) {
    const part = new Part();
    part.#child = fork(inRoot("bench", "cost", "people.mjs"), [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    stage.keep(part);
    return part;
  }

  run(plan) {
    return new Promise((resolve, reject) => {
      this.#child.on("message", ({ so_far, done, failed }) => {
        this.soFar = (so_far ?? done)?.inside / plan.pages || this.soFar;
        if (failed) reject(new Error(failed));
        if (done) resolve(done);
      });
      this.#child.once("exit", () => reject(new Error("a process of visitors is gone")));
      this.#child.send(plan);
    });
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
