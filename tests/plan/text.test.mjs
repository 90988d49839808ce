// What `npm run plan` says and what the check of forecasts concludes, by themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, outOf } from "../../scripts/plan.mjs";
import { bandOf, costOfRun } from "../../scripts/plan/costs.mjs";
import { html } from "../../scripts/plan/report.mjs";
import { figureCells, figuresOf, shown, spanCells, supposedLines, time } from "../../scripts/plan/text.mjs";
import { instead } from "../support/programs.mjs";
import { inside, isGood, judge, pageText } from "./compare.mjs";
import { flagsOf, SALES, workedMs } from "./sales.mjs";

const PRICES = {
  worker_requests_per_million: 0.3,
  object_requests_per_million: 0.15,
  socket_messages_per_request: 20,
  object_duration_per_million_gb_s: 12.5,
  object_gb: 0.128,
  rows_written_per_million: 1,
};
const band = (mid) => ({ low: mid * 0.9, mid, high: mid * 1.1, mean: mid });
const waits = { p50_ms: band(60_000), p90_ms: band(120_000), p99_ms: band(3_700_000) };
const run = {
  seed: 1,
  wait_p50_ms: 60_000,
  wait_p90_ms: 120_000,
  wait_p99_ms: 3_700_000,
  entered: 900,
  bought: 500,
  none_left: 3,
  put_out: 0,
  gave_up: 40,
  lost_calls: 0,
  in_vain: 60,
  turned_away: 0,
  unseen: 0,
  seats_end_ms: 600_000,
  last_in_ms: 610_000,
  over_ms: 640_000,
  lasts_ms: 1_000_000,
  sold: 1_000,
  missed_calls: 7,
  dead_share: 0.0123,
  dead_ms: 5,
  told_before_ms: 90_000,
  told_share: 0.5,
  objects: 2,
  counts: {
    worker: 3_000_000,
    inside: 1_000_000,
    lobby: 2_000_000,
    batches: 1_000_000,
    pushes: 0,
    alarms: 0,
    alarms_set: 0,
    rows: 1_000_000,
    pings: 20_000_000,
    reloads: 0,
    walked_in: 0,
  },
};
const moment = (at) => ({ at_ms: at, inside: band(100), waiting: band(500), seats_left: band(10), entered: band(50) });
const forecast = {
  people: 1_000_000,
  permits: 200,
  seats: 1_000,
  opens_ms: 1_800_000,
  notes: ["A <note> & more."],
  waits,
  runs: [run, { ...run, seed: 2, wait_p50_ms: 66_000 }],
  spans: [-1_800_000, 0, 600_000].map((from) => ({ from_ms: from, to_ms: from + 600_000, entered: band(400), waits })),
  curve: [0, 60_000, 120_000].map(moment),
};
const told = {
  plan: { forecast, draw: "shuffle" },
  other: null,
  found: null,
  seeds: 2,
  supposed: [
    ["buy", "0.8"],
    ["stay_spread", "0.5"],
  ],
};
const costs = forecast.runs.map((each) => costOfRun(each, PRICES));

test("times are short and unmistakable", () => {
  assert.deepEqual([0, 45_000, 89_400, 150_000, 3_900_000, -1_800_000].map(time), [
    "0 s",
    "45 s",
    "1 min 29 s",
    "2 min 30 s",
    "1 h 5 min",
    "-30 min",
  ]);
});

test("a run's costs are its counts by the prices", () => {
  const cost = costOfRun(run, PRICES);
  assert.equal(cost.worker_requests, 4_000_000);
  assert.equal(cost.rows, 1_000_000 + 0.4 * 1_000);
  // 4 M worker requests, 3 M of objects, a million pings' worth, a million rows, 1,000 s of two objects.
  assert.ok(Math.abs(cost.usd - (1.2 + 0.45 + 0.15 + 1 + 0.0032)) < 0.002, String(cost.usd));
});

test("what nobody said is told as flags that say it, a line of them at a time", () => {
  assert.ok(shown(told, [figuresOf(told.plan, costs)]).endsWith("\n  --buy 0.8 --stay-spread 0.5"));
  assert.deepEqual(
    supposedLines(
      [
        ["buy", "0.8"],
        ["over", "10m"],
        ["shape", "rush"],
      ],
      22,
    ),
    ["  --buy 0.8 --over 10m", "  --shape rush"],
  );
  assert.ok(!shown({ ...told, supposed: [] }, [figuresOf(told.plan, costs)]).includes("Supposed"));
});

test("a band holds nine of ten", () => {
  assert.deepEqual(bandOf(Array.from({ length: 21 }, (_, at) => at)), { low: 1, mid: 10, high: 19, mean: 10 });
  assert.equal(bandOf([null, undefined]), null);
});

test("the terminal gets what was found, in 100 columns", () => {
  const figures = figuresOf(told.plan, costs);
  const text = shown(told, [figures]);
  for (const words of ["1,000,000 people, 200 permits, 1,000 seats", "half wait less than", "wait in vain", "50.0 %", "10 min", "A <note>"])
    assert.ok(text.includes(words), words);
  assert.ok(
    text
      .split("\n")
      .slice(3)
      .every((line) => line.length <= 100),
    text,
  );
  assert.ok(!/NaN|undefined|null/.test(text), text);
});

test("two plans stand side by side, also where one has figures that the other has not", () => {
  const other = { forecast: { ...forecast, seats: null, runs: [{ ...run, in_vain: 0, seats_end_ms: null }] }, draw: "arrival" };
  const cells = figureCells([figuresOf(told.plan, costs), figuresOf(other, costs)]);
  assert.ok(cells.every((row) => row.length === 5));
  assert.deepEqual(cells.find(([what]) => what === "wait in vain").slice(3), ["–", ""]);
  assert.ok(shown({ ...told, other }, [figuresOf(told.plan, costs), figuresOf(other, costs)]).includes("draw = arrival instead of shuffle"));
});

const laneRun = {
  came: 150,
  entered: 120,
  bought: 60,
  wait_p50_ms: 1,
  wait_p90_ms: 1,
  wait_p99_ms: 1,
  gave_up: 2,
  lost_calls: 0,
  in_vain: 28,
  turned_away: 0,
  unseen: 0,
  pause_ms: 30_000,
};
const starving = { ...laneRun, came: 850, entered: 0, in_vain: 800, pause_ms: 900_000 };
const lanes = [
  {
    name: "vip",
    people: 0.15,
    share: 3,
    waits,
    curve: [
      { at_ms: 0, entered: band(1) },
      { at_ms: 60_000, entered: band(60) },
    ],
    runs: [laneRun, laneRun],
  },
  {
    name: "everybody",
    people: 0.85,
    share: 1,
    waits: null,
    curve: [
      { at_ms: 0, entered: band(0) },
      { at_ms: 60_000, entered: band(0) },
    ],
    runs: [starving, { ...starving, entered: 1 }],
  },
];
const withLanes = (rule) => ({ forecast: { ...forecast, lanes }, draw: "shuffle", lanes_rule: rule });

test("each lane has its figures, in 100 columns, and a lane that starves is named", () => {
  const [plan, other] = [withLanes("strict"), withLanes(null)];
  const figures = [figuresOf(plan, costs), figuresOf(other, costs)];
  const text = shown({ ...told, plan, other }, figures);
  for (const words of [
    "calls to vip (15.0 %) before everybody (85.0 %)",
    "The other: 1,000,000 people, 200 permits, 1,000 seats; no lanes",
    "In 1 of 2 runs nobody of the lane everybody gets in.",
  ])
    assert.ok(text.includes(words), `${words}\n${text}`);
  const cells = figureCells(figures);
  const mid = (what) => cells.find(([name]) => name === what)[1];
  assert.deepEqual(
    [
      "vip: come",
      "vip: get in",
      "vip: half wait less than",
      "vip: wait in vain",
      "everybody: half wait less than",
      "everybody: nobody called for",
    ].map(mid),
    ["150", "120", "1 min", "28", "–", "15 min"],
  );
  assert.ok(!cells.some(([what]) => what.includes("nobody knows yet")), "a row that says nothing in any lane");
  const alone = shown({ ...told, plan }, [figures[0]]);
  assert.ok(
    alone
      .split("\n")
      .slice(5)
      .every((line) => line.length <= 100),
    alone,
  );
  assert.ok(!/NaN|undefined|null/.test(text), text);
  const page = html({ ...told, plan }, [figures[0]], { at: "now", asked: "--vip 0.15" });
  assert.ok(page.includes("everybody: nobody called for") && page.includes("Who gets in, by lane"));
  assert.equal(page.match(/<svg/g).length, 4);
});

test("lanes in turn are said with their calls, and one lane is no lane", () => {
  assert.ok(
    shown({ ...told, plan: withLanes("shares") }, [figuresOf(withLanes("shares"), costs)]).includes(
      "calls in turn: 3 to vip (15.0 %), 1 to everybody (85.0 %)",
    ),
  );
  const one = { forecast: { ...forecast, lanes: [lanes[0]] }, draw: "shuffle", lanes_rule: "strict" };
  assert.ok(!/vip|lane/.test(shown({ ...told, plan: one }, [figuresOf(one, costs)])));
});

test("the report is one file, and what it was told is no markup", () => {
  const page = html(told, [figuresOf(told.plan, costs)], { at: "now", asked: '--trace "<x>"' });
  assert.equal(page.match(/<svg/g).length, 3);
  assert.ok(page.includes("A &lt;note&gt; &amp; more.") && page.includes("&lt;x&gt;"));
  assert.ok(!/(?:src|href)=/.test(page.replaceAll(/xmlns[^=]*="[^"]*"/g, "")));
  assert.equal(spanCells(told.plan).length, 4);
});

const expected = { wait_p50_ms: band(10_000), wait_p99_ms: band(20_000), end_ms: band(30_000), rows: band(1_000), requests: band(4_000) };
const seen = (share, p99) => ({
  wait_p50_ms: 10_000 * share,
  wait_p99_ms: p99,
  end_ms: 30_000 * share,
  rows: 1_000 * share,
  requests: 4_000 * share,
  ends: { bought: 3 },
});
const sale = SALES[0];

test("a forecast is good when averages are within 10 % and nine of ten tails inside", () => {
  const runs = (share, tails) => [{ sale, forecast: expected, seen: tails.map((p99) => seen(share, p99)) }];
  const nine = [...Array(9).fill(20_000), 99_000];
  assert.equal(isGood(runs(1.09, nine)), true);
  assert.equal(isGood(runs(1.12, nine)), false);
  assert.equal(isGood(runs(0.88, nine)), false);
  assert.equal(isGood(runs(1, [...nine.slice(1), 99_000])), false);
  assert.equal(
    isGood([{ sale, forecast: expected, seen: nine.map((p99) => ({ ...seen(1, p99), ends: { bought: 2, "still there, told waiting": 1 } })) }]),
    false,
    "somebody never ended",
  );
  assert.equal(
    inside(
      expected,
      nine.map((p99) => seen(1, p99)),
    ),
    9,
  );
  assert.equal(
    judge(expected, [seen(0.5, 1), seen(1.5, 1)]).every(({ ok, off }) => ok && off === 0),
    true,
  );
});

test("a planner that was killed is said to be, whatever it had printed", async (t) => {
  instead(t, "plan")("echo '{\"plan\"'; kill -KILL $$");
  await assert.rejects(ask([]), (error) => /was killed \(SIGKILL\)/.test(error.message) && error.message.includes("cure:"));
});

test("what the planner says on standard error is no part of its answer", async (t) => {
  instead(t, "plan")("echo 'a warning' >&2; echo '{}'");
  assert.equal(await ask([]), "{}\n");
});

test("--out is found in both spellings, and the last one counts", () => {
  assert.deepEqual([["a.toml"], ["--out", "x"], ["--out=y"], ["--out=y", "--seeds", "3", "--out", "z"]].map(outOf), [undefined, "x", "y", "z"]);
});

test("the page names what was missed", () => {
  const text = pageText(
    [{ sale, forecast: expected, seen: [seen(1.2, 1), { ...seen(1.2, 20_000), ends: { "failed: closed": 2, "still there, told waiting": 3 } }] }],
    { at: "today", machine: "2 cores" },
  );
  assert.ok(text.includes("20.0 %, **missed**") && text.includes("1 of 2") && text.includes("2 people met an error, **3 had not ended**"), text);
  assert.ok(text.includes("0 of 4 figures"));
});

test("planner and runtime are told the same sale", () => {
  const flags = flagsOf(SALES.find(({ name }) => name === "slow"));
  assert.equal(flags[flags.indexOf("--slow") + 1], "0.5@25s");
  assert.equal(flags[flags.indexOf("--permits") + 1], "16");
  const slow = SALES.find(({ name }) => name === "slow");
  assert.deepEqual([workedMs(slow, 0, 10_000), workedMs(slow, 20_000, 10_000), workedMs(slow, 30_000, 10_000)], [10_000, 15_000, 20_000]);
});
