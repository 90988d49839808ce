// `npm run check-plan`: how good are forecasts? Writes them down, then holds each of four short sales five times on the real runtime, and
// writes docs/forecasts.md.
//
//   npm run check-plan [-- --sales rush,draw --runs 5 --together 5 --no-docs --no-build]
//
// About two minutes for a sale. --together is how many runs of one sale are held at once, each at a Baton of its own: more are
// quicker, and a machine that is too busy shows in the waits. Exit 0: all is as near as was wanted; 1: something is not.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { parseArgs } from "node:util";
import { between } from "../../bench/lib/table.mjs";
import { fail, inRoot, UsageError } from "../../scripts/common.mjs";
import { ask, costModel } from "../../scripts/plan.mjs";
import { bandOf } from "../../scripts/plan/costs.mjs";
import { compilePrograms } from "../../scripts/programs.mjs";
import { forecastOf, isGood, judge, pageText } from "./compare.mjs";
import { holdSale } from "./hold.mjs";
import { flagsOf, ms, SALES } from "./sales.mjs";

const FORECAST_RUNS = 200;
/** The seeds of the people who really come: no forecast has seen them. */
const REAL_SEED = 100_001;
/** The sale that says how long an answer takes on this machine. */
const TRIAL = { people: 120, over: "20s" };
/** A lobby's batch is out for about so much of an answer's time. */
const ROUND_SHARE = 0.06;
const folder = inRoot(".baton", "check-plan");

function readOptions() {
  const text = { type: "string" };
  const { values } = parseArgs({
    options: { sales: text, runs: text, together: text, docs: { type: "boolean", default: true }, build: { type: "boolean", default: true } },
    allowNegative: true,
  });
  const whole = (name, fallback) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < 1) throw new UsageError(`--${name} needs a whole number from 1.`);
    return value;
  };
  const names = values.sales?.split(",") ?? SALES.map(({ name }) => name);
  const unknown = names.filter((name) => !SALES.some((sale) => sale.name === name));
  if (unknown.length > 0) throw new UsageError(`--sales: there is no ${unknown.join(", ")}, only ${SALES.map(({ name }) => name).join(", ")}.`);
  return {
    sales: SALES.filter(({ name }) => names.includes(name)),
    runs: whole("runs", 5),
    together: whole("together", 1),
    docs: values.docs,
    build: values.build,
  };
}

/** How long an answer takes here and now, ms: a few people first, as many sales of them at once as later. */
async function answerMs({ together }) {
  const [rush] = SALES;
  const sale = { ...rush, event: { ...rush.event, ...TRIAL } };
  const people = JSON.parse(await ask([...flagsOf(sale), "--seed", String(REAL_SEED - 1), "--print-people"]));
  const seen = await Promise.all(Array.from({ length: together }, () => holdSale(sale, people)));
  return seen.reduce((sum, each) => sum + each.answer_ms, 0) / seen.length;
}

/** The sale as this machine holds it. A landing is asked for, answered, and the permit's return is on its way: an answer and a half. */
function here(sale, slowMs) {
  const page = `${Math.round(ms(sale.event.page) + 1.5 * slowMs)}ms`;
  return { ...sale, event: { ...sale.event, page, round: `${Math.max(2, Math.round(slowMs * ROUND_SHARE))}ms` } };
}

async function forecast(sale, cost) {
  const { plan } = JSON.parse(await ask([...flagsOf(sale), "--seeds", String(FORECAST_RUNS)]));
  return forecastOf(plan.forecast, plan.forecast.runs.map(cost), bandOf);
}

async function hold(sale, { runs, together }) {
  const seeds = Array.from({ length: runs }, (_, nth) => REAL_SEED + nth);
  const seen = [];
  while (seeds.length > 0) {
    const some = await Promise.all(
      seeds.splice(0, together).map(async (seed) => {
        const people = JSON.parse(await ask([...flagsOf(sale), "--seed", String(seed), "--print-people"]));
        return { seed, ...(await holdSale(sale, people)) };
      }),
    );
    seen.push(...some);
    for (const { seed, ends, wait_p50_ms: p50, answer_ms: answerMs, dead_share: dead } of some)
      console.log(
        `${sale.name} ${seed}: median wait ${(p50 / 1_000).toFixed(1)} s; an answer ${answerMs.toFixed(0)} ms; ${(100 * dead).toFixed(1)} % dead; ${JSON.stringify(ends)}`,
      );
  }
  return seen;
}

async function main() {
  const asked = readOptions();
  if (asked.build) await compilePrograms("plan");
  const cost = await costModel();
  mkdirSync(folder, { recursive: true });
  const sales = [];
  const save = (name, value) => writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(value, null, 2)}\n`);
  for (const sale of asked.sales) {
    const slowMs = await answerMs(asked);
    const expected = await forecast(here(sale, slowMs), cost);
    save(`forecast-${sale.name}`, { at: new Date().toISOString(), answer_ms: slowMs, forecast: expected });
    console.log(`${sale.name}: an answer takes ${slowMs.toFixed(0)} ms here; the forecast is written down`);
    const seen = await hold(sale, asked);
    sales.push({ sale, forecast: expected, slow_ms: slowMs, seen });
    save("seen", sales);
    for (const { figure, expected: wanted, found, off } of judge(expected, seen))
      console.log(`  ${figure}: forecast ${wanted.toFixed(0)}, seen ${found.toFixed(0)}, ${(100 * off).toFixed(1)} % off`);
  }
  const machine = `${os.cpus().length} cores, ${asked.together === 1 ? "one run" : `${asked.together} runs`} at a time, an answer in ${sales.map(({ slow_ms: slowMs }) => slowMs.toFixed(0)).join(", ")} ms`;
  const text = pageText(sales, { at: new Date().toISOString().slice(0, 10), machine });
  if (asked.docs) writeFileSync(inRoot("docs", "forecasts.md"), between(readFileSync(inRoot("docs", "forecasts.md"), "utf8"), "measured", text));
  console.log(text);
  process.exitCode = isGood(sales) ? 0 : 1;
}

await main().catch(fail);
