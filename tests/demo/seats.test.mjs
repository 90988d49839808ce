// The shop never sells a seat twice and loses none, however many buy at once.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { diceOf } from "../../scripts/dice.mjs";
import { SEATS_PER_BOOKING_MAX, Seats, segmentSizes } from "../../demo/seats.mjs";

/** Stands for the time under a lock without taking any: everyone else gets a turn, in an order that the seed gives. */
function pauseFrom(random) {
  return async () => {
    for (let turns = Math.floor(random() * 4) + 1; turns > 0; turns -= 1) await new Promise(setImmediate);
  };
}

function seatsFrom(seed, options) {
  const random = diceOf(seed);
  return { random, store: new Seats({ random, pause: pauseFrom(random), ...options }) };
}

const bookMany = (store, random, count, most) =>
  Promise.all(Array.from({ length: count }, (_, i) => store.book({ seats: 1 + Math.floor(random() * most), key: `key-${i}-${random()}` })));

const sum = (values) => values.reduce((total, n) => total + n, 0);

function check(store, answers, capacity) {
  const booked = answers.filter(({ outcome }) => outcome === "booked");
  const sold = sum(booked.map(({ booking }) => booking.seats));
  const totals = store.totals();
  assert.ok(sold <= capacity, `sold ${sold} of ${capacity}`);
  assert.deepEqual(totals, { capacity, left: capacity - sold, bookings: booked.length, sold });
  return sold;
}

for (const seed of [1, 2, 3, 4, 5]) {
  for (const [seats, segments] of [
    [97, 8],
    [1, 4],
    [500, 7],
    [64, 64],
    [3, 5],
    [0, 3],
  ]) {
    test(`400 bookings at once of ${seats} seats in ${segments} segments never oversell (seed ${seed})`, async () => {
      const { random, store } = seatsFrom(seed, { seats, segments });
      const answers = await bookMany(store, random, 400, SEATS_PER_BOOKING_MAX);
      check(store, answers, seats);
      for (const { outcome, left } of answers) if (outcome === "sold_out") assert.ok(left < SEATS_PER_BOOKING_MAX);
      store.close();
    });
  }
}

test("as many single buyers as seats get one each, although segments run short unevenly", async () => {
  for (const seed of [11, 12, 13]) {
    const { random, store } = seatsFrom(seed, { seats: 211, segments: 9 });
    const answers = await bookMany(store, random, 300, 1);
    assert.equal(check(store, answers, 211), 211);
    store.close();
  }
});

test("the last seats are sold together even when they are scattered over segments", async () => {
  const { store } = seatsFrom(21, { seats: 4, segments: 4 });
  const [first, second] = await Promise.all([store.book({ seats: 3, key: "a" }), store.book({ seats: 3, key: "b" })]);
  assert.deepEqual([first.outcome, second.outcome].sort(), ["booked", "sold_out"]);
  assert.equal((await store.book({ seats: 1, key: "c" })).outcome, "booked");
  assert.equal(store.left(), 0);
  store.close();
});

test("a form that is sent many times at once books once", async () => {
  const { store } = seatsFrom(31, { seats: 10, segments: 3 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => store.book({ seats: 2, key: "same" })));
  assert.equal(answers.filter(({ outcome }) => outcome === "booked").length, 1);
  assert.equal(new Set(answers.map(({ booking }) => booking.id)).size, 1);
  assert.deepEqual(store.totals(), { capacity: 10, left: 8, bookings: 1, sold: 2 });
  store.close();
});

test("a form sent twice for the very last seats is a repeat and no sell-out", async () => {
  const { store } = seatsFrom(32, { seats: 2, segments: 2 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => store.book({ seats: 2, key: "same" })));
  assert.deepEqual(new Set(answers.map(({ outcome }) => outcome)), new Set(["booked", "repeated"]));
  store.close();
});

test("what may not be committed any more takes no seat", async () => {
  const { store } = seatsFrom(33, { seats: 2, segments: 1 });
  assert.equal((await store.book({ seats: 1, key: "k", mayCommit: () => false })).outcome, "refused");
  assert.equal(store.left(), 2);
  store.close();
});

test("a restart keeps what was sold, and the key of a form still counts", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "baton-shop-"));
  t.after(() => rm(directory, { recursive: true }));
  const dbPath = join(directory, "shop.db");
  const before = seatsFrom(41, { dbPath, seats: 101, segments: 6 });
  const first = await bookMany(before.store, before.random, 40, 3);
  const once = await before.store.book({ seats: 1, key: "kept" });
  before.store.close();

  const after = seatsFrom(42, { dbPath, seats: 999, segments: 2 }); // only for new databases
  assert.deepEqual(await after.store.book({ seats: 5, key: "kept" }), { outcome: "repeated", booking: once.booking });
  const second = await bookMany(after.store, after.random, 300, 3);
  const sold = check(after.store, [...first, once, ...second], 101);
  assert.ok(sold >= 99, `${sold} of 101 sold to people who want three at most`);
  after.store.close();
});

test("segments differ by one seat at most and lose none", () => {
  for (const [seats, segments] of [
    [10, 3],
    [2, 5],
    [0, 1],
    [1_000, 7],
  ]) {
    const sizes = segmentSizes(seats, segments);
    assert.equal(sum(sizes), seats);
    assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1);
  }
});
