// `npm run scale`: what one room's objects would do in a crowd of any size, in simulated time.
//
//   npm run scale -- [--people 1000000] [--arrive 60s] [--spread 30s] [--flow 170] [--lobbies N] [--porters N]
//                    [--machine measured|guidance] [--delay 2ms] [--json]
//   npm run scale -- --docs      writes the tables and the plot of docs/scale.md
//
// --people come within --arrive; each page waits up to --spread for its turn to open its socket (by itself: so that no lobby is asked
// much more than 600 times a second). --flow a second go in and give their permits back. --machine says what objects take: `measured` by this
// project's benchmarks, or Cloudflare's published `guidance`, the pessimist's choice; both, if neither is named. --delay is the way
// between two objects of the room. Porters are objects that bundle lobbies' batches: as many as the room
// has with so many lobbies. The same flags give the same figures. What the model is made of: bench/scale/.

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fail, inRoot, UsageError } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { comeBack, handOver, lobbiesFor, rush, sale, spreadFor } = await import("../bench/scale/events.mjs");
const { DELAYS, MACHINES, portersFor } = await import("../bench/scale/machines.mjs");
const { docsTables, shownRun } = await import("../bench/scale/text.mjs");
const { between } = await import("../bench/lib/table.mjs");
const { drawScale } = await import("../bench/plot.mjs");

const PEOPLE_MAX = 2_560_000;
const LOBBIES_MAX = 256;
const PORTERS_MAX = 16;
const UNITS_MS = { ms: 1, s: 1_000, m: 60_000 };

function whole(name, text, least, most) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not "${text}".`);
  return value;
}

function durationMs(name, text) {
  const [, value, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  if (value === undefined) throw new UsageError(`--${name} takes a duration such as 500ms, 60s or 10m, not "${text}".`);
  return Number(value) * UNITS_MS[unit];
}

function readOptions() {
  const text = { type: "string" };
  let values;
  try {
    ({ values } = parseArgs({ options: { people: text, arrive: text, spread: text, flow: text, lobbies: text, porters: text, machine: text, delay: text, json: { type: "boolean" }, docs: { type: "boolean" }, help: { type: "boolean" } } }));
  } catch (error) {
    throw new UsageError(`${error.message} All flags: npm run scale -- --help`);
  }
  if (values.help) return { help: true };
  const people = whole("people", values.people ?? "1000000", 1, PEOPLE_MAX);
  const machines = values.machine ? [values.machine] : Object.keys(MACHINES);
  if (machines.some((name) => !(name in MACHINES))) throw new UsageError(`--machine takes ${Object.keys(MACHINES).join(" or ")}, not "${values.machine}".`);
  const lobbies = values.lobbies === undefined ? lobbiesFor(people) : whole("lobbies", values.lobbies, 1, LOBBIES_MAX);
  const arrive_s = durationMs("arrive", values.arrive ?? "60s") / 1_000;
  return {
    docs: values.docs, json: values.json, machines, people, lobbies, arrive_s,
    spread_s: values.spread === undefined ? spreadFor(people, lobbies, arrive_s) : durationMs("spread", values.spread) / 1_000,
    flow: whole("flow", values.flow ?? "170", 1, 10_000),
    porters: values.porters === undefined ? undefined : whole("porters", values.porters, 0, PORTERS_MAX),
    delays: { ...DELAYS, object: durationMs("delay", values.delay ?? `${DELAYS.object}ms`) },
  };
}

/** One machine's figures for what was asked. */
function run(name, options) {
  const { people, lobbies, arrive_s, spread_s, flow, delays } = options;
  const porters = options.porters ?? portersFor(lobbies);
  const of = { machine: MACHINES[name], delays, lobbies, porters, people, flow };
  return {
    machine: name, lobbies, porters, spread_s,
    hand_over: handOver(of), rush: rush({ ...of, arrive_s, spread_s }), return: comeBack({ ...of, spread_s: Math.max(30, spreadFor(people, lobbies, 1)) }),
  };
}

function main() {
  const options = readOptions();
  if (options.help) {
    const [head] = readFileSync(inRoot("scripts", "scale.mjs"), "utf8").split("\n\n");
    return console.log(head.replaceAll(/^\/\/ ?/gm, ""));
  }
  if (options.docs) {
    const file = inRoot("docs", "scale.md");
    const { tables, growth } = docsTables({ machines: MACHINES, delays: options.delays, say: (what) => console.log(`scale: ${what}`), events: { comeBack, handOver, rush, sale } });
    writeFileSync(file, Object.entries(tables).reduce((text, [name, table]) => between(text, name, table), readFileSync(file, "utf8")));
    drawScale(growth);
    return console.log("Written to docs/scale.md and docs/images/scale.svg.");
  }
  const runs = options.machines.map((name) => run(name, options));
  console.log(options.json ? JSON.stringify({ ...options, runs }, null, 2) : runs.map((each) => shownRun(options, each)).join("\n\n"));
}

try {
  main();
} catch (error) {
  fail(error);
}
