// The calculator: a wrong price is worse than none.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { batchesPerS, costOf, dollars, pollingCost, ratesOf } from "../../bench/cost/model.mjs";
import { shown } from "../../bench/cost/text.mjs";
import { inRoot } from "../../scripts/common.mjs";

const read = (...name) => JSON.parse(readFileSync(inRoot("bench", ...name), "utf8"));
const prices = read("cost", "prices.json");
const { events } = read("cost.json");
const [sale, trickle] = ["sale", "trickle"].map((name) => events.find((event) => event.name === name));
const rates = ratesOf(sale, trickle);
const EVENT = { visitors: 1_000_000, wait_s: 600, hold_s: 300, crowd: 100_000, pages: 5, renewals: 0, round_ms: 20, tick_s: 1 };
const near = (value, expected, share) => assert.ok(Math.abs(value / expected - 1) <= share, `${value} is not within ${share * 100} % of ${expected}`);

test("few come one by one, many share a batch", () => {
  near(batchesPerS(0.1, 0.01), 0.1, 0.001);
  near(batchesPerS(10_000, 0.1), 10, 0.001);
  assert.equal(batchesPerS(0, 0.1), 0);
});

test("commands that arrive at random gather as the formula says", () => {
  // A small generator of our own: the same numbers each time.
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (const [per_s, round_s] of [
    [5, 0.02],
    [50, 0.02],
    [50, 0.2],
  ]) {
    let [at, free_at, waits, batches] = [0, 0, false, 0];
    while (batches < 20_000) {
      at += -Math.log(random()) / per_s;
      // What has gathered goes when the batch before is back.
      if (waits && free_at <= at) [free_at, waits, batches] = [free_at + round_s, false, batches + 1];
      if (free_at <= at) [free_at, batches] = [at + round_s, batches + 1];
      else waits = true;
    }
    near(batches / at, batchesPerS(per_s, round_s), 0.02);
  }
});

test("prices are of list: a million of each", () => {
  const million = { worker_requests: 1e6, object_requests: 1e6, socket_messages: 20e6, rows: 1e6, gb_s: 1e6 };
  assert.deepEqual(dollars(million, prices).usd, { worker: 0.3, objects: 0.15, messages: 0.15, rows: 1, duration: 12.5 });
  near(dollars(million, prices).usd_in_all, 14.1, 1e-9);
});

test("what was counted: three requests of the worker for a wait, two of a lobby", () => {
  assert.equal(sale.visitors, 20_000, "a trial must not be published");
  near(rates.worker_wait, 3, 0.01);
  near(rates.lobby_wait, 2, 0.01);
  near(rates.lobby_release, 1, 0.001);
  near(rates.room_rows_per_turn, 1, 0.01);
  assert.equal(Object.keys(sale.counted.rows).filter((name) => name.endsWith("delete journal")).length, 0);
});

test("a lobby writes nothing, and with a porter the room writes a row a bundle", () => {
  for (const { counted } of events)
    assert.deepEqual(
      Object.keys(counted.rows).filter((name) => /^lobby (?!create name|insert name)/.test(name)),
      [],
    );
  const { by, rows } = events.find(({ name }) => name === "bundled").counted;
  assert.ok(by["room /room"] < by["porter /batch"]);
  near(rows["room insert journal"] / by["room /room"], 1, 0.01);
});

test("twice the visitors cost twice as much, the longer wait of all costs pings and time only", () => {
  const once = costOf(EVENT, rates, prices);
  const twice = costOf({ ...EVENT, visitors: 2_000_000 }, rates, prices);
  near(twice.wait.usd_in_all, 2 * once.wait.usd_in_all, 0.05);
  const longer = costOf({ ...EVENT, wait_s: 1_200, crowd: 200_000 }, rates, prices);
  assert.equal(longer.wait.worker_requests, once.wait.worker_requests);
  assert.equal(longer.wait.socket_messages, 2 * once.wait.socket_messages);
});

test("more in line at once share a batch, and a slower round makes rows cheaper", () => {
  const rows = (change) => costOf({ ...EVENT, ...change }, rates, prices).wait.rows;
  assert.ok(rows({ wait_s: 60 }) < rows({}) / 2);
  assert.ok(rows({ round_ms: 500 }) < rows({}) / 4);
});

test("polling every 20 s for ten minutes is thirty polls, page and landing", () => {
  const { requests, usd } = pollingCost({ visitors: 1_000_000, wait_s: 600 }, 20, prices);
  assert.equal(requests, 32_000_000);
  near(usd, 14.4, 1e-9);
});

test("what is printed adds up", () => {
  const cost = costOf(EVENT, rates, prices);
  const text = shown(EVENT, cost, prices);
  assert.ok(text.includes(`$${(cost.wait.usd_in_all + cost.hold.usd_in_all).toFixed(2)}`));
  assert.ok(/10 lobbies, 1 porter, 167 visitors a second/.test(text), text);
});

test("images and scripts of the shop are requests of the worker, and nothing else", () => {
  const [without, with40] = [0, 40].map((files) => costOf({ ...EVENT, files }, rates, prices));
  near(with40.hold.worker_requests - without.hold.worker_requests, 40 * EVENT.visitors, 1e-9);
  near(with40.hold.usd_in_all - without.hold.usd_in_all, 40 * 0.3, 1e-9);
  assert.deepEqual(with40.wait, without.wait);
});

test("the README says both prices as the model has them", () => {
  const usd = (files, round_ms) => Math.round(costOf({ ...EVENT, renewals: 2, files, round_ms }, rates, prices).hold.usd_in_all);
  const [more, without] = [40, 0]
    .map((files) => [5, 20].map((ms) => usd(files, ms)).sort((a, b) => a - b))
    .map(([least, most]) => `\\$${least} to \\$${most}`);
  const readme = readFileSync(inRoot("README.md"), "utf8")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/\s+/g, " ");
  assert.match(readme, new RegExp(`${more} more\\] with forty images and scripts each, ${without} if`));
});

test("who could not do it on the free plan is told", () => {
  const told = (visitors) => shown({ ...EVENT, files: 40, visitors }, costOf({ ...EVENT, files: 40, visitors }, rates, prices), prices);
  assert.match(told(3_000), /144,000 requests .* Take the paid plan/);
  assert.match(told(2_000), /96,000 requests .* the free plan takes 100,000 a day/);
});
