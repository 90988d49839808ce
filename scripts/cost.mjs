// `npm run cost`: what an event costs, by the measured counts in bench/cost.json and the list prices in
// bench/cost/prices.json.
//
//   npm run cost -- [--visitors 1000000] [--wait-s 600] [--hold-s 300] [--crowd 100000] [--pages 5] [--files 40] [--renewals 2]
//                   [--round-ms 20] [--tick-s 1] [--json]
//   npm run cost -- --docs
//   npm run cost -- --measure [--visitors 20000] [--no-build] [--data DIR]
//
// --files is how many images, styles and scripts of the shop a visitor inside loads through the worker, in all.
// --crowd is how many wait at once; visitors come as fast as it and --wait-s imply. --round-ms is how long a lobby's batch is
// out, which decides how many commands share one. You know it only once you run on Cloudflare, so the docs show several.
// --docs writes the tables of docs/cost.md again, after a change of prices. --measure runs the events of
// bench/cost/events.mjs on `workerd serve` and writes bench/cost.json and the tables of docs/cost.md: five to ten minutes.
// Fewer visitors than 20,000 make a trial.

import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, inRoot, npmProgram, output, UsageError, UserError } from "./common.mjs";
import { costOf, ratesOf } from "../bench/cost/model.mjs";
import { comparison, counted, examples, inputs, shown } from "../bench/cost/text.mjs";
import { between } from "../bench/lib/table.mjs";
import { each, flag, text } from "./options.mjs";

const countsFile = inRoot("bench", "cost.json");
const docsFile = inRoot("docs", "cost.md");
const prices = JSON.parse(readFileSync(inRoot("bench", "cost", "prices.json"), "utf8"));
const DEFAULTS = { visitors: 1_000_000, "wait-s": 600, "hold-s": 300, crowd: 100_000, pages: 5, files: 40, renewals: 2, "round-ms": 20, "tick-s": 1 };
/** Visitors of the sale that is measured. */
const MEASURED = 20_000;
/** The least value that makes sense of each; the others need 1, since nobody can wait at no rate. */
const LEAST = { "hold-s": 0, pages: 0, files: 0, renewals: 0 };

function readOptions() {
  const { values } = parseArgs({
    options: {
      ...each(/** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS)), text),
      measure: flag,
      json: flag,
      docs: flag,
      build: { type: "boolean", default: true },
      data: text,
    },
    allowNegative: true,
  });
  const event = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, fallback]) => {
      const value = Number(values[name] ?? fallback);
      const least = LEAST[name] ?? 1;
      if (!Number.isInteger(value) || value < least) throw new UsageError(`--${name} needs a whole number from ${least}.`);
      return [name.replaceAll("-", "_"), value];
    }),
  );
  return { ...values, data: path.resolve(values.data ?? os.tmpdir()), event };
}

/** Returns what was measured: `{ at, commit, workerd, events }`. */
function measured() {
  try {
    return JSON.parse(readFileSync(countsFile, "utf8"));
  } catch {
    throw new UserError("bench/cost.json is missing or damaged: `npm run cost -- --measure` makes it.");
  }
}

const findEvent = (events, name) => events.find((event) => event.name === name);

async function measure({ visitors = String(MEASURED), build: mustBuild, data }) {
  const { prepare } = await import("./setup.mjs");
  await prepare();
  const { build } = await import("./build.mjs");
  if (mustBuild) await build();
  const { Stage } = await import("../bench/lib/stage.mjs");
  const { events } = await import("../bench/cost/events.mjs");
  const { runEvent } = await import("../bench/cost/event.mjs");
  const found = [];
  for (const event of events(Number(visitors))) {
    const stage = new Stage({ data });
    try {
      found.push(await runEvent(stage, event));
    } finally {
      await stage.end();
    }
    console.log(JSON.stringify(found.at(-1), null, 1));
  }
  const all = {
    at: new Date().toISOString(),
    commit: output("git", ["rev-parse", "--short", "HEAD"], { cwd: inRoot() }) ?? null,
    workerd: output(npmProgram("workerd"), ["--version"]) ?? null,
    events: found,
  };
  writeFileSync(countsFile, `${JSON.stringify(all, null, 2)}\n`);
  publish(all);
}

/**
 * Writes the tables of docs/cost.md, and from what they were made. The table of the counts goes to the terminal.
 * @param {{ events: object[], at: string, commit: string | null, workerd: string | null }} all
 */
function publish({ events, ...of }) {
  const rates = ratesOf(findEvent(events, "sale"), findEvent(events, "trickle"));
  console.log(counted(events));
  const tables = { inputs: inputs(of, prices), examples: examples(rates, prices), comparison: comparison(rates, prices) };
  const text = Object.entries(tables).reduce((text, [name, table]) => between(text, name, table), readFileSync(docsFile, "utf8"));
  writeFileSync(docsFile, text);
}

async function main() {
  const options = readOptions();
  if (options.measure) return measure(options);
  const all = measured();
  if (options.docs) return publish(all);
  const { events } = all;
  const rates = ratesOf(findEvent(events, "sale"), findEvent(events, "trickle"));
  const cost = costOf(options.event, rates, prices);
  console.log(options.json ? JSON.stringify({ event: options.event, cost }, null, 2) : shown(options.event, cost, prices));
}

// However this process ends, nothing that it started stays behind.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await main().catch(fail);
process.exit();
