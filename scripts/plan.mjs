// `npm run plan`: plays a sale many times before it is held: who gets in when, how long the wait is, when seats end, what it costs
// (docs/plan.md).
//
//   npm run plan -- --people 20000 --before-opening 0.6 --over 10m --seats 1200 --permits 200 --stay 3m
//   npm run plan -- event.toml [--versus "permits=240" | --against other.toml] [--find permits --wait-max 20m [--wait-share 0.9]]
//                   [--seeds N] [--seed N] [--threads N] [--json] [--out FOLDER]
//
// Who comes: --people --before-opening --early-over --over --shape, or --trace --opens-after. What they find: --seats --buy
// --seats-each --sold-out-after. How long they are in: --stay --stay-spread --stay-shape --slow --walks-off. Who waits: --gives-up
// --patience --returns --returns-after --sleeps. Who goes first: --vip --vip-share. What they load: --page --pages --files --reloads.
// And --round, --until.
// Every setting of a room is a flag too, as for `npm start`. `npm run plan help` says what each takes, once Rust has built it.
//
// The program (tools/src/plan) plays; this command adds costs and makes text and a report. Exit 0: done; 2: what was asked for is wrong.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, inRoot, run, UserError } from "./common.mjs";
import { compilePrograms, programFile } from "./programs.mjs";
import { prepare } from "./setup.mjs";

const readJson = (...parts) => JSON.parse(readFileSync(inRoot(...parts), "utf8"));

/** Resolves to what the program prints for these flags. Throws a UserError with its words if it refuses. */
export async function ask(flags) {
  const { code, signal, text, out } = await run(programFile("plan"), flags, { cwd: process.env.INIT_CWD ?? process.cwd(), quiet: true });
  if (signal)
    throw new UserError(
      `plan was killed (${signal}) before it was done.\n  cure: if memory ran out, fewer runs at once: --threads 1; then try again`,
    );
  if (code !== 0) throw new UserError(text.trimEnd().replace(/^plan: /, ""));
  return out;
}

/** Resolves to a function that returns what a run costs, by the prices of `npm run cost`. */
export async function costModel() {
  const { costOfRun } = await import("./plan/costs.mjs");
  const prices = readJson("bench", "cost", "prices.json");
  return (each) => costOfRun(each, prices);
}

/** Returns the folder of the report: what the last `--out FOLDER` or `--out=FOLDER` says; undefined if there is none. */
export function outOf(flags) {
  const at = flags.findLastIndex((flag) => flag === "--out" || flag.startsWith("--out="));
  if (at < 0) return undefined;
  return flags[at] === "--out" ? flags[at + 1] : flags[at].slice("--out=".length);
}

async function main() {
  const flags = process.argv.slice(2);
  await compilePrograms("plan");
  if (flags.includes("--help") || flags[0] === "help") return console.log((await ask(flags)).trimEnd());
  const isJson = flags.includes("--json");
  const sinceMs = performance.now();
  const told = JSON.parse(await ask(flags));
  const tookS = (performance.now() - sinceMs) / 1_000;
  const cost = await costModel();
  const [{ figuresOf, shown }, { html }] = await Promise.all([import("./plan/text.mjs"), import("./plan/report.mjs")]);
  const plans = [told.plan, told.other].filter(Boolean);
  const costs = plans.map(({ forecast }) => forecast.runs.map(cost));
  if (isJson) {
    plans.forEach((plan, nth) => Object.assign(plan, { costs: costs[nth] }));
    return console.log(JSON.stringify(told, null, 2));
  }
  const figures = plans.map((plan, nth) => figuresOf(plan, costs[nth]));
  const at = new Date().toISOString();
  const out = outOf(flags);
  const folder = out === undefined ? inRoot(".baton", "plan", at.replace(/[:.]/g, "-")) : path.resolve(process.env.INIT_CWD ?? ".", out);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "report.html");
  writeFileSync(file, html(told, figures, { at, asked: flags.join(" ") }));
  console.log(`${shown(told, figures)}\n\n${tookS.toFixed(1)} s. Report: ${path.relative(process.cwd(), file)}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await prepare();
  await main().catch((error) => (error instanceof UserError ? (console.error(error.message), process.exit(2)) : fail(error)));
}
