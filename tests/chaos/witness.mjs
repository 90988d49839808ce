// What must hold whatever is killed, judged from outside only: from what visitors were told and what the shop saw.
//
// It must never accuse wrongly. Instants of others are compared with what was certain at the time: an end that was told
// has not come before that instant, a number that was heard was issued before it was heard. Every check names the
// visitor, so that a violation comes with a story.

const STORY_LINES_MAX = 60;
/** Between clocks that are read in two processes of one machine. */
const CLOCK_SLACK_MS = 150;

export class Witness {
  #permits;
  #claimWithinMs;
  #graceMs;
  #slackMs;
  #owners = new Map(); // number → person
  #holders = new Map(); // fence → { name, number }
  #calls = new Map(); // fence → { fence, number, name, vouched }
  #seenAtShop = new Set(); // numbers
  #insideMax = 0;
  #newest = 0;
  violations = [];
  /** Leases that ran out and were told as a missed call or an absence: the right end under a wrong name. */
  misnamed = 0;

  /**
   * `tell(violation)` hears of each at once. `slackMs`: by how much an end may come early, because somebody set the room's clock.
   *
   * @param {{ permits: number, claimWithinMs: number, graceMs: number, slackMs?: number, tell?: (violation: object) => void }} of
   */
  constructor({ permits, claimWithinMs, graceMs, slackMs = CLOCK_SLACK_MS, tell = () => {} }) {
    this.#permits = permits;
    this.#claimWithinMs = claimWithinMs;
    this.#graceMs = graceMs;
    this.#slackMs = slackMs;
    this.tell = tell;
  }

  /** The highest number that anybody has heard of. */
  get newest() {
    return this.#newest;
  }
  get insideMax() {
    return this.#insideMax;
  }

  /**
   * Numbers that were issued and that neither a visitor nor the shop ever heard of. Only a walk-in of somebody without
   * a cookie may be lost like this, when the answer that carried it was: whoever has a cookie asks again and is told.
   */
  lostNumbers() {
    const isLost = (number) => !this.#owners.has(number) && !this.#seenAtShop.has(number);
    return Array.from({ length: this.#newest }, (_, i) => i + 1).filter(isLost);
  }

  get callsSeen() {
    return this.#calls.size;
  }

  /** A promise was broken. The story is told as it is now: later much of it is forgotten. */
  accuse(person, law, text) {
    const name = person?.name ?? "the room";
    const violation = { law, name, text, at_ms: Date.now(), story: person ? storyOf(person) : [] };
    this.violations.push(violation);
    this.tell(violation);
  }

  // ---- places

  /** `person` was told a number. `person.floor`: the highest number known before this one was first asked for. */
  number(person, number) {
    if (person.number === number) return;
    if (person.number !== undefined) {
      this.accuse(person, "place", `had number ${person.number} and now has ${number}`);
      return;
    }
    person.number = number;
    const owner = this.#owners.get(number);
    if (owner) this.accuse(person, "number twice", `number ${number} is ${owner.name}'s already`);
    else this.#owners.set(number, person);
    if (number <= person.floor) this.accuse(person, "number runs back", `asked when ${person.floor} was issued, got ${number}`);
    this.#newest = Math.max(this.#newest, number);
  }

  /** People who had a number are unknown now. */
  forgotten(person, where) {
    if (person.number === undefined || person.over || person.hasLeft) return;
    this.accuse(person, "place", `had number ${person.number}, and ${where} knows of none`);
    // As the page does: the person joins anew.
    Object.assign(person, { number: undefined, aheads: [], bounds: [] });
  }

  /** A status, as it is told: on the socket, in an answer, in a page. */
  status(person, status) {
    if (status.number !== undefined) this.number(person, status.number);
    if (status.ahead !== undefined) this.#ahead(person, status);
    if (status.state === "called") person.claimByMs = Math.max(person.claimByMs ?? 0, status.claim_by_at_ms);
    if (status.state === "admitted") person.endsAtMs = Math.max(person.endsAtMs ?? 0, status.ends_at_ms ?? 0);
    if (status.state === "waiting") this.#waiting(person, status);
    if (status.state === "over" && !person.over) this.#over(person, status.reason);
  }

  /** By version, whichever way it came: a later version never has more in front. */
  #ahead(person, { ahead, version }) {
    for (const before of person.aheads) {
      const [older, newer] = before.version < version ? [before.ahead, ahead] : [ahead, before.ahead];
      if (before.version !== version && newer > older) {
        this.accuse(person, "ahead", `number ${person.number}: ${before.ahead} at version ${before.version}, ${ahead} at ${version}`);
        break;
      }
    }
    person.aheads.push({ version, ahead });
  }

  /**
   * A frame, after the page's own reckoning. `bound` is what it says of this number; when a point stands on the number
   * itself it is exact, and can't be more than any earlier version's bound.
   */
  frame(person, frame, bound) {
    const { version } = frame;
    const exact = frame.points.some(([number]) => number === person.number);
    const before = exact && person.bounds.find((known) => known.version <= version && known.ahead < bound);
    if (before)
      this.accuse(person, "ahead", `number ${person.number}: at most ${before.ahead} at version ${before.version}, exactly ${bound} at ${version}`);
    if (bound < (person.bounds.at(-1)?.ahead ?? Infinity)) person.bounds.push({ version, ahead: bound });
  }

  /** Told `waiting` again: after a call that is a missed one, and after a landing a lost permit. */
  #waiting(person, { missed }) {
    const now = Date.now();
    if (person.admitted) this.#lost(person, "waits again", now);
    if (!missed || person.missed) return;
    person.missed = true;
    person.vouches = false;
    this.#judgeMiss(person, now, 1);
  }

  /**
   * A miss is in order when the whole of `claim_within_s` went by since the visitor was last told to wait, and since the
   * call if it was heard; a second one that was not told of the first, twice as much.
   */
  #judgeMiss(person, now, misses) {
    const leftMs = this.#missLeftMs(person, now, misses);
    if (leftMs > 0) this.accuse(person, "call lost", `missed ${misses} calls ${leftMs} ms before their time was over`);
  }

  #missLeftMs(person, now, misses) {
    const until = Math.max(person.claimByMs ?? 0, person.unmissedAtMs() + misses * this.#claimWithinMs);
    return Math.max(0, until - this.#slackMs - now);
  }

  #over(person, reason) {
    person.over = reason ?? "over";
    const now = Date.now();
    if (["missed", "away"].includes(reason) && person.endsAtMs !== undefined && this.isPast(person.endsAtMs)) {
      this.misnamed += 1; // of a lease that ran out a lobby that was killed remembers the call or the wait only
      return;
    }
    if (reason === "missed") return void (person.missed || this.#judgeMiss(person, now, 2));
    // A lobby that came into memory after the end sees only that it came: then one cause at least must have been there.
    const possible = reason === undefined ? ["left", "released", "away", "missed", "expired"] : [reason];
    if (possible.some((cause) => this.#isInOrder(person, cause, now))) return;
    const law = person.admitted || reason === "expired" ? "permit" : "place";
    this.accuse(person, law, `number ${person.number} is over, ${reason ?? "no reason told"}, without a cause`);
  }

  #isInOrder(person, cause, now) {
    switch (cause) {
      case "left":
        return person.leaving;
      case "released":
        return person.releasing;
      case "away":
        return now - person.seenAtMs() >= this.#graceMs;
      // A person who heard nothing while two calls waited may have missed both: a kill ended each of its polls.
      case "missed":
        return this.#missLeftMs(person, now, person.missed ? 1 : 2) === 0;
      case "expired":
        return now >= (person.endsAtMs ?? person.claimByMs ?? Infinity) - this.#slackMs;
      default:
        return false;
    }
  }

  // ---- permits

  /** Whether an end that was told has surely come. */
  isPast(atMs) {
    return Date.now() >= atMs - this.#slackMs;
  }

  /** The shop answered `person` as a guest. */
  inside(person, { number, fence, endsAtMs }) {
    if (number !== undefined) this.number(person, number);
    this.#holds(person, fence, number);
    if (person.fence === undefined) {
      person.fence = fence;
      this.#landed(person, fence);
    } else if (person.fence !== fence && Date.now() < person.endsAtMs - this.#slackMs) {
      this.accuse(person, "permit", `was in with fence ${person.fence}, and before its end with ${fence}`);
    }
    person.admitted = true;
    person.endsAtMs = Math.max(person.endsAtMs ?? 0, endsAtMs ?? 0);
  }

  /** Somebody who was in is led to the waiting page. */
  turnedAway(person, state) {
    if (person.admitted && !person.releasing) this.#lost(person, `is led to a page that says ${state}`, Date.now());
  }

  #lost(person, how, now) {
    if (person.releasing || now >= person.endsAtMs - this.#slackMs) return;
    this.accuse(person, "permit", `number ${person.number} ${how}, ${person.endsAtMs - now} ms before the lease's end`);
  }

  /** A guest's request arrived at the shop: whose it is says a header that Baton hands on untouched. */
  atShop(person, { fence, number }) {
    this.#holds(person, fence, number);
    this.#seenAtShop.add(number);
    if (this.#calls.has(fence)) return;
    const call = { fence, number, name: person.name, vouched: null };
    for (const other of this.#calls.values()) this.#judgeOrder(other, call);
    this.#calls.set(fence, call);
  }

  #holds(person, fence, number) {
    const holder = this.#holders.get(fence) ?? { name: person.name, number };
    if (holder.name !== person.name) this.accuse(person, "fence twice", `fence ${fence} is ${holder.name}'s and ${person.name}'s`);
    if (number !== undefined && holder.number !== number)
      this.accuse(person, "fence twice", `fence ${fence} came with number ${holder.number} and ${number}`);
    this.#holders.set(fence, holder);
  }

  /** From here on the order of calls can be judged for this one: it was there all the time, or it was not. */
  #landed(person, fence) {
    const call = this.#calls.get(fence);
    if (!call) return this.accuse(person, "fence twice", `came in with fence ${fence}, which the shop never saw`);
    const inTime = person.claimByMs === undefined || Date.now() < person.claimByMs;
    if (!person.vouches || person.missed || !inTime) return undefined;
    call.vouched = person;
    for (const other of this.#calls.values()) this.#judgeOrder(call, other);
    return undefined;
  }

  /** Nobody with a higher number is called before somebody who was there all the time. */
  #judgeOrder(first, second) {
    if (!first.vouched || first.number >= second.number || first.fence <= second.fence) return;
    this.accuse(
      first.vouched,
      "order",
      `number ${first.number} (fence ${first.fence}) was there all the time and was called after ` +
        `number ${second.number} (fence ${second.fence}, ${second.name})`,
    );
  }

  get vouched() {
    return [...this.#calls.values()].filter(({ vouched }) => vouched).length;
  }

  /** The shop's own count. */
  shop({ inside_max: insideMax, refused_by: refused }) {
    if (insideMax > this.#permits && insideMax > this.#insideMax) {
      this.accuse(null, "too many inside", `the shop counted ${insideMax} inside, ${this.#permits} may be`);
    }
    this.#insideMax = Math.max(this.#insideMax, insideMax);
    return refused;
  }
}

/** What a visitor went through, newest last, frames left out. */
function storyOf({ visitor, startedAtMs }) {
  const lines = visitor.tab.history.filter(({ kind }) => !["frame", "pong"].includes(kind)).slice(-STORY_LINES_MAX);
  return lines.map(
    ({ at_ms: atMs, kind, ...detail }) => `${((atMs - startedAtMs) / 1_000).toFixed(3).padStart(9)} s  ${kind} ${JSON.stringify(detail)}`,
  );
}
