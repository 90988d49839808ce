// One visitor of the chaos: comes, waits with a socket or by asking, reloads, goes away and comes back, leaves, vanishes,
// buys. It sends again what was not answered, as a page and a patient human would. It decides nothing about
// right and wrong: what it is told goes to the witness.

import { setTimeout as sleep } from "node:timers/promises";
import { between, diceOf } from "../../scripts/dice.mjs";
import { aheadFromFrame, Visitor } from "../support/visitor.mjs";
import { PERSON_HEADER, QUIET_MS_MAX } from "./stage.mjs";

const AGAIN_MS = [50, 500];
const POLL_EVERY_MS = [300, 1_500];
const POLL_HELD_S = 2;
const RELOAD_MS = [100, 2_000];
const AWAY_MS = [11_000, 16_000]; // more than `linger_s`, much less than `grace_s`
const RETURN_MS = [4_000, 10_000]; // to look whether it is still out
const HABIT_WITHIN_MS = 10_000;
/** Inside: most stay shorter, some read for a while, the lingerers come back to a page every so often. */
const HOLD_MS = [100, 1_200];
const READ_MS = [3_000, 5_000]; // less than `lease_idle_s`
const LINGER_MS = [2_500, 7_000];
const LINGER_EVERY_MS = 700;

const ENDED = ["called", "admitted", "over"];

/** What the `index`-th visitor of this seed is going to do. O(1), whoever came before. */
export function planOf(seed, index) {
  const random = diceOf((seed * 1_000_003 + index * 7_919) >>> 0);
  const within = (range) => between(random, range);
  const pick = (shares) => {
    let draw = random() * 100;
    return Object.keys(shares).find((name) => (draw -= shares[name]) < 0);
  };
  return {
    name: `visitor ${index + 1}`,
    way: pick({ socket: 70, poll: 30 }),
    habit: pick({ steady: 64, reload: 14, away: 10, leave: 6, vanish: 6 }),
    inside: pick({ book: 64, give_back: 12, read: 8, linger: 10, vanish: 6 }),
    habitAfterMs: random() * HABIT_WITHIN_MS,
    holdMs: within(HOLD_MS),
    readMs: within(READ_MS),
    lingerMs: within(LINGER_MS),
    reloadMs: within(RELOAD_MS),
    awayMs: within(AWAY_MS),
    comeAfter: random(), // as a share of the time in which the crowd gathers
    random,
  };
}

/** Something that ends a life early; `end` says how. */
class End extends Error {
  constructor(end) {
    super(end);
    this.end = end;
  }
}

export class Person {
  #world;
  #heard = { status: null, frame: null };
  #holdsSocket = false;
  #habitDone = false;
  #lastSeenMs = Date.now();
  #unmissedMs = Date.now();

  // What the witness knows of this one.
  number;
  fence;
  endsAtMs;
  claimByMs;
  over = null;
  /** The place was given up, and that was answered: nobody need know it any more. */
  hasLeft = false;
  admitted = false;
  missed = false;
  leaving = false;
  releasing = false;
  vouches = true;
  floor = 0;
  aheads = [];
  bounds = [];

  /** `world`: `{ stage, witness, signal, trouble(text) }`. */
  constructor(plan, world) {
    this.plan = plan;
    this.name = plan.name;
    this.#world = world;
    this.startedAtMs = Date.now();
    this.visitor = new Visitor({ url: `${world.stage.door(plan.random)}/buy/`, name: plan.name, headers: { [PERSON_HEADER]: plan.name } });
    this.visitor.tab.waiters.add(() => this.#observe()); // looks after each message and each answer
  }

  /**
   * Lives to the end: `served`, `served_unheard` (the answer was lost), `gave_back`, `left`, `vanished`,
   * `vanished_inside`, `too_late` (the lease ran out over the kills), or why the ticket was over.
   */
  async live() {
    this.floor = this.#world.witness.newest;
    try {
      let page = await this.#arrive();
      while (page.state !== "shop") {
        await this.#waitToBeCalled();
        page = await this.#arrive("claim");
      }
      return await this.#shopAround();
    } catch (error) {
      if (error instanceof End) return error.end;
      throw error;
    } finally {
      this.visitor.closeSocket();
    }
  }

  /** For the end of the chaos, step by step: comes, and has a socket, in the line or inside. */
  async comeAndListen() {
    this.floor = this.#world.witness.newest;
    const page = await this.#arrive();
    if (page.state === "shop") await this.#arrive(); // shows the pass: only then the lease is a whole one
    await this.#openSocket();
  }

  /** Is called within `patienceMs`, and goes in. */
  async goIn(patienceMs) {
    if (this.admitted) return;
    await this.visitor.waitForState(["called", "admitted"], patienceMs);
    const page = await this.#arrive("claim");
    if (page.state !== "shop") throw new Error(`${this.name} was called and led to a page`);
  }

  async giveBack() {
    this.releasing = true;
    await this.#insist("release", () => this.visitor.request("/buy/release"));
  }

  /** When this one was last surely there, Unix ms. */
  seenAtMs() {
    return this.#holdsSocket ? Date.now() : this.#lastSeenMs;
  }

  /** When this one was last surely waiting without having missed a call, Unix ms. */
  unmissedAtMs() {
    return this.#unmissedMs;
  }

  /** Keeps what the end's judgement needs. */
  forget() {
    const { tab } = this.visitor;
    tab.waiters.clear();
    tab.history = tab.history.filter(({ kind }) => kind !== "frame").slice(-80);
    this.aheads = [];
    this.bounds = [];
  }

  note(kind, detail = {}) {
    this.visitor.tab.history.push({ at_ms: Date.now(), kind, ...detail });
  }

  // ---- what is heard

  #observe() {
    const { tab } = this.visitor;
    if (this.#holdsSocket && tab.closed) this.#socketGone();
    if (tab.last && tab.last !== this.#heard.status) {
      if (this.#holdsSocket) this.#waitsUnmissed(this.#heard.status, Date.now());
      this.#heard.status = tab.last;
      this.#world.witness.status(this, this.#world.stage.dated(tab.last));
    }
    if (tab.frame && tab.frame !== this.#heard.frame) {
      this.#heard.frame = tab.frame;
      if (this.number !== undefined) this.#world.witness.frame(this, tab.frame, aheadFromFrame(tab.frame, this.number));
    }
  }

  #socketGone() {
    this.#holdsSocket = false;
    const { killedAtMs } = this.#world.stage;
    this.#lastSeenMs = Math.max(this.#lastSeenMs, Math.min(Date.now(), killedAtMs || Infinity));
    this.#waitsUnmissed(this.visitor.last, this.#lastSeenMs);
  }

  #waitsUnmissed(status, atMs) {
    if (status?.state === "waiting" && !status.missed) this.#unmissedMs = Math.max(this.#unmissedMs, atMs);
  }

  /** An answer came to what was sent at `sentAtMs`: it was there then. Too long a silence, and it vouches for no order. */
  #seen(sentAtMs) {
    const quietMs = Date.now() - this.seenAtMs();
    if (quietMs > QUIET_MS_MAX && this.vouches) {
      this.vouches = false;
      this.note("was quiet", { ms: quietMs });
    }
    this.#lastSeenMs = Math.max(this.#lastSeenMs, sentAtMs);
    this.#waitsUnmissed(this.visitor.last, sentAtMs);
  }

  // ---- sending until there is an answer

  /**
   * Does it until it is answered. `act` starts one try; `moment`: what a kill may be aimed at. An answer of 5xx and a
   * page that says `unreachable` are none: the place is kept, come again.
   */
  async #insist(what, act, moment) {
    const { stage, signal } = this.#world;
    for (let again = 0; ; again += 1) {
      await stage.up(signal);
      const { kills } = stage;
      const sentAtMs = Date.now();
      const { answer, why } = await this.#attempt(act, moment);
      signal.throwIfAborted();
      if (!why) {
        this.#seen(sentAtMs);
        this.#world.answered();
        return { answer, again };
      }
      const killed = stage.kills !== kills || !stage.isUp;
      this.note("no answer", { what, why, killed });
      this.#world.unanswered({ what, why, killed, stranger: this.visitor.cookie("visitor") === undefined });
      await stage.up(signal);
      await this.#pause(AGAIN_MS);
    }
  }

  async #attempt(act, moment) {
    const doing = act();
    if (moment) setImmediate(() => this.#world.stage.emit(moment)); // by then it is on its way
    try {
      const answer = await doing;
      return { answer, why: troubleIn(answer) };
    } catch (error) {
      return { why: error.code ?? error.message.replace(`${this.name}: `, "") };
    }
  }

  #pause(range) {
    return sleep(between(this.plan.random, range), undefined, { signal: this.#world.signal });
  }

  // ---- the line

  /** Opens the gated page. Ends the life when the page says that the ticket is over. */
  async #arrive(moment) {
    const { answer } = await this.#insist("page", () => this.visitor.arrive(), moment);
    if (answer.state === "shop") {
      this.#enter(answer);
      return answer;
    }
    const { state } = answer.status_object ?? {};
    this.#world.witness.turnedAway(this, state);
    if (state === "none") this.#world.witness.forgotten(this, "the page");
    this.#endIfOver();
    return answer;
  }

  async #waitToBeCalled() {
    const { plan } = this;
    const habitAtMs = plan.habit === "steady" || this.#habitDone ? Infinity : Date.now() + plan.habitAfterMs;
    for (;;) {
      const state = plan.way === "socket" ? await this.#listen(habitAtMs) : await this.#ask(habitAtMs);
      this.#endIfOver();
      if (state === "called" || state === "admitted") return;
      if (Date.now() >= habitAtMs) return void (await this.#giveIn());
    }
  }

  /** With a socket: until something happens, or it closes. */
  async #listen(untilMs) {
    if (!this.#holdsSocket && !(await this.#openSocket())) return this.visitor.state;
    const { signal } = this.#world;
    const settled = () => ENDED.includes(this.visitor.state) || signal.aborted;
    const patienceMs = Math.min(Math.max(untilMs - Date.now(), 1), 2 ** 31 - 1);
    try {
      await this.visitor.waitFor(settled, patienceMs);
      signal.throwIfAborted();
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.visitor.tab.closed) await this.#pause(AGAIN_MS);
    }
    return this.visitor.state;
  }

  /** Resolves to whether there is a place to listen for. */
  async #openSocket() {
    const resume = this.number !== undefined; // who has a place must not get another one
    await this.#insist("socket", () => this.visitor.openSocket({ resume }), resume ? undefined : "join");
    this.#holdsSocket = this.visitor.tab.closed === null;
    if (!resume || this.visitor.state !== "none") return true;
    this.#world.witness.forgotten(this, "the socket");
    this.visitor.closeSocket();
    return (this.#holdsSocket = false);
  }

  /** Without a socket: joins, and asks again and again. */
  async #ask(untilMs) {
    if (this.number === undefined) {
      await this.#insist("join", () => this.visitor.join(), "join");
    } else {
      await this.#pause(POLL_EVERY_MS);
      await this.#look("the status", Math.min(POLL_HELD_S, Math.max(0, Math.floor((untilMs - Date.now()) / 1_000))));
    }
    return this.visitor.state;
  }

  async #look(where, heldS) {
    const { answer } = await this.#insist("status", () => this.visitor.status(heldS ? { wait_s: heldS } : {}));
    if (answer.json.state === "none") this.#world.witness.forgotten(this, where);
    return answer.json;
  }

  #endIfOver() {
    if (this.over) throw new End(this.over);
  }

  // ---- habits

  async #giveIn() {
    const { plan } = this;
    this.#habitDone = true;
    this.note(plan.habit);
    if (plan.habit === "leave") return this.#leave();
    this.#hangUp({ abrupt: plan.habit === "vanish" });
    if (plan.habit === "vanish") throw new End("vanished");
    await sleep(plan.habit === "away" ? plan.awayMs : plan.reloadMs, undefined, { signal: this.#world.signal });
    return undefined; // and opens the page again
  }

  async #leave() {
    this.leaving = true;
    this.#hangUp();
    await this.#insist("leave", () => this.visitor.leave(), "leave");
    this.hasLeft = true;
    const { stage, signal } = this.#world;
    await this.#staysOut();
    const { kills } = stage;
    await this.#pause(RETURN_MS);
    if (stage.kills > kills) await this.#staysOut(); // also in the next life
    signal.throwIfAborted();
    throw new End("left");
  }

  async #staysOut() {
    const { state } = await this.#look("the status", 0);
    if (!["over", "none"].includes(state)) this.#world.witness.accuse(this, "left", `left, and is ${state}`);
  }

  #hangUp(options) {
    if (this.#holdsSocket) this.#lastSeenMs = Date.now();
    this.#holdsSocket = false;
    this.visitor.closeSocket(options);
  }

  // ---- inside

  #enter({ number, fence, headers, status }) {
    if (fence === undefined) this.#world.witness.accuse(this, "shop", `answered ${status} ${headers["shop-refused"] ?? ""} and names no guest`);
    else this.#world.witness.inside(this, { number, fence, endsAtMs: this.#world.stage.here(Number(headers["shop-ends-at-ms"])) });
  }

  async #shopAround() {
    const { plan } = this;
    const { signal } = this.#world;
    this.#hangUp();
    this.#world.entered(this);
    try {
      if (plan.inside === "vanish") throw new End("vanished_inside");
      if (plan.inside === "linger") await this.#linger(Date.now() + plan.lingerMs);
      else await sleep(plan.inside === "read" ? plan.readMs : plan.holdMs, undefined, { signal });
    } finally {
      this.#world.wentOut(this);
    }
    return this.#finish();
  }

  /** Stays for a while, and is seen at every turn: by a page, and by the room's own word. */
  async #linger(untilMs) {
    while (Date.now() < untilMs) {
      await sleep(LINGER_EVERY_MS, undefined, { signal: this.#world.signal });
      const page = await this.#arrive("claim");
      if (page.state !== "shop") throw new End("turned_away");
      const { state } = await this.#look("the status", 0);
      if (!["admitted", "over"].includes(state)) this.#world.witness.turnedAway(this, state);
      this.#endIfOver();
    }
  }

  /** Buys, or gives the permit back through the shop. The same form with the same key until there is an answer. */
  async #finish() {
    this.releasing = true;
    const isBooking = this.plan.inside !== "give_back";
    const send = isBooking ? () => this.visitor.book({ follow: false }) : () => this.visitor.request("/buy/release");
    const { answer, again } = await this.#insist(isBooking ? "book" : "release", send, isBooking ? "book" : undefined);
    if (isBooking ? answer.booking : answer.json?.released) return isBooking ? "served" : "gave_back";
    // The answer that said so went down with the runtime: the room, or the shop, knows that this one is done.
    const refused = answer.headers["shop-refused"];
    if (again > 0 && (refused === "finished" || answer.headers["baton-state"] === "waiting")) return isBooking ? "served_unheard" : "gave_back";
    if (this.#world.witness.isPast(this.endsAtMs)) return "too_late";
    this.#world.witness.accuse(
      this,
      "permit",
      `was in, and its ${isBooking ? "booking" : "release"} was answered ${answer.status} ${refused ?? answer.headers["baton-state"] ?? ""}`,
    );
    return "refused";
  }
}

/** Why an answer is none yet; undefined when it is one. */
function troubleIn(answer) {
  if (answer?.headers?.["shop-refused"] === "time") return "the clock was set while it was on its way";
  if (answer?.status >= 500) return `${answer.status} ${answer.error ?? ""}`.trim();
  const page = answer?.headers?.["baton-state"] === "waiting" && /<body[^>]* data-state="([a-z]+)"/.exec(answer.body ?? "")?.[1];
  return page === "unreachable" ? "a page that says unreachable" : undefined;
}
