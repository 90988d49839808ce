// `npm run bench`: what the built worker costs on this machine, on workerd, without the imitation of Cloudflare's assets.
//
//   npm run bench -- [--rounds 3] [--seconds 3] [--connections 16] [--pairs 60] [--joins 100] [--no-build]
//
// Every figure has a ceiling from the same run: what the same machine does when Baton has nothing to do. The ratio is
// what counts; the figures alone say as much about the machine. Rounds are interleaved, so that a busy moment hits
// everything alike, and medians of the rounds are shown. Nothing here passes or fails. Writes bench/results.json.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { fail, inRoot, npmProgram, output, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { assetsDir, build, workerDir } = await import("./build.mjs");
const { startRuntime } = await import("./runtime.mjs");
const { wranglerConfig } = await import("./settings.mjs");
const { client, load, median, percentile } = await import("../bench/load.mjs");
const { Visitor } = await import("../tests/support/visitor.mjs");

const HOUR_S = 3_600;
/** `in`: everybody walks in, passes stay fresh. `line`: nobody is ever called. `pairs`: one permit from hand to hand. */
const ROOMS = {
  in: { paths: ["/in/*"], permits: 1_000, pass_ttl_s: HOUR_S, lease_idle_s: HOUR_S, lease_max_s: 2 * HOUR_S, claim_within_s: HOUR_S },
  line: { paths: ["/line/*"], permits: 0, crowd: 10_000 },
  pairs: { paths: ["/pairs/*"], permits: 1, lease_idle_s: HOUR_S, lease_max_s: 2 * HOUR_S },
};

function options() {
  const text = { type: "string" };
  const { values } = parseArgs({ options: { rounds: text, seconds: text, connections: text, pairs: text, joins: text, build: { type: "boolean", default: true } }, allowNegative: true });
  const whole = (name, fallback) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < 1) throw new UserError(`--${name} needs a whole number from 1.`);
    return value;
  };
  return { rounds: whole("rounds", 3), seconds: whole("seconds", 3), connections: whole("connections", 16), pairs: whole("pairs", 60), joins: whole("joins", 100), build: values.build };
}

async function main() {
  const asked = options();
  if (asked.build) await build();
  const origin = await startOrigin();
  const ends = [origin.stop];
  try {
    const vars = { ROOMS, ORIGIN: origin.url, BATON_SECRET: randomBytes(32).toString("hex"), ORIGIN_SECRET: randomBytes(32).toString("hex") };
    const baton = await startRuntime({ vars, door: false });
    ends.push(baton.stop);
    const least = await startLeast(origin.url);
    ends.push(least.stop);
    const rounds = await measure({ baton, least, origin, asked });
    publish([...rows(rounds), ...sizes()], asked);
  } finally {
    for (const stop of ends.reverse()) await stop();
  }
}

// ------------------------------------------------------------------------------------------------ measuring

/** All rounds, each a table of figures by name. */
async function measure({ baton, least, origin, asked }) {
  const at = (path) => new URL(path, baton.url).href;
  const buyer = await walkIn(at("/in/page"));
  const shown = { cookie: buyer.jar.header(), accept: "text/html" };
  const holder = { visitor: await walkIn(at("/pairs/page"), "pairs") };
  const often = { connections: asked.connections, seconds: asked.seconds };
  const steps = {
    origin_alone: () => load(`${origin.url}/page`, often),
    least_worker: () => load(`${least.url}/page`, often),
    open_path: () => load(at("/open/page"), often),
    fresh_pass: () => load(at("/in/page"), { ...often, headers: shown }),
    one_by_one_health: () => sample(asked.joins, () => get(at("/__baton/health"))),
    one_by_one_pass: () => sample(asked.joins, () => get(at("/in/page"), shown)),
    one_by_one_join: () => joins(at("/line/page"), asked.joins, 1),
    many_joins: () => joins(at("/line/page"), asked.joins * 4, asked.connections * 4),
    baton: () => batons(at("/pairs/page"), asked.pairs, holder),
  };
  const rounds = [];
  // The first round warms up: compiled code, pooled connections, objects that exist.
  for (let round = 0; round <= asked.rounds; round++) {
    const found = {};
    for (const [name, step] of Object.entries(steps)) {
      process.stderr.write(`${round === 0 ? "warming up" : `round ${round} of ${asked.rounds}`}: ${name}\n`);
      found[name] = await step();
    }
    if (round > 0) rounds.push(found);
  }
  return rounds;
}

/** Somebody whose pass was shown, so that the lease is a whole one, and who has its newest form: no answer sets one. */
async function walkIn(url, room = "in") {
  const visitor = new Visitor({ url, room });
  for (let i = 0; i < 20; i++) {
    const { state, status, headers } = await visitor.arrive();
    if (state !== "shop" || status !== 200) throw new Error(`${url}: expected to walk in, was answered ${status} (${state})`);
    if (i > 0 && !headers["set-cookie"]) return visitor;
    await sleep(50);
  }
  throw new Error(`${url}: every answer renews the pass`);
}

async function get(url, headers = {}) {
  const answer = await new Visitor({ url, headers }).request(url);
  if (answer.status !== 200) throw new Error(`${url}: answered ${answer.status}`);
}

/** Times of `count` calls, one after the other, ms. */
async function sample(count, act) {
  const times = [];
  for (let i = 0; i < count; i++) times.push(await timed(act));
  return summary(times);
}

async function timed(act) {
  const at = performance.now();
  await act();
  return performance.now() - at;
}

const summary = (times) => ({ p50_ms: percentile(times, 50), p99_ms: percentile(times, 99) });

/** New visitors take their numbers, `together` at a time: front, lobby, room, and the journals of both. */
async function joins(url, count, together) {
  const crowd = Array.from({ length: count }, () => new Visitor({ url, room: "line" }));
  const each = async (act) => {
    const left = [...crowd];
    const work = async () => { for (let next = left.pop(); next; next = left.pop()) await act(next); };
    await Promise.all(Array.from({ length: together }, work));
  };
  await each((visitor) => visitor.status()); // sets the visitor's cookie
  const times = [];
  const took_ms = await timed(() => each(async (visitor) => {
    times.push(await timed(async () => {
      const { status } = await visitor.join();
      if (status !== 201) throw new Error(`a join was answered ${status}`);
    }));
  }));
  await each((visitor) => visitor.leave()); // so that each round finds an empty line
  return { ...summary(times), per_s: count / (took_ms / 1000) };
}

/** The holder's last request goes out; how long until the next in line has heard of the call? */
async function batons(url, pairs, holder) {
  const times = [];
  for (let i = 0; i < pairs; i++) {
    const next = new Visitor({ url, room: "pairs" });
    await next.status();
    await next.openSocket();
    const startedAt = performance.now();
    const called = next.waitForState("called", 10_000).then(() => times.push(performance.now() - startedAt));
    await Promise.all([called, holder.visitor.request("/pairs/release", { headers: { accept: "text/html" } })]);
    next.closeSocket();
    const landed = await next.arrive();
    if (landed.state !== "shop") throw new Error("the called visitor was not let in");
    holder.visitor = next;
  }
  return summary(times);
}

// ------------------------------------------------------------------------------------------------ results

/** `ceiling`: the figure that Baton could not beat on this machine, and `ceiling_of` what that is. */
function rows(rounds) {
  const of = (name, figure) => median(rounds.map((round) => round[name][figure]));
  const row = (what, [name, figure], unit, ceiling) => {
    const value = of(name, figure);
    if (!ceiling) return { what, value, unit };
    const [best, of_what] = [of(ceiling[0], ceiling[1]), ceiling[2]];
    return { what, value, unit, ceiling: best, ceiling_of: of_what, ratio: value / best };
  };
  const least = ["least_worker", "per_s", "the least worker that forwards"];
  const forwarded = ["one_by_one_pass", "p50_ms", "a forwarded request"];
  const answered = ["one_by_one_health", "p50_ms", "an answer without an object"];
  return [
    row("the origin, asked directly", ["origin_alone", "per_s"], "requests/s"),
    row("the least worker that forwards", ["least_worker", "per_s"], "requests/s", ["origin_alone", "per_s", "the origin"]),
    row("forwarding an open path", ["open_path", "per_s"], "requests/s", least),
    row("forwarding with a fresh pass", ["fresh_pass", "per_s"], "requests/s", least),
    row("the same, p50", ["fresh_pass", "p50_ms"], "ms", ["least_worker", "p50_ms", "the least worker"]),
    row("the same, p99", ["fresh_pass", "p99_ms"], "ms", ["least_worker", "p99_ms", "the least worker"]),
    row("one join after the other, p50", ["one_by_one_join", "p50_ms"], "ms", answered),
    row("one join after the other, p99", ["one_by_one_join", "p99_ms"], "ms", ["one_by_one_health", "p99_ms", "an answer without an object"]),
    row("joins at once", ["many_joins", "per_s"], "joins/s"),
    row("joins at once, p99", ["many_joins", "p99_ms"], "ms"),
    row("baton: release sent to next told, p50", ["baton", "p50_ms"], "ms", forwarded),
    row("baton: release sent to next told, p99", ["baton", "p99_ms"], "ms", ["one_by_one_pass", "p99_ms", "a forwarded request"]),
  ];
}

/** What goes to Cloudflare, and what goes to a visitor who waits. */
function sizes() {
  const read = (...parts) => readFileSync(path.join(...parts));
  const wasm = read(workerDir(), "index_bg.wasm");
  const folder = path.join(assetsDir, "__baton", "static");
  const names = readdirSync(folder);
  const isPage = (name) => name === "page.en.html" || /\.(css|js)$/.test(name) && !/^(keep|ja)\./.test(name);
  const page = names.filter(isPage).map((name) => read(folder, name));
  const total = (buffers) => buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  return [
    { what: "wasm", value: wasm.length, unit: "bytes" },
    { what: "wasm, gzipped", value: gzipSync(wasm).length, unit: "bytes" },
    { what: `the waiting page, ${page.length} files`, value: total(page), unit: "bytes" },
    { what: "the waiting page, each file gzipped", value: total(page.map((file) => gzipSync(file))), unit: "bytes" },
    { what: "keep.js, gzipped", value: gzipSync(read(folder, "keep.js")).length, unit: "bytes" },
  ];
}

function publish(all, { rounds, seconds, connections, pairs, joins: joined }) {
  const cpus = os.cpus();
  const results = {
    at: new Date().toISOString(), commit: output("git", ["rev-parse", "--short", "HEAD"], { cwd: inRoot() }) ?? null,
    machine: { cpu: cpus[0]?.model ?? "unknown", cores: cpus.length, load_1min: Number(os.loadavg()[0].toFixed(2)), node: process.versions.node, client },
    options: { rounds, seconds, connections, pairs, joins: joined },
    rows: all.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value === "number" ? round(value) : value]))),
  };
  writeFileSync(inRoot("bench", "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  console.log(table(results.rows));
  console.log(`\nMedians of ${rounds} rounds, client ${client}, ${cpus.length} cores, load ${results.machine.load_1min}. Written to bench/results.json.`);
}

const round = (value) => Number(value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function table(all) {
  const cells = all.map(({ what, value, unit, ceiling, ceiling_of, ratio }) =>
    [what, value.toLocaleString("en"), unit, ceiling === undefined ? "" : `${ceiling.toLocaleString("en")} (${ceiling_of})`, ratio === undefined ? "" : `×${ratio}`]);
  const lines = [["what", "value", "unit", "ceiling", "ratio"], ...cells];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => line.map((cell, column) => (column === 1 || column === 4 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join("  ").trimEnd()).join("\n");
}

// ------------------------------------------------------------------------------------------------ processes

async function startOrigin() {
  const child = spawn(process.execPath, [inRoot("bench", "origin.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${Number(port)}`, stop: () => endOf(child) };
}

/** The least worker on the same runtime with the same compatibility date. */
async function startLeast(originUrl) {
  const work = mkdtempSync(path.join(os.tmpdir(), "baton-bench-"));
  const config = path.join(work, "config.capnp");
  const script = readFileSync(inRoot("bench", "passthrough.js"), "utf8");
  writeFileSync(config, `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "main.js", esModule = ${JSON.stringify(script)})],
  compatibilityDate = ${JSON.stringify(wranglerConfig().compatibility_date)},
  bindings = [(name = "ORIGIN", text = ${JSON.stringify(originUrl)})],
);
`);
  const child = spawn(npmProgram("workerd"), ["serve", config, "--control-fd=3"], { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  const told = once(child.stdio[3], "data").then(([line]) => JSON.parse(line.toString().split("\n")[0]).port);
  const port = await Promise.race([told, once(child, "exit").then(() => { throw new Error("the least worker did not start"); })]);
  return { url: `http://127.0.0.1:${port}`, stop: async () => { await endOf(child); rmSync(work, { recursive: true, force: true }); } };
}

async function endOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

await main().catch(fail);
// Kept connections of the visitors would hold the process.
process.exit();
