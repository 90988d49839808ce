// The shop's seats, in an embedded database. It must never sell a seat twice, however many bookings run at once.
//
// Seats are kept in *segments*, as in a segmented counter: a booking takes one segment at random and locks only that
// one, so that the shop can serve several buyers side by side. The lock is held for `lockMs`, which stands for the work
// that a real shop does there (payment, printing). So the shop is visibly slow with more than a few buyers at once,
// which is why it needs a waiting room.
//
// Free seats only ever go down (there are no cancellations). So if a read without the lock finds too few seats in a
// segment, there stay too few, and the booking may skip that segment without waiting for its lock.

import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const SEATS_MAX = 1_000_000;
const SEGMENTS_MAX = 256;
export const SEATS_PER_BOOKING_MAX = 6;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  CREATE TABLE IF NOT EXISTS segments (
    id INTEGER PRIMARY KEY,
    capacity INTEGER NOT NULL,
    free INTEGER NOT NULL CHECK (free >= 0 AND free <= capacity)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS bookings (
    id TEXT PRIMARY KEY,
    form_key TEXT NOT NULL UNIQUE,
    seats INTEGER NOT NULL CHECK (seats > 0),
    number INTEGER,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS parts (
    booking TEXT NOT NULL REFERENCES bookings (id),
    segment INTEGER NOT NULL REFERENCES segments (id),
    seats INTEGER NOT NULL CHECK (seats > 0),
    PRIMARY KEY (booking, segment)
  ) STRICT;`;

/** Runs one piece of work at a time, first come, first served. */
class Mutex {
  #tail = Promise.resolve();

  async run(work) {
    const before = this.#tail;
    const { promise, resolve: unlock } = Promise.withResolvers();
    this.#tail = promise;
    await before;
    try {
      return await work();
    } finally {
      unlock();
    }
  }
}

/** Returns the size of each segment. The remainder is spread over the first ones. */
export function segmentSizes(seats, segments) {
  const rest = seats % segments;
  return Array.from({ length: segments }, (_, i) => Math.floor(seats / segments) + (i < rest ? 1 : 0));
}

export class Seats {
  #db;
  #sql;
  #locks;
  #lockMs;
  #random;
  #pause;
  #now;

  /**
   * Opens the database. A file that already holds segments keeps them, because a restart must not put sold seats back on sale. So `seats`
   * and `segments` count only for a new database. Tests may replace `random` and `pause`.
   */
  constructor({ dbPath = ":memory:", seats = 2_000, segments = 8, lockMs = 40, random = Math.random, pause = sleep, now = Date.now } = {}) {
    if (!Number.isInteger(seats) || seats < 0 || seats > SEATS_MAX) throw new RangeError(`seats: 0–${SEATS_MAX}`);
    if (!Number.isInteger(segments) || segments < 1 || segments > SEGMENTS_MAX) {
      throw new RangeError(`segments: 1–${SEGMENTS_MAX}`);
    }
    this.#lockMs = lockMs;
    this.#random = random;
    this.#pause = pause;
    this.#now = now;
    this.#db = new DatabaseSync(dbPath);
    this.#db.exec(SCHEMA);
    this.#sql = this.#prepare();
    if (this.#sql.totals.get().segments === 0) {
      this.#transaction(() => segmentSizes(seats, segments).forEach((n, i) => this.#sql.addSegment.run(i, n, n)));
    }
    this.#locks = Array.from({ length: Number(this.#sql.totals.get().segments) }, () => new Mutex());
  }

  #prepare() {
    const sql = (text) => this.#db.prepare(text);
    return {
      addSegment: sql("INSERT INTO segments (id, capacity, free) VALUES (?, ?, ?)"),
      free: sql("SELECT id, free FROM segments ORDER BY id"),
      freeOf: sql("SELECT free FROM segments WHERE id = ?"),
      take: sql("UPDATE segments SET free = free - ? WHERE id = ?"),
      totals: sql(`SELECT count(*) AS segments, coalesce(sum(capacity), 0) AS capacity, coalesce(sum(free), 0) AS free
                   FROM segments`),
      counted: sql("SELECT (SELECT count(*) FROM bookings) AS bookings, (SELECT coalesce(sum(seats), 0) FROM parts) AS sold"),
      byKey: sql("SELECT id, seats, number FROM bookings WHERE form_key = ?"),
      byId: sql("SELECT id, seats, number FROM bookings WHERE id = ?"),
      addBooking: sql("INSERT INTO bookings (id, form_key, seats, number, at_ms) VALUES (?, ?, ?, ?, ?)"),
      addPart: sql("INSERT INTO parts (booking, segment, seats) VALUES (?, ?, ?)"),
    };
  }

  #transaction(work) {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Books `count` seats exactly once for `key`, even if it is called with that key many times or at the same time.
   * Calls `mayCommit` immediately before it writes: what was true when the request came may have changed since.
   * Resolves to `{ outcome: "booked" | "repeated", booking }`, `{ outcome: "sold_out", left }` or `{ outcome: "refused" }`.
   */
  async book({ seats: count, key, number = null, mayCommit = () => true }) {
    const order = { count, key, number, mayCommit };
    const before = this.byKey(key);
    if (before) return { outcome: "repeated", booking: before };
    const first = Math.floor(this.#random() * this.#locks.length);
    for (let i = 0; i < this.#locks.length; i += 1) {
      const segment = (first + i) % this.#locks.length;
      if (this.#sql.freeOf.get(segment).free < count) continue; // there stay too few: see the top of this file
      const answer = await this.#locks[segment].run(() => this.#bookIn(segment, order));
      if (answer) return answer;
    }
    return this.#bookAcross(order);
  }

  /** Books in one segment, under its lock. Resolves to `null` if the segment ran short while this booking waited for it. */
  async #bookIn(segment, order) {
    const { free } = this.#sql.freeOf.get(segment);
    if (free < order.count) return null;
    await this.#pause(this.#lockMs); // the read above must still hold afterwards, hence the lock
    return this.#commit(order, [{ segment, seats: order.count }]);
  }

  /** Books the last seats, which may be scattered. Takes all locks, always in the same order, so that two such bookings cannot deadlock. */
  #bookAcross(order) {
    const withAll = (i, work) => (i === this.#locks.length ? work() : this.#locks[i].run(() => withAll(i + 1, work)));
    if (this.left() < order.count) return this.#soldOut(order);
    return withAll(0, async () => {
      const parts = this.#gather(order.count);
      if (!parts) return this.#soldOut(order);
      await this.#pause(this.#lockMs);
      return this.#commit(order, parts);
    });
  }

  /** Answers that the seats are sold out. If a booking with the same key took the very last ones, answers that this is a repeat. */
  #soldOut({ key }) {
    const twin = this.byKey(key);
    return twin ? { outcome: "repeated", booking: twin } : { outcome: "sold_out", left: this.left() };
  }

  #gather(count) {
    const parts = [];
    let missing = count;
    const segments = /** @type {{ id: number, free: number }[]} */ (this.#sql.free.all());
    for (const { id, free } of segments) {
      const seats = Math.min(free, missing);
      if (seats > 0) parts.push({ segment: id, seats });
      missing -= seats;
    }
    return missing === 0 ? parts : null;
  }

  #commit({ count, key, number, mayCommit }, parts) {
    return this.#transaction(() => {
      const twin = this.byKey(key);
      if (twin) return { outcome: "repeated", booking: twin };
      if (!mayCommit()) return { outcome: "refused" };
      const booking = { id: randomBytes(9).toString("base64url"), seats: count, number };
      this.#sql.addBooking.run(booking.id, key, count, number, this.#now());
      for (const { segment, seats } of parts) {
        this.#sql.take.run(seats, segment);
        this.#sql.addPart.run(booking.id, segment, seats);
      }
      return { outcome: "booked", booking };
    });
  }

  byKey(key) {
    return plain(this.#sql.byKey.get(key));
  }

  byId(id) {
    return plain(this.#sql.byId.get(id));
  }

  left() {
    return this.#sql.totals.get().free;
  }

  /** Returns the totals. `sold` is summed over the bookings, `left` over the segments: two books that must agree. */
  totals() {
    const { capacity, free } = this.#sql.totals.get();
    const { bookings, sold } = this.#sql.counted.get();
    return { capacity, left: free, bookings, sold };
  }

  close() {
    this.#db.close();
  }
}

/** Returns a row of the database as an ordinary object: the database's rows have no prototype. */
function plain(row) {
  return row ? { ...row } : null;
}
