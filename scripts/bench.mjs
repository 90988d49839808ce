// `npm run bench`: what Baton costs on this machine, on `workerd serve`, beside ceilings of the same run.
//
//   npm run bench -- [--rounds 3] [--seconds 3] [--only NAME]… [--no-build] [--note TEXT]
//                    [--connections 16] [--pairs 400] [--sockets 10000] [--waiting 1000000] [--data DIR]
//
// Every figure has a ceiling from the same run: what the same machine does when a worker does hardly anything. The ratio
// is what counts; the figures alone say as much about the machine. Within a round Baton and the ceilings take turns, so that
// a busy moment burdens all alike. A first round warms up; the medians of the other rounds are shown. A missed target is a
// result, not a failure. Writes bench/results.json and the tables of docs/benchmarks.md; with --only those rows are replaced
// and the others stay. --data is the folder of the objects' storage (the system's temporary folder); each row that is written
// there takes the time of its disk.
//
//   npm run bench -- --only peers [--people 500] [--pairs 400]
//
// Runs Baton beside what people would build or pick in its place (bench/contest/run.mjs). Runs only when it is named: it fetches Redis, MariaDB,
// PostgreSQL and ZooKeeper with apt-get, and their clients with npm and pip, into .baton/peers/. Writes docs/comparison.md and bench/peers.json.
//
//   npm run bench -- --only older [--older COMMIT]
//
// Runs this build beside that of an older commit, which it builds first. Runs only when it is named.
//
//   npm run bench -- --profile forward|stranger|status|claim|join … [--seconds 3] [--no-build]
//
// --profile puts that load on Baton alone and prints where the time of its thread goes. It writes nothing.

import { readFileSync, statfsSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, inRoot, npmProgram, output, UsageError } from "./common.mjs";
import { each, text, texts } from "./options.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { build } = await import("./build.mjs");
const { buildCeilings } = await import("../bench/build.mjs");
const { Stage } = await import("../bench/lib/stage.mjs");
const { client } = await import("../bench/lib/load.mjs");
const { LOADS, profiled } = await import("../bench/lib/profile.mjs");
const { judged, median } = await import("../bench/lib/figures.mjs");
const { asMarkdown, asText, between, byLength, plainMarkdown } = await import("../bench/lib/table.mjs");
const { drawGrowth } = await import("../bench/plot.mjs");
const { groups } = await import("../bench/rows/index.mjs");
const { runPeers } = await import("../bench/contest/run.mjs");

const resultsFile = inRoot("bench", "results.json");
const docsFile = inRoot("docs", "benchmarks.md");
/** Linux's number for a file system in memory. */
const TMPFS = 0x01021994;
const DEFAULTS = { rounds: 3, seconds: 3, connections: 16, pairs: 400, sockets: 10_000, waiting: 1_000_000, people: 500 };
/** Runs only when `--only` names it, and has a page of its own. */
const PEERS = "peers";
/** The commit before the front had a core, which the design's figures are held against. */
const OLDER = "5241036c";

function readOptions() {
  const { values } = parseArgs({
    options: {
      ...each(/** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS)), text),
      only: texts,
      profile: texts,
      note: text,
      data: text,
      older: text,
      build: { type: "boolean", default: true },
    },
    allowNegative: true,
  });
  const options = /** @type {typeof DEFAULTS} */ (
    Object.fromEntries(
      Object.entries(DEFAULTS).map(([name, fallback]) => {
        const value = Number(values[name] ?? fallback);
        if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${name} needs a whole number from 1.`);
        return [name, value];
      }),
    )
  );
  if (options.rounds > 20) throw new UsageError("--rounds goes to 20: a deployment has a hundred rooms, and each round takes some.");
  const names = groups.map(({ name }) => name);
  const unknown = (values.only ?? []).filter((name) => name !== PEERS && !names.includes(name));
  if (unknown.length > 0) throw new UsageError(`--only takes ${[...names, PEERS].join(", ")}; not ${unknown.join(", ")}.`);
  const unprofiled = (values.profile ?? []).filter((name) => !(name in LOADS));
  if (unprofiled.length > 0) throw new UsageError(`--profile takes ${Object.keys(LOADS).join(", ")}; not ${unprofiled.join(", ")}.`);
  return {
    ...options,
    profile: values.profile,
    only: values.only ?? groups.filter(({ isByName }) => !isByName).map(({ name }) => name),
    older: values.older ?? OLDER,
    note: values.note,
    data: path.resolve(values.data ?? os.tmpdir()),
    build: values.build,
  };
}

/** Runs one group: its rounds, then its rows, each marked with the group's name. */
async function measure(group, options) {
  const stage = new Stage(options);
  try {
    const { steps, rows, curve } = await group.begin(stage);
    const rounds = [];
    // The first round warms up: compiled code, pooled connections, objects that exist.
    for (let round = 0; round <= options.rounds && Object.keys(steps).length > 0; round++) {
      const found = {};
      for (const [name, step] of Object.entries(steps)) {
        process.stderr.write(`${group.name}, ${round === 0 ? "warming up" : `round ${round} of ${options.rounds}`}: ${name}\n`);
        found[name] = await step(round);
      }
      if (round > 0) rounds.push(found);
    }
    const of = (step, figure) => median(rounds.map((round) => round[step][figure]));
    const measured = (await rows(of)).map((row) => ({ group: group.name, ...judged(row) }));
    return { rows: measured, curve: curve?.() };
  } finally {
    await stage.end();
  }
}

async function main() {
  const options = readOptions();
  const measured = groups.filter(({ name }) => options.only.includes(name));
  if (options.build) {
    await build();
    if (options.profile || measured.length > 0) await buildCeilings();
  }
  if (options.profile) return profileAll(options);
  if (options.only.includes(PEERS)) await runPeers(options, onMachine(stamp(options)));
  if (measured.length === 0) return undefined;
  const results = earlier(options);
  const { rounds, seconds, connections, pairs, sockets, waiting } = options;
  for (const group of measured) {
    const { rows, curve } = await measure(group, options).catch((error) => {
      console.error(
        `\nAgain, alone: npm run bench -- --only ${group.name} ${Object.keys(DEFAULTS)
          .map((name) => `--${name} ${options[name]}`)
          .join(" ")} --data ${options.data}`,
      );
      throw error;
    });
    console.log(`\n${asText(rows)}\n`);
    results.rows = groups.flatMap(({ name }) => (name === group.name ? rows : results.rows.filter((row) => row.group === name)));
    if (curve) results.curve = curve;
    Object.assign(results, { ...stamp(options), options: { rounds, seconds, connections, pairs, sockets, waiting } });
    publish(results);
  }
  console.log(`${asText(results.rows)}\n\n${describe(results)}\nWritten to bench/results.json and docs/benchmarks.md.`);
}

/** Prints a profile of each kind of load that was asked for. */
async function profileAll(options) {
  for (const kind of options.profile) {
    const stage = new Stage(options);
    console.log(`${await profiled(stage, kind).finally(() => stage.end())}\n`);
  }
}

/** When, of which commit and on which machine. */
function stamp(options) {
  return {
    at: new Date().toISOString(),
    commit: output("git", ["rev-parse", "--short", "HEAD"], { cwd: inRoot() }) ?? null,
    note: options.note ?? null,
    machine: machine(options),
  };
}

/**
 * What bench/results.json holds: rows and curve, and what `stamp` says of the run that made the last of them.
 * @typedef {{ rows: object[], curve: object[], at: string, commit: string, machine: ReturnType<typeof machine>, note: string | null,
 *   options: typeof DEFAULTS }} Results
 */

/** Returns the results to which a run of some groups adds. @returns {Partial<Results>} */
function earlier({ only }) {
  const empty = { rows: [], curve: [] };
  if (groups.every(({ name, isByName }) => isByName || only.includes(name))) return empty;
  try {
    const { rows, curve } = JSON.parse(readFileSync(resultsFile, "utf8"));
    return { rows: rows.filter(({ group }) => group), curve: curve ?? [] };
  } catch {
    return empty;
  }
}

function machine({ data }) {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model ?? "unknown",
    cores: cpus.length,
    memory_gb: Math.round(os.totalmem() / 1e9),
    system: `${os.type()} ${os.release()}`,
    load_1min: Number(os.loadavg()[0].toFixed(2)),
    node: process.versions.node,
    workerd: output(npmProgram("workerd"), ["--version"]) ?? "unknown",
    client,
    storage: statfsSync(data).type === TMPFS ? "memory (tmpfs)" : "a disk",
  };
}

const onMachine = (/** @type {Partial<Results>} */ { at, commit, machine: m }, by = "") =>
  `${m.cores} cores (${m.cpu}), ${m.memory_gb} GB, ${m.system}, ${m.workerd}, node ${m.node}${by}, objects' storage on ${m.storage}; 1-minute load ${m.load_1min}; commit ${commit}; ${at.slice(0, 10)}.`;

/** @param {Partial<Results>} all */
function describe({ note, options: o, ...results }) {
  return `${onMachine(results, `, load by ${results.machine.client}`)} Medians of ${o.rounds} rounds of ${o.seconds} s.${note ? ` ${note}` : ""}`;
}

/** The columns and rates of the curve, lengths of the line and operations that the page shows. The plot and bench/results.json have all. */
const CURVE_SHOWN = ["offered a second", "answered a second", "p50 ms", "p99 ms"];
const RATES_SHOWN = [50, 800, 1_600, 3_200, 6_400];
const GROWTH_SHOWN = [1_000, 1_000_000, 2_500_000];
const OPERATIONS_SHOWN = ["how many are ahead", "a join, in batches", "wasm memory"];

/** Groups of which the page shows only the rows that missed their target. */
const MISSED_ONLY = ["core", "frames", "idle", "curve", "model"];
/** The page shows rows that have a target. bench/results.json has every row. */
const isShown = ({ group, waiting, target, met }) => waiting === undefined && target && (met !== true || !MISSED_ONLY.includes(group));

function publish(results) {
  writeFileSync(resultsFile, `${JSON.stringify({ at: results.at, ...results }, null, 2)}\n`);
  const growth = results.rows.filter(({ waiting }) => waiting !== undefined);
  const tables = {
    results: `${describe(results)}\n\n${asMarkdown(results.rows.filter(isShown))}`,
    curve:
      results.curve.length > 0
        ? plainMarkdown(
            results.curve
              .filter((row) => RATES_SHOWN.includes(row["offered a second"]))
              .map((row) => Object.fromEntries(CURVE_SHOWN.map((name) => [name, row[name]]))),
          )
        : "Not measured yet.",
    growth:
      growth.length > 0
        ? byLength(growth.filter(({ waiting, series }) => GROWTH_SHOWN.includes(waiting) && OPERATIONS_SHOWN.includes(series)))
        : "Not measured yet.",
  };
  writeFileSync(
    docsFile,
    Object.entries(tables).reduce((text, [name, table]) => between(text, name, table), readFileSync(docsFile, "utf8")),
  );
  if (growth.length > 0) drawGrowth(growth);
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await main().catch(fail);
// Kept connections would keep the process alive.
process.exit();
