// Who is inside the shop, as the shop itself sees it: one guest for each distinct fence, from the first request until
// the shop's own answer with `Baton-Release` or the end of the lease. Tests and the crowd use it to check that Baton
// never lets more people in than it has permits.
//
// The shop cannot see a visitor who gives the permit back to Baton directly: such a guest counts until the lease ends.

const GUESTS_REMEMBERED_MAX = 200_000;

/**
 * Returns the guest that these headers describe. Returns `null` if they have no fence (a farewell page, a bypassed path, a bypassed room)
 * and `undefined` if they make no sense.
 */
export function guestOf(headers) {
  const fenceText = headers["baton-fence"];
  if (fenceText === undefined) return null;
  const [fence, number, endsAtMs] = [fenceText, headers["baton-ticket"], headers["baton-ends-at-ms"]].map(decimal);
  if (!fence || !number || !endsAtMs) return undefined;
  return { room: headers["baton-room"] ?? "", fence, number, endsAtMs };
}

function decimal(text) {
  const value = /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : null;
}

export class Guests {
  #now;
  #seen = new Map(); // "room fence" → guest, in order of the first request
  #newestFence = new Map(); // "room number" → the newest fence of this ticket
  #inside = new Set();
  #insideMax = 0;
  #admitted = 0;

  constructor({ now = Date.now } = {}) {
    this.#now = now;
  }

  /**
   * Counts a request of this guest. Returns `null` if the guest is welcome, `finished` if the shop itself ended this lease, and
   * `old_fence` if the same ticket already came with a newer fence. (A lower fence of *another* ticket means nothing: with several
   * permits, people finish in any order.)
   */
  enter(guest) {
    this.#sendHome();
    const why = this.#refusal(guest);
    if (why) return why;
    const known = this.#seen.get(keyOf(guest)) ?? this.#welcome(guest);
    known.endsAtMs = Math.max(known.endsAtMs, guest.endsAtMs); // leases slide, and requests may overtake each other
    if (known.endsAtMs > this.#now()) this.#inside.add(known);
    this.#insideMax = Math.max(this.#insideMax, this.#inside.size);
    return null;
  }

  #refusal(guest) {
    if (this.finished(guest)) return "finished";
    return guest.fence < (this.#newestFence.get(ticketOf(guest)) ?? 0) ? "old_fence" : null;
  }

  #welcome(guest) {
    const known = { ...guest, finished: false };
    forgetOldest(this.#seen);
    forgetOldest(this.#newestFence);
    this.#seen.set(keyOf(guest), known);
    this.#newestFence.set(ticketOf(guest), guest.fence);
    this.#admitted += 1;
    return known;
  }

  /** Records that the shop is done with this guest. */
  release(guest) {
    const known = this.#seen.get(keyOf(guest));
    if (!known) return;
    known.finished = true;
    this.#inside.delete(known);
  }

  finished(guest) {
    return this.#seen.get(keyOf(guest))?.finished === true;
  }

  #sendHome() {
    const now = this.#now();
    for (const guest of this.#inside) if (guest.endsAtMs <= now) this.#inside.delete(guest);
  }

  stats() {
    this.#sendHome();
    const guests = [...this.#seen.values()];
    return {
      inside: this.#inside.size,
      inside_max: this.#insideMax,
      admitted_total: this.#admitted,
      order: guests.map(({ number }) => number),
      calls: guests.map(({ number, fence }) => ({ number, fence })).sort((a, b) => a.fence - b.fence),
    };
  }
}

const keyOf = ({ room, fence }) => `${room} ${fence}`;
const ticketOf = ({ room, number }) => `${room} ${number}`;

function forgetOldest(map) {
  if (map.size >= GUESTS_REMEMBERED_MAX) map.delete(map.keys().next().value);
}
