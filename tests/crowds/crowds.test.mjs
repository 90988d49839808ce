// The crowds: the files are what the shapes make, and each shape has what its source says. That `rehearse` plays them,
// tools/tests/rehearse.rs tests.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { files } from "../../scripts/crowds.mjs";
import { readArrivals } from "../../scripts/crowds/trace.mjs";
import { SHAPES, traceOf } from "../../scripts/crowds/shapes.mjs";

/** A trace's rows as numbers and names. */
const rowsOf = (name) =>
  traceOf(name)
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [atMs, event, visitor, stayMs] = line.split(",");
      return { atMs: Number(atMs), event, visitor, stayMs: Number(stayMs) };
    });
const within = (rows, fromMs, untilMs) => rows.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
const share = (rows, fromMs, untilMs) => within(rows, fromMs, untilMs).length / rows.length;
const near = (found, wanted, by, what) => assert.ok(Math.abs(found - wanted) <= by, `${what}: ${found}, wanted ${wanted}`);

test("crowds/ is what the shapes make, and nothing else", () => {
  assert.deepEqual(
    readdirSync(inRoot("crowds")).sort(),
    files()
      .map(([name]) => name)
      .sort(),
  );
  for (const [name, text] of files()) assert.equal(readFileSync(inRoot("crowds", name), "utf8"), text, `crowds/${name}: run node scripts/crowds.mjs`);
});

for (const [name, { source }] of Object.entries(SHAPES)) {
  test(`${name}: rows in order within the ten minutes, everybody once, with a stay; its source is named`, () => {
    const rows = rowsOf(name);
    assert.ok(rows.length >= 500 && rows.every(({ event }) => event === "arrive"));
    assert.ok(
      rows.every(({ atMs, stayMs }) => Number.isInteger(atMs) && atMs >= 0 && atMs <= 620_000 && Number.isInteger(stayMs) && stayMs >= 1_000),
    );
    assert.ok(rows.every(({ atMs }, nth) => nth === 0 || atMs >= rows[nth - 1].atMs));
    assert.equal(new Set(rows.map(({ visitor }) => visitor)).size, rows.length);
    assert.match(source, /\d{4}|ours/);
  });
}

test("the opening rush rises, stays, falls", () => {
  const rows = rowsOf("opening_rush");
  near(share(rows, 0, 60_000), 0.65, 0.06, "in the first minute");
  assert.ok(share(rows, 0, 3_000) < share(rows, 7_000, 10_000), "it rises");
  near(share(rows, 10_000, 35_000) / share(rows, 35_000, 60_000), 1, 0.25, "it stays");
  assert.ok(share(rows, 60_000, 120_000) > 2 * share(rows, 180_000, 240_000), "it falls");
});

test("before a draw as many come in each halving of the time that is left", () => {
  const rows = rowsOf("draw");
  near(share(rows, 0, 300_000), 0.8, 0.05, "before the opening");
  const halves = [
    [5_000, 152_500],
    [152_500, 228_750],
    [228_750, 266_875],
  ].map(([from, until]) => share(rows, from, until));
  for (const each of halves) near(each, (0.8 * Math.log(2)) / Math.log(61), 0.04, "in a halving");
});

test("a slow burn is Poisson: as many as chance has it, gaps spread as their mean", () => {
  const rows = rowsOf("slow_burn");
  const counts = Array.from({ length: 60 }, (_, at) => within(rows, at * 10_000, (at + 1) * 10_000).length);
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const dispersion = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1) / mean;
  assert.ok(dispersion > 0.6 && dispersion < 1.5, `variance ÷ mean: ${dispersion}`);
});

test("in the bots' wave nine bots come for each person, in bursts, and only then", () => {
  const rows = rowsOf("bot_wave");
  const [bots, people] = ["b", "p"].map((kind) => rows.filter(({ visitor }) => visitor.startsWith(kind)));
  assert.equal(bots.length, 9 * within(people, 120_000, 180_000).length);
  assert.ok(bots.every(({ atMs, stayMs }) => atMs >= 120_000 && atMs < 180_000 && (atMs - 120_000) % 5_000 <= 150 && stayMs <= 3_000));
});

test("in the bank's outage a third of those who come then stay until it is over", () => {
  const rows = within(rowsOf("bank_outage"), 200_000, 300_000);
  const hit = rows.filter(({ atMs, stayMs }) => atMs + stayMs > 300_000 && stayMs > 40_000);
  const maybe = within(rows, 200_000, 260_000);
  near(hit.filter(({ atMs }) => atMs < 260_000).length / maybe.length, 0.35, 0.12, "who cannot pay");
  assert.ok(
    rowsOf("bank_outage")
      .filter(({ atMs }) => atMs < 200_000 || atMs >= 300_000)
      .every(({ stayMs }) => stayMs <= 40_000),
    "nobody else",
  );
});

test("while the network is gone fewer come, and right after it those who could not", () => {
  const rows = rowsOf("phone_network");
  const usual = within(rows, 0, 240_000).length / 24;
  near(within(rows, 240_000, 300_000).length / 6 / usual, 0.6, 0.2, "in the minute");
  assert.ok(within(rows, 300_000, 310_000).length > 2 * usual, "after it");
});

test("every trace is read as it was written", () => {
  for (const name of Object.keys(SHAPES))
    assert.deepEqual(
      readArrivals(name, traceOf(name)),
      rowsOf(name).map(({ atMs, visitor, stayMs }) => ({ atMs, visitor, stayMs })),
    );
});

test("traces may look as spreadsheets write them", () => {
  const wanted = [
    { atMs: 0, visitor: "Doe, J.", stayMs: null },
    { atMs: 5, visitor: "a", stayMs: 7 },
  ];
  for (const text of [
    'at_ms,event,visitor,stay_ms\n0,arrive,"Doe, J.",\n5,arrive,a,7\n',
    '\uFEFFat_ms , event,visitor,stay_ms\r\n\r\n0, arrive ,"Doe, J."\r\n5,arrive,a, 7',
    'Stay_ms,note,VISITOR,at_ms,event\n,x,"Doe, J.",0,arrive\n7,,a,5,arrive\n',
  ]) {
    assert.deepEqual(readArrivals("t.csv", text), wanted, JSON.stringify(text));
  }
});

test("a bad trace is named with line and cure", () => {
  const head = "at_ms,event,visitor,stay_ms";
  for (const [text, wanted] of [
    ["", /^t\.csv:1: no column "at_ms"\. Cure: /],
    ["at_ms,visitor\n", /:1: no column "event"/],
    [`${head}\n`, /:1: nobody comes/],
    [`${head}\n0,arrive,a,soon`, /:2: stay_ms is "soon"\. Cure: whole/],
    [`${head}\n\n-1,arrive,a,`, /:3: at_ms is "-1"/],
    [`${head}\n0,arrive,,`, /:2: arrive without a visitor/],
    [`${head}\n0,tick,,`, /:2: the event "tick"\. Cure: .*only arrive/],
    [`${head}\n5,arrive,a,\n4,arrive,b,`, /:3: time runs backwards/],
    [`${head}\n0,arrive,"a,`, /:2: an open quote/],
  ])
    assert.throws(() => readArrivals("t.csv", text), { message: wanted });
});
