// `npm run scale`: what one room's objects would do in a crowd of any size, in simulated time.
//
//   npm run scale -- [--people 1000000] [--arrive 60s] [--spread 30s] [--flow 170] [--lobbies N] [--porters N]
//                    [--machine measured|guidance] [--delay 2ms] [--json] [--plot FILE.svg]
//   npm run scale -- --validate [--people 9000] [--lobbies 2] [--arrive 25s] [--spread 25s] [--flow 40] [--data DIR] [--no-build]
//   npm run scale -- --docs      writes the tables and the plot of docs/scale.md, and those of bench/README.md; four minutes
//
// --people come within --arrive; each page waits up to --spread for its turn to open its socket (by default so long that no lobby is
// asked much more than 600 times a second). --flow a second go in and give their permits back. --machine says what objects take:
// `measured` by this project's benchmarks, or Cloudflare's published `guidance`, a pessimistic choice; both if neither is named. --delay
// is the way between two objects of the room. Porters are objects that bundle lobbies' batches; by default there are as many as the room
// has with that many lobbies. The same flags give the same figures. --plot draws the requests of the rush and of the return, second by
// second. bench/scale/ has the model.
//
// --validate plays a crowd with real sockets on `workerd serve`, and the same in the model, with service times that a few people measure
// just before. It writes both to bench/crowds.json, beside those with other numbers of people and lobbies. It takes a minute and a half,
// and needs two open files for each socket (`ulimit -n`). --data: the folder of the objects' storage.

import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, inRoot, npmProgram, output, UsageError, UserError } from "./common.mjs";
import { text } from "./options.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { comeBack, handOver, rush, spreadFor } = await import("../bench/scale/events.mjs");
const { DELAYS, lobbiesFor, MACHINES, portersFor, REQUESTS_MAX } = await import("../bench/scale/machines.mjs");
const { momentUsd } = await import("../bench/scale/price.mjs");
const { docsTables, panelOf } = await import("../bench/scale/tables.mjs");
const { shownRun } = await import("../bench/scale/text.mjs");
const { endsTable, inputs, timesTable } = await import("../bench/scale/inputs.mjs");
const { compared, crowdsTable, modelled, nearText, shownCrowd } = await import("../bench/scale/validate.mjs");
const { between } = await import("../bench/lib/table.mjs");
const { drawLoad, drawScale } = await import("../bench/plot.mjs");

const PEOPLE_MAX = 2_560_000;
const LOBBIES_MAX = 256;
const PORTERS_MAX = 16;
const REAL_PEOPLE_MAX = 30_000;
/** workerd holds two open files for each socket, and some for itself. */
const FILES_PER_SOCKET = 2;
const FILES_ELSE = 800;
/** How long a real crowd stands in line after the last has come, in s. */
const STAND_S = 10;
/** Rarer than a room's own: with this many sockets on one thread it would do nothing but send pictures. */
const TICK_MS = 5_000;
/** A real crowd's connections for everything but sockets. */
const LINES = 96;
const crowdsFile = inRoot("bench", "crowds.json");
const kept = (...file) => JSON.parse(readFileSync(inRoot("bench", ...file), "utf8"));
const UNITS_MS = { ms: 1, s: 1_000, m: 60_000 };

function whole(name, text, least, most) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not "${text}".`);
  return value;
}

function durationMs(name, text) {
  const [, value, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  if (value === undefined) throw new UsageError(`--${name} takes a duration such as 500ms, 60s or 10m, not "${text}".`);
  return Number(value) * UNITS_MS[unit];
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        people: text,
        arrive: text,
        spread: text,
        flow: text,
        lobbies: text,
        porters: text,
        machine: text,
        delay: text,
        data: text,
        plot: text,
        json: { type: "boolean" },
        docs: { type: "boolean" },
        validate: { type: "boolean" },
        build: { type: "boolean", default: true },
      },
      allowNegative: true,
    }));
  } catch (error) {
    throw new UsageError(`${error.message} All flags: npm run scale -- --help`);
  }
  if (values.validate) return planOf(values);
  const people = whole("people", values.people ?? "1000000", 1, PEOPLE_MAX);
  /** @type {string[]} */
  const machines = values.machine ? [values.machine] : Object.keys(MACHINES);
  if (machines.some((name) => !(name in MACHINES)))
    throw new UsageError(`--machine takes ${Object.keys(MACHINES).join(" or ")}, not "${values.machine}".`);
  const lobbies = values.lobbies === undefined ? lobbiesFor(people) : whole("lobbies", values.lobbies, 1, LOBBIES_MAX);
  const arrive_s = durationMs("arrive", values.arrive ?? "60s") / 1_000;
  return {
    docs: values.docs,
    json: values.json,
    plot: values.plot,
    machines,
    people,
    lobbies,
    arrive_s,
    spread_s: values.spread === undefined ? spreadFor(people, lobbies, arrive_s) : durationMs("spread", values.spread) / 1_000,
    flow: whole("flow", values.flow ?? "170", 1, 10_000),
    porters: values.porters === undefined ? undefined : whole("porters", values.porters, 0, PORTERS_MAX),
    delays: { ...DELAYS, object: durationMs("delay", values.delay ?? `${DELAYS.object}ms`) },
  };
}

/** Returns what a real crowd is to do. */
function planOf(values) {
  const lobbies = whole("lobbies", values.lobbies ?? "2", 1, LOBBIES_MAX);
  return {
    build: values.build,
    data: path.resolve(values.data ?? os.tmpdir()),
    plan: {
      people: whole("people", values.people ?? "9000", 10, REAL_PEOPLE_MAX),
      lobbies,
      porters: portersFor(lobbies),
      arrive_s: durationMs("arrive", values.arrive ?? "25s") / 1_000,
      spread_s: durationMs("spread", values.spread ?? "25s") / 1_000,
      stand_s: STAND_S,
      flow: whole("flow", values.flow ?? "40", 1, 1_000),
      tick_ms: TICK_MS,
      lines: LINES,
    },
  };
}

/** Returns a real crowd with the model beside it, as the model is now. */
const held = ({ plan, machine, lost, ...real }) => ({
  plan,
  machine,
  rows: compared(real, modelled(plan, machine, lost)),
  again: real.rush.again + real.return.again,
});
const crowdsKept = () => kept("crowds.json");

/** Plays a crowd for real and in the model. */
async function validate({ plan, data, build: mustBuild }) {
  const files = Number(output("sh", ["-c", "ulimit -n"])) || Infinity;
  const needed = plan.people * FILES_PER_SOCKET + FILES_ELSE;
  if (files < needed)
    throw new UserError(
      `${plan.people} sockets need ${needed} open files, and this system lets a process have ${files}. Raise it (\`ulimit -n ${needed}\`), or take --people ${Math.floor((files - FILES_ELSE) / FILES_PER_SOCKET)}.`,
    );
  if (mustBuild) await (await import("./build.mjs")).build();
  const { Stage } = await import("../bench/lib/stage.mjs");
  const { playCrowd } = await import("../bench/scale/real.mjs");
  const stage = new Stage({ data });
  const real = await playCrowd(stage, plan, (what) => console.error(`scale: ${(performance.now() / 1_000).toFixed(0)} s: ${what}`)).finally(() =>
    stage.end(),
  );
  const at = {
    at: new Date().toISOString(),
    commit: output("git", ["rev-parse", "--short", "HEAD"], { cwd: inRoot() }) ?? null,
    workerd: output(npmProgram("workerd"), ["--version"]) ?? null,
    cores: os.cpus().length,
  };
  const crowd = { ...at, plan, ...real };
  const isOther = (kept) => kept.plan.people !== plan.people || kept.plan.lobbies !== plan.lobbies;
  const crowds = [...crowdsKept().filter(isOther), crowd].sort((a, b) => a.plan.people - b.plan.people || a.plan.lobbies - b.plan.lobbies);
  writeFileSync(crowdsFile, `${JSON.stringify(crowds, null, 2)}\n`);
  console.log(shownCrowd(held(crowd)));
}

/** Returns one machine's figures for what was asked. */
function run(name, options) {
  const { people, lobbies, arrive_s, spread_s, flow, delays } = options;
  const porters = options.porters ?? portersFor(lobbies);
  const of = { machine: MACHINES[name], delays, lobbies, porters, people, flow };
  const prices = kept("cost", "prices.json");
  const withPrice = (seen) => ({ ...seen, usd: momentUsd(seen, prices) });
  return {
    machine: name,
    lobbies,
    porters,
    spread_s,
    hand_over: handOver(of),
    rush: withPrice(rush({ ...of, arrive_s, spread_s })),
    return: withPrice(comeBack({ ...of, spread_s: Math.max(30, spreadFor(people, lobbies, 1)) })),
  };
}

/** Writes these texts between their marks in a file. */
const fill = (file, texts) =>
  writeFileSync(
    file,
    Object.entries(texts).reduce((text, [name, filling]) => between(text, name, filling), readFileSync(file, "utf8")),
  );

/** Writes the tables and the plot of docs/scale.md, and those of bench/README.md. */
function publish() {
  const [crowds, results, prices] = [crowdsKept(), kept("results.json"), kept("cost", "prices.json")];
  const { tables, porters, growth, panels } = docsTables((what) => console.log(`scale: ${what}`));
  const besides = crowds.map(held);
  fill(inRoot("docs", "scale.md"), { ...tables, near: nearText(besides), inputs: inputs({ crowds, results, prices }), ends: endsTable(results) });
  fill(inRoot("bench", "README.md"), { times: timesTable(MACHINES), porters, crowds: crowdsTable(besides) });
  drawScale(growth);
  drawLoad(panels, REQUESTS_MAX);
  console.log("Written to docs/scale.md, docs/images/scale.svg, docs/images/scale-load.svg and bench/README.md.");
}

async function main() {
  const options = readOptions();
  if ("plan" in options) return validate(options);
  if (options.docs) return publish();
  const runs = options.machines.map((name) => run(name, options));
  if (options.plot) {
    const panel = (title, what) =>
      panelOf(
        title,
        options.machines,
        runs.map((each) => each[what]),
      );
    drawLoad(
      [panel(`${options.people.toLocaleString("en")} in ${options.arrive_s} s`, "rush"), panel("all return", "return")],
      REQUESTS_MAX,
      options.plot,
    );
  }
  console.log(options.json ? JSON.stringify({ ...options, runs }, null, 2) : runs.map((each) => shownRun(options, each)).join("\n\n"));
}

// However this process ends, nothing that it started stays behind.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await main().catch(fail);
process.exit();
