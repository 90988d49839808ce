// The capacity model: what can be worked out by hand comes out, nobody is lost, and the same flags give the same figures.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Clock, Server } from "../../bench/scale/clock.mjs";
import { comeBack, handOver, LIST_GAP, LIST_TICKETS, PACE_PER_S, rush, sale, spreadFor } from "../../bench/scale/events.mjs";
import {
  COMMANDS_MAX,
  COMPANY,
  DELAYS,
  FRAMES_AT_ONCE,
  FRAMES_PER_S,
  lobbiesFor,
  MACHINES,
  PER_LOBBY,
  PORTERS,
  portersFor,
} from "../../bench/scale/machines.mjs";
import { endsTable, inputs, timesTable } from "../../bench/scale/inputs.mjs";
import { panelOf } from "../../bench/scale/tables.mjs";
import { loadOf } from "../../bench/plot.mjs";
import { World } from "../../bench/scale/world.mjs";
import { inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";
import { diceOf } from "../../scripts/dice.mjs";
import { quantile } from "../../scripts/figures.mjs";

const machine = MACHINES.guidance;
const settings = { machine, delays: DELAYS };
const near = (value, expected, share = 1e-9) => assert.ok(Math.abs(value / expected - 1) <= share, `${value} is not ${expected}`);

test("the clock goes forward, and what is planned for one instant keeps its order", () => {
  const clock = new Clock();
  const seen = [];
  for (const [at, name] of [
    [5, "c"],
    [1, "a"],
    [5, "d"],
    [3, "b"],
  ])
    clock.at(at, () => seen.push([clock.now, name]));
  clock.at(3, () => clock.at(4, () => seen.push([clock.now, "later"])));
  clock.run();
  assert.deepEqual(seen, [
    [1, "a"],
    [3, "b"],
    [4, "later"],
    [5, "c"],
    [5, "d"],
  ]);
});

test("a server under Poisson arrivals waits as Pollaczek and Khinchine say", () => {
  const clock = new Clock();
  const server = new Server(clock);
  const random = diceOf(7);
  const waits = [];
  let at = 0;
  for (let n = 0; n < 200_000; n++) {
    at += -Math.log(1 - random()) / 0.7;
    const came = at;
    clock.at(came, () => server.request(1, () => waits.push(clock.now - came - 1)));
  }
  clock.run();
  // M/D/1 at 70 %: 0.7 / (2 · 0.3) of a service time.
  near(waits.reduce((sum, wait) => sum + wait, 0) / waits.length, 0.7 / 0.6, 0.05);
});

/** One release with somebody in line, and nothing else. */
function aloneIn(world) {
  world.fill(1);
  world.release(0);
  world.clock.run();
  return world.batons;
}

test("a baton alone takes its way and its work, and nothing waits", () => {
  const there = DELAYS.front + machine.lobby_ask + DELAYS.object;
  const back = machine.write + DELAYS.object + machine.lobby_message + machine.send;
  const [direct] = aloneIn(new World({ ...settings, lobbies: 1 }));
  near(direct, there + machine.room_turn + machine.command + back);
  const [bundled] = aloneIn(new World({ ...settings, lobbies: 1, porters: 1 }));
  near(bundled, direct + 2 * DELAYS.object + 2 * machine.porter_message);
});

test("on one thread everything takes its turn: as much work as there is, and no less", () => {
  const apiece = { ...MACHINES.measured, lobby_socket: 0.7, socket_each: 0 };
  const delays = { front: 0, object: 0 };
  const run = (machine) => rush({ machine, delays, lobbies: 8, people: 8_000, arrive_s: 10, flow: 20, after_s: 5 });
  const [apart, together] = [run(apiece), run({ ...apiece, shared: true, page: 1, front_ask: 0 })];
  assert.ok(apart.numbered_at_s < 10.5, "each object has a thread of its own");
  // 8,000 pages of 1 ms and sockets of 0.7 ms are 13.6 seconds of the thread, without a batch.
  assert.ok(together.numbered_at_s > 13.6 && together.numbered_at_s < 20, `${together.numbered_at_s} s`);
  assert.equal(together.without_number, 0);
});

test("a lobby that sends a frame lets a call go in between", () => {
  const run = (send) => handOver({ machine: { ...MACHINES.measured, send }, delays: DELAYS, lobbies: 1, people: 10_000, flow: 20, lasts_s: 60 });
  const [none, slow] = [run(0), run(0.05)];
  assert.ok(none.baton_p99_ms < 30);
  // 10,000 sockets take half a second, each five seconds; a slice of them 25 ms, which a baton meets at both of its ends.
  assert.ok(
    slow.baton_p50_ms < 30 && slow.baton_p99_ms > none.baton_p99_ms + 10 && slow.baton_p99_ms < none.baton_p99_ms + 60,
    `${slow.baton_p99_ms} ms`,
  );
});

test("nobody is lost: all get a number, and every release calls one", () => {
  for (const porters of [0, 2]) {
    const { without_number, batons, requests } = rush({ ...settings, porters, lobbies: 4, people: 4_000, arrive_s: 5, flow: 50 });
    assert.equal(without_number, 0);
    assert.ok(batons > 1_000 && batons <= 4_000);
    assert.equal(requests.porter.in_all > 0, porters > 0);
  }
  const seen = sale({ ...settings, lobbies: 2, people: 5_000, crowd: 500, wait_s: 10 });
  near(seen.batons, 5_000, 0.05);
});

test("the same settings give the same figures", () => {
  const run = () => handOver({ ...settings, lobbies: 10, people: 100_000, flow: 170, lasts_s: 5 });
  assert.deepEqual(run(), run());
  assert.notDeepEqual(run(), handOver({ ...settings, lobbies: 10, people: 100_000, flow: 170, lasts_s: 5, seed: 2 }));
});

test("a million in line: the room is the queue, and porters end it", () => {
  // Without the sockets' frames, which hold up a lobby and not the room.
  const of = (porters) =>
    handOver({ ...settings, machine: { ...machine, send: 0 }, lobbies: 100, porters, people: 1_000_000, flow: 170, lasts_s: 20 });
  const [without, two] = [of(0), of(2)];
  assert.ok(without.baton_p99_ms > 400, "each lobby waits for its batch behind the others'");
  assert.ok(two.baton_p99_ms < without.baton_p99_ms / 4);
  assert.ok(two.rows < without.rows);
});

test("joins wait for company under load, nobody longer than the bound, and nobody where few come", () => {
  const at = (people, arrive_s) =>
    rush({ ...settings, machine: { ...MACHINES.measured, send: 0, socket_each: 0 }, lobbies: 1, people, arrive_s, flow: 1, after_s: 0 });
  const [quiet, busy] = [at(90, 10), at(6_000, 10)];
  assert.ok(quiet.rows > 90, "each by itself");
  assert.ok(busy.rows < 6_000 / COMPANY.enough + 60, `${busy.rows} rows`);
  assert.ok(busy.numbered_s < (COMPANY.most_ms + 50) / 1_000);
});

/** A constant of a Rust file. */
function constantIn(...file) {
  const text = readFileSync(inRoot(...file), "utf8");
  return (name) => Number(new RegExp(`const ${name}: \\w+ = ([\\d_]+);`).exec(text)[1].replaceAll("_", ""));
}

test("the model's lobbies, porters, batches, lists and frames are the room's", () => {
  const schema = constantIn("src", "settings", "schema.rs");
  const limits = constantIn("src", "facts", "limits.rs");
  assert.equal(PER_LOBBY, schema("CROWD_PER_LOBBY"));
  assert.deepEqual([COMMANDS_MAX, LIST_TICKETS], [limits("BATCH_COMMANDS_MAX"), limits("PAGE_TICKETS_MAX")]);
  assert.equal(LIST_GAP, constantIn("src", "room", "courier", "greeting.rs")("LIST_EVERY_MS"));
  assert.deepEqual(PORTERS, { none: schema("LOBBIES_WITHOUT_PORTER"), one: schema("LOBBIES_OF_ONE_PORTER") });
  assert.deepEqual([4, 5, 16, 17].map(portersFor), [0, 1, 1, schema("PORTERS")]);
  assert.equal(FRAMES_PER_S, constantIn("src", "lobby", "frames.rs")("FRAMES_PER_S"));
  assert.equal(FRAMES_AT_ONCE, constantIn("src", "edge", "lobby_object", "driver.rs")("FRAMES_AT_ONCE"));
});

test("the model's company is the lobby's", () => {
  const constant = constantIn("src", "lobby", "company.rs");
  assert.deepEqual(COMPANY, {
    most_ms: constant("COMPANY_MS_MAX"),
    enough: constant("COMPANY_ENOUGH"),
    gaps: constant("GAPS"),
    quiet_per_s: constant("QUIET_PER_S"),
    busy_per_s: constant("BUSY_PER_S"),
  });
});

test("the model's pace is the front's", () => {
  const text = readFileSync(inRoot("src", "gate", "pace.rs"), "utf8");
  assert.equal(PACE_PER_S, Number(/const REQUESTS_PER_S: u64 = ([\d_]+);/.exec(text)[1]));
});

test("pages that are spread ask no lobby too often", () => {
  const people = 20_000;
  const spread_s = spreadFor(people, 2, 1);
  const crowded = rush({ ...settings, lobbies: 2, people, arrive_s: 1, flow: 10 });
  const spread = rush({ ...settings, lobbies: 2, people, arrive_s: 1, spread_s, flow: 10 });
  assert.ok(crowded.requests.lobby.most_per_s > 5_000);
  assert.ok(spread.requests.lobby.most_per_s < 800);
  const measured = rush({ ...settings, machine: MACHINES.measured, lobbies: 2, people, arrive_s: 1, spread_s, flow: 10 });
  assert.ok(measured.numbered_s < spread_s + 2 && spread.without_number + measured.without_number === 0);
  assert.equal(spreadFor(1_000_000, 100, 60), 0, "a crowd that takes its time needs none");
  const back = comeBack({ ...settings, lobbies: 4, people, spread_s: 30, flow: 10 });
  assert.ok(back.requests.lobby.most_per_s < 800 && back.back_s < 31);
});

test("a lobby for each 10,000", () => {
  assert.deepEqual([1, 10_000, 10_001, 1_000_000].map(lobbiesFor), [1, 1, 2, 100]);
  assert.equal(quantile([], 0.5), null);
  assert.equal(quantile([1, 2, 3, 4], 0.5), 3);
});

const kept = (...file) => JSON.parse(readFileSync(inRoot("bench", ...file), "utf8"));

test("the tables' sources are named, and the benchmarks have the rows that the docs need", () => {
  const results = kept("results.json");
  const said = inputs({ crowds: kept("crowds.json"), results, prices: kept("cost", "prices.json") });
  assert.match(said, /of \d{4}-\d\d-\d\d.* \([0-9a-f]{7,}.*results\.json\) of \d{4}-\d\d-\d\d \([0-9a-f]{7,}\) and list prices of \d{4}/);
  assert.match(endsTable(results), /\| one lobby: joins \| [\d,]+ a second \|/);
  const rows = [
    { what: "a frame (9 bytes) to 2,000 sockets of one lobby", value: 90 },
    { what: "joins by HTTP, one lobby, 64 at once", value: 1_234 },
    { what: "keys, tags and index a waiting visitor", value: 23.6 },
  ];
  assert.match(endsTable({ rows }), /45 ms CPU a thousand[^]*1,234 a second[^]*24 bytes a ticket/);
  assert.throws(() => endsTable({ rows: [] }), /bench\/results\.json has no row "a frame \(/);
});

test("the table of times has each piece of work of both machines", () => {
  const lines = timesTable(MACHINES).split("\n").slice(2);
  assert.equal(lines.length, Object.keys(MACHINES.measured).length);
  assert.ok(
    lines.every((line) => /\| [\d.e-]+ \| [\d.e-]+ \|$/.test(line)),
    lines.join("\n"),
  );
});

test("each second's requests add up, and the plot has a line for each kind of object on each machine", () => {
  const seen = [MACHINES.measured, machine].map((each) =>
    rush({ machine: each, delays: DELAYS, lobbies: 1, porters: 1, people: 500, arrive_s: 5, flow: 20, after_s: 2 }),
  );
  for (const { perSecond, requests } of seen) {
    for (const kind of ["room", "lobby", "porter"]) {
      assert.equal(
        perSecond[kind].reduce((sum, count) => sum + count, 0),
        requests[kind].in_all,
        "one object of each kind",
      );
      assert.equal(Math.max(...perSecond[kind]), requests[kind].most_per_s);
    }
  }
  const svg = loadOf([panelOf("a rush", ["measured", "guidance"], seen)], 800);
  for (const text of ["a rush", "a lobby", "a porter", "the room", "measured", "guidance", "800 a second"])
    assert.ok(svg.includes(`>${text}</text>`), text);
});

for (const [args, says] of [
  [["--people", "many"], /--people takes a whole number from 1 to 2560000, not "many"/],
  [["--people", "0"], /--people takes/],
  [["--arrive", "10"], /--arrive takes a duration such as 500ms, 60s or 10m, not "10"/],
  [["--machine", "fast"], /--machine takes measured or guidance, not "fast"/],
  [["--porters", "99"], /--porters takes a whole number from 0 to 16/],
  [["--pepole", "9"], /Unknown option '--pepole'.*--help/],
]) {
  test(`npm run scale -- ${args.join(" ")} is told what is wrong`, () => {
    const { status, stderr } = spawnSync(npmProgram("node"), [inRoot("scripts", "scale.mjs"), ...args], {
      encoding: "utf8",
      env: toolEnv({ BATON_PREPARED: "1" }),
    });
    assert.equal(status, 2);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /\n {4}at /, "no stack");
  });
}
