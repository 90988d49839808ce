// The model beside a real crowd: what is said to be near is near, and the crowd that is published is a whole one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MACHINES } from "../../bench/scale/machines.mjs";
import { momentUsd, priced } from "../../bench/scale/price.mjs";
import { compared, crowdsTable, modelled, NEAR, nearText, shownCrowd } from "../../bench/scale/validate.mjs";
import { inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";

const machine = { ...MACHINES.measured, shared: true, page: 0.3, front_ask: 0.1 };
const plan = { people: 600, lobbies: 2, porters: 0, arrive_s: 3, stand_s: 3, spread_s: 3, flow: 20, tick_ms: 1_000 };

test("a crowd that does what the model says is near in everything; one that takes twice as long is not", () => {
  const [model] = modelled(plan, machine, 500);
  assert.ok(compared(model, [model]).every(({ ratio, isNear }) => ratio === 1 && isNear));
  const slower = structuredClone(model);
  slower.rush.numbered_at_s *= 1 + NEAR * 2;
  slower.return.baton_p99_ms *= 1 + NEAR / 2;
  const rows = compared(slower, [model]);
  assert.deepEqual(
    rows.filter(({ isNear }) => !isNear).map(({ what }) => what),
    ["all have a number after, s"],
  );
  assert.match(shownCrowd({ plan, machine, rows, again: 0 }), /^all|NOT within 25 %/m);
  const small = { plan: { ...plan, people: 300, lobbies: 4 }, machine: { ...machine, write: 0, porter_message: 0 }, rows };
  assert.match(
    nearText([{ plan, machine, rows }, small]),
    new RegExp(` 300 to 600 real sockets over 2 to 4 lobbies, ${2 * rows.length - 2} of ${2 * rows.length} figures were within 25 %`),
  );
  assert.match(crowdsTable([{ plan, machine, rows }, small]), /\| the calibration had nothing left for \| – \| a durable row \|$/m);
  assert.match(crowdsTable([{ plan, machine, rows }]), /\| all have a number after, s \| \*\*[\d.]+ \/ [\d.]+\*\* \|/);
});

test("what the model says is the median of its runs", () => {
  const of = (numbered_at_s) => ({
    rush: { numbered_at_s, requests: { room: {}, lobby: {}, porter: {} } },
    return: { requests: { room: {}, lobby: {} } },
  });
  const [{ model, isNear }] = compared(of(10), [of(30), of(11), of(2)]);
  assert.deepEqual([model, isNear], [11, true]);
});

test("who plays the crowd hears one message after the other", () => {
  const alone = modelled(plan, machine, 500)[0];
  const heard = modelled(plan, { ...machine, ears: 1, hear: 2 }, 500)[0];
  assert.ok(heard.rush.baton_p50_ms >= alone.rush.baton_p50_ms + 2);
  assert.ok(heard.rush.numbered_p50_s >= alone.rush.numbered_p50_s + 0.002);
});

test("what does not happen is not compared", () => {
  const whats = (porters) => {
    const runs = modelled({ ...plan, porters }, machine, 500);
    return compared(runs[0], runs).map(({ what }) => what);
  };
  assert.equal(whats(0).includes("a porter's"), false);
  assert.equal(whats(1).includes("a porter's"), true);
});

test("the published crowds are whole, and on one machine", () => {
  const crowds = JSON.parse(readFileSync(inRoot("bench", "crowds.json"), "utf8"));
  assert.ok(crowds.length >= 3);
  for (const {
    plan,
    machine: { shared, send, lobby_socket, room_turn },
    lost,
    rush,
    return: returned,
  } of crowds) {
    assert.ok(plan.people >= 1_000 && lost > plan.people / 2, "a trial must not be published");
    assert.ok(shared && send > 0 && lobby_socket > 0 && room_turn > 0);
    assert.ok(rush.batons > 100 && returned.batons > 100);
  }
});

test("a price is the sum of what it is for", () => {
  const prices = JSON.parse(readFileSync(inRoot("bench", "cost", "prices.json"), "utf8"));
  const made = { join: 1e6, claim: 1e6, release: 1e6, batch: 1e6, bundle: 1e6, call: 1e6, picture: 0 };
  const ofReleases = { batch: 4e5, bundle: 4e5, row: 4e5 };
  const { lines, usd, wait_usd } = priced({ people: 1e6, made, ofReleases, rows: 1e6, objects: 0, lasts_s: 0 }, 600, prices);
  const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`);
  // Three requests of the worker, two of a lobby, 24 pings at a twentieth, a push, and what of batches and bundles is not for releases.
  near(usd.requests, 3 * 0.3 + 2 * 0.15 + (24 / 20) * 0.15 + 0.15 + 2 * 0.6 * 0.15);
  near(usd.rows, 0.6);
  near(usd.hold, 0.15 + 2 * 0.4 * 0.15 + 0.4);
  near(
    wait_usd + usd.hold,
    lines.reduce((sum, line) => sum + line.usd, 0),
  );
});

test("a rush costs its requests, rows and seconds, each alarm being a request and a row", () => {
  const prices = {
    worker_requests_per_million: 2,
    object_requests_per_million: 3,
    rows_written_per_million: 5,
    object_gb: 0.5,
    object_duration_per_million_gb_s: 7,
  };
  const usd = momentUsd({ fronts: 10, requests: { room: { in_all: 20 }, lobby: { in_all: 30 } }, rows: 40, objects: 4, took_s: 50 }, prices);
  const expected = (10 * 2 + (20 + 30 + 50) * 3 + (40 + 50) * 5 + 50 * 4 * 0.5 * 7) / 1e6;
  assert.ok(Math.abs(usd - expected) < 1e-12, `${usd} is not ${expected}`);
});

test("a crowd for which there are not enough open files is told so before anything is built", () => {
  const { status, stderr } = spawnSync("sh", ["-c", `ulimit -n 2000; exec "$0" scripts/scale.mjs --validate --people 9000`, npmProgram("node")], {
    cwd: inRoot(),
    encoding: "utf8",
    env: toolEnv({ BATON_PREPARED: "1" }),
  });
  assert.notEqual(status, 0);
  assert.match(stderr, /9000 sockets need 18800 open files, and this system lets a process have 2000.*--people 600/s);
});
