// Chaos on the real runtime: a crowd, and a runtime that is killed without warning again and again. People keep their
// places, those inside stay inside, numbers go on, and in the end everybody who stayed was served.
//
//   npm run chaos -- [--minutes 10] [--visitors 300] [--permits 5] [--seed N] [--idle-s 12]
//
// `visitors` is how many are there at once: while the killing goes on, somebody new comes for everyone who is done. The
// same seed gives the same people and the same kinds of kills; whose request a kill meets is the machine's.
// Exit code 0: all is well. 1: a promise was broken; the story and the command that tries again are printed.

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile } from "../../scripts/figures.mjs";
import { compilePrograms } from "../../scripts/programs.mjs";
import { allPermitsAreThere, journalIsSound } from "./finale.mjs";
import { killUntil } from "./killer.mjs";
import { Person, planOf } from "./person.mjs";
import { ROOM, Stage } from "./stage.mjs";
import { Witness } from "./witness.mjs";

const GATHER_MS_MAX = 10_000;
const LOOK_EVERY_MS = 500;
const PROGRESS_EVERY_MS = 5_000;
const STORIES_MAX = 3;
const LATEST_LINES = 20;
const VIOLATIONS_MAX = 200;

/**
 * How long after the last kill everybody who stayed must be served: half a minute, and four seconds of a permit for
 * each (most hold it for a second, one in eight for some, one in seventeen lets a lease of eight run out).
 */
const boundMs = ({ people, permits }) => 30_000 + (people * 4_000) / permits;

/** Ends of a life that are somebody's own doing or a success; any other is a ticket that ended by itself. */
const GOOD_ENDS = ["served", "served_unheard", "gave_back", "left", "vanished", "vanished_inside"];

/**
 * Runs it. It kills for `minutes`, and until it was `killsMin` times. `idleMs`: at the end nothing happens for so long, so
 * that the objects leave the memory. `disturb(stage, …)` does something else than kill, with the `shims` of tests/faults/; an end may then come
 * `slackMs` early. `say(line)` gets the progress. Answers the figures: `{ seed, visitors, kills, violations, ends, … }`.
 *
 * @param {{ minutes: number, visitors: number, permits: number, seed: number, killsMin?: number, idleMs?: number, say?: (line: string) => void,
 *   shims?: object, room?: object, disturb?: (stage: Stage, how: object) => Promise<void>, slackMs?: number }} how
 */
export async function runChaos({
  minutes,
  visitors,
  permits,
  seed,
  killsMin = 0,
  idleMs = 0,
  say = () => {},
  shims,
  room,
  disturb = killUntil,
  slackMs,
}) {
  const stage = await Stage.open({ permits, shims, room });
  const chaos = new Chaos({ stage, permits, visitors, seed, say, disturb, slackMs });
  try {
    return await chaos.run({ killingMs: minutes * 60_000, killsMin, idleMs });
  } finally {
    chaos.end();
    await stage.close();
  }
}

class Chaos {
  #abort = new AbortController();
  #people = new Map();
  #alive = new Set();
  #inside = 0;
  #ends = {};
  #kinds = {};
  #unanswered = {};
  #unexplained = {};
  #strangers = 0; // who came for the first time and got no answer
  #listening = [];
  #firstAnswers = [];
  #waitsForAnswer = null;
  /** @type {(nobody?: unknown) => void} */
  #empty = () => {};
  #failed;

  constructor({ stage, permits, visitors, seed, say, disturb, slackMs }) {
    this.stage = stage;
    this.permits = permits;
    this.visitors = visitors;
    this.seed = seed;
    this.say = say;
    this.disturb = disturb;
    this.signal = this.#abort.signal;
    setMaxListeners(0, this.signal);
    this.#failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.#failed.catch(() => {});
    this.startedAt = performance.now();
    this.witness = new Witness({
      permits,
      claimWithinMs: ROOM.claim_within_s * 1_000,
      graceMs: ROOM.grace_s * 1_000,
      slackMs,
      tell: (violation) => this.#violated(violation),
    });
    stage.on("guest", (guest) => this.#guest(guest));
    stage.on("crash", (how) => this.witness.accuse(null, "runtime", `ended by itself: ${how}`));
    stage.on("up", () => {
      this.#waitsForAnswer ??= stage.killedAtMs;
    });
    stage.on("killed", () => {
      this.#waitsForAnswer = null;
      for (const person of this.#alive) person.note("KILL", { kill: stage.kills });
    });
  }

  async run({ killingMs, killsMin, idleMs }) {
    const untilMs = Date.now() + killingMs;
    const looks = setInterval(() => this.witness.shop(this.stage.shop.stats()), LOOK_EVERY_MS);
    const progress = setInterval(() => this.say(this.#line()), PROGRESS_EVERY_MS);
    try {
      this.#gather(untilMs);
      await this.#unlessFailed(this.disturb(this.stage, { untilMs, killsMin, seed: this.seed, tell: (kill) => this.#killed(kill) }));
      const drain = await this.#unlessFailed(this.#drain());
      if (idleMs > 0) await this.#unlessFailed(sleep(idleMs)); // the objects are out of memory by then
      await this.#unlessFailed(allPermitsAreThere(this));
      this.say(await journalIsSound(this));
      return this.#figures({ drain });
    } catch (error) {
      if (error !== this.tooMany) throw error;
      return this.#figures({});
    } finally {
      clearInterval(looks);
      clearInterval(progress);
    }
  }

  end() {
    this.#abort.abort();
  }

  #unlessFailed(work) {
    return Promise.race([work, this.#failed]);
  }

  // ---- the crowd

  /** Keeps as many people there as were asked for, until `untilMs`. */
  #gather(untilMs) {
    const gatherMs = Math.min(GATHER_MS_MAX, (untilMs - Date.now()) / 3);
    const next = (waitMs) => {
      if (Date.now() >= untilMs) return;
      const plan = planOf(this.seed, this.#people.size);
      const person = new Person(plan, this);
      this.#people.set(plan.name, person);
      this.#alive.add(person);
      this.#liveOut(person, plan.comeAfter * waitMs).then(() => next(gatherMs / 4));
    };
    for (let i = 0; i < this.visitors; i += 1) next(gatherMs);
  }

  async #liveOut(person, afterMs) {
    try {
      await sleep(afterMs, undefined, { signal: this.signal });
      const end = await person.live();
      this.#ends[end] = (this.#ends[end] ?? 0) + 1;
      this.#alive.delete(person);
      person.forget();
      if (this.#alive.size === 0) this.#empty();
    } catch (error) {
      if (!this.signal.aborted) this.fail(error);
    }
  }

  /** Somebody for the end, who does what it is told. */
  newcomer(name) {
    const person = new Person({ ...planOf(this.seed, this.#people.size), name, way: "socket", habit: "steady" }, this);
    this.#people.set(name, person);
    return person;
  }

  /** Until nobody is left, or the bound is over. */
  async #drain() {
    const people = this.#alive.size;
    const mostMs = boundMs({ people, permits: this.permits });
    const startedAt = performance.now();
    this.say(`the killing is over; ${people} people are left, to be served within ${Math.round(mostMs / 1_000)} s`);
    const limit = AbortSignal.timeout(mostMs);
    await new Promise((resolve) => {
      this.#empty = resolve;
      limit.addEventListener("abort", resolve, { once: true });
      if (people === 0) resolve();
    });
    for (const person of this.#alive) {
      this.witness.accuse(
        person,
        "served in the end",
        `number ${person.number} was not served within ${Math.round(mostMs / 1_000)} s of the last kill; it is ${person.visitor.state}`,
      );
    }
    return { people, within_s: Math.round(mostMs / 1_000), took_s: round((performance.now() - startedAt) / 1_000) };
  }

  // ---- what people tell

  answered() {
    if (this.#waitsForAnswer === null || !this.stage.isUp) return;
    this.#firstAnswers.push(Date.now() - this.#waitsForAnswer);
    this.#waitsForAnswer = null;
  }

  unanswered({ what, why, killed, stranger }) {
    if (stranger) this.#strangers += 1;
    const into = killed ? this.#unanswered : this.#unexplained;
    into[`${what}: ${why}`] = (into[`${what}: ${why}`] ?? 0) + 1;
    if (/^500/.test(why)) this.witness.accuse(null, "no 500", `${what} was answered ${why}`);
  }

  entered() {
    this.#inside += 1;
  }
  wentOut() {
    this.#inside -= 1;
  }

  #guest({ name, fence, number }) {
    const person = this.#people.get(name);
    if (person) this.witness.atShop(person, { fence, number });
    else this.witness.accuse(null, "shop", `a guest with fence ${fence} and nobody's name`);
  }

  #killed({ kind, listening_ms: listeningMs }) {
    this.#kinds[kind] = (this.#kinds[kind] ?? 0) + 1;
    this.#listening.push(listeningMs);
  }

  /** The end of the story at once, the whole of it in the report: a long run need not be waited for. */
  #violated({ law, name, text, story }) {
    const latest = this.witness.violations.length <= STORIES_MAX ? story.slice(-LATEST_LINES) : [];
    this.say([`${this.#clock()} VIOLATION (${law}) ${name}: ${text}`, ...latest.map((line) => `    ${line}`)].join("\n"));
    if (this.witness.violations.length >= VIOLATIONS_MAX) this.fail((this.tooMany = new Error("too many violations")));
  }

  // ---- figures

  #clock() {
    return `${round((performance.now() - this.startedAt) / 1_000)
      .toFixed(1)
      .padStart(6)} s`;
  }

  #line() {
    const served = (this.#ends.served ?? 0) + (this.#ends.served_unheard ?? 0);
    return (
      `${this.#clock()}  there ${this.#alive.size} · inside ${this.#inside} · served ${served} · came ${this.#people.size} · kills ${this.stage.kills}` +
      ` · most inside ${this.witness.insideMax}/${this.permits} · violations ${this.witness.violations.length}`
    );
  }

  /** @param {{ drain?: object }} of `drain`: how the last ones were served; absent where the run ended before. */
  #figures({ drain }) {
    const refused = this.witness.shop(this.stage.shop.stats());
    for (const why of ["old_fence", "incomplete", "wrong", "missing", "malformed"]) {
      if (refused[why]) this.witness.accuse(null, "shop", `refused ${refused[why]} requests: ${why}`);
    }
    const { bookings } = this.stage.shop.stats();
    const { served = 0, served_unheard: unheard = 0 } = this.#ends;
    if (bookings < served || bookings > served + unheard + this.#alive.size)
      this.witness.accuse(null, "bookings", `${bookings} at the shop, ${served} people know theirs and ${unheard} may have one`);
    const lost = this.witness.lostNumbers();
    if (lost.length > this.#strangers) {
      this.witness.accuse(
        null,
        "numbers",
        `${lost.length} were issued and never heard of, ${this.#strangers} may be: ${lost.slice(0, 20).join(", ")}`,
      );
    }
    return {
      seed: this.seed,
      took_s: round((performance.now() - this.startedAt) / 1_000),
      visitors: this.#people.size,
      ends: this.#ends,
      ended_by_themselves: sum(
        Object.entries(this.#ends)
          .filter(([end]) => !GOOD_ENDS.includes(end))
          .map(([, n]) => n),
      ),
      kills: this.stage.kills,
      kinds: this.#kinds,
      listening_ms: spread(this.#listening),
      first_answer_ms: spread(this.#firstAnswers),
      numbers: this.witness.newest,
      never_heard_of: `${lost.length} (${this.#strangers} may be)`,
      calls: this.witness.callsSeen,
      judged_for_order: this.witness.vouched,
      missed: [...this.#people.values()].filter(({ missed }) => missed).length,
      misnamed: this.witness.misnamed,
      most_inside: this.witness.insideMax,
      bookings,
      refused,
      unanswered: this.#unanswered,
      unexplained: this.#unexplained,
      drain,
      violations: this.witness.violations,
      logs: this.stage.rt.logs(),
    };
  }
}

const round = (value) => Math.round(value * 10) / 10;
const sum = (values) => values.reduce((total, value) => total + value, 0);

function spread(values) {
  const sorted = values.map(Math.round).sort((a, b) => a - b);
  return { least: sorted[0], median: quantile(sorted, 0.5), most: sorted.at(-1), of: sorted.length };
}

/** The figures as lines, then the stories of the first violations and the command that tries again. */
export function report({ violations, logs, ...figures }, again) {
  const lines = Object.entries(figures).map(
    ([name, value]) => `${name.replaceAll("_", " ").padEnd(20)} ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  lines.push(`${"violations".padEnd(20)} ${violations.length}`);
  const told = new Set();
  for (const { law, name, text, story } of violations) {
    lines.push(`  (${law}) ${name}: ${text}`);
    if (told.size < STORIES_MAX && !told.has(name)) lines.push(...story.map((line) => `    ${line}`));
    told.add(name);
  }
  if (violations.length > 0) lines.push(`workerd said, last:\n${logs.slice(-3_000)}`);
  lines.push(`again: ${again}`);
  return lines.join("\n");
}

export const replayOf = ({ minutes, visitors, permits, seed }) =>
  `npm run chaos -- --minutes ${minutes} --visitors ${visitors} --permits ${permits} --seed ${seed}`;

// ------------------------------------------------------------------------------------------------ command line

function number(text, name) {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name}: not a number: ${text}`);
  return value;
}

async function main() {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      visitors: { type: "string", default: "300" },
      permits: { type: "string", default: "5" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      "idle-s": { type: "string", default: "12" },
    },
  });
  const given = (name) => number(values[name], name);
  const rest = { minutes: given("minutes"), visitors: given("visitors"), permits: given("permits"), seed: given("seed") };
  const idleS = given("idle-s");
  console.log(replayOf(rest));
  await compilePrograms("audit");
  const figures = await runChaos({ ...rest, idleMs: idleS * 1_000, say: console.log });
  console.log(report(figures, replayOf(rest)));
  process.exit(figures.violations.length > 0 ? 1 : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
