// `npm run sale`: a whole sale in two minutes, from the owner's file to the published report.
//
//   npm run sale -- [--people 2000] [--seed 7] [--docs] [--no-build]
//
// The worker runs on workerd, with the demo shop behind it and simulated people in front. An owner makes the room in the house, by
// `npm run house`. The room keeps its hours and its schedule itself; an operator of this room alone does the rest (`sale/story.mjs`).
// A receiver takes the webhooks. The command exits with 1 if anything that must hold did not. The report and its charts go to
// .baton/sale/, with --docs to docs/sale.md and docs/images/; the journal goes to .baton/sale/journal.ndjson, and what `npm run report`
// makes of it to .baton/sale/report/. --no-build takes what is built.

import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, inRoot, UsageError, UserError } from "./common.mjs";
import { compilePrograms } from "./programs.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { startShop } = await import("../demo/shop.mjs");
const { build } = await import("./build.mjs");
const { startRuntime } = await import("./runtime.mjs");
const { check } = await import("./sale/checks.mjs");
const { checkHouse, isToldOf } = await import("./sale/house_checks.mjs");
const { commandAs, houseFile, makeRoom, OPERATOR, operatorOf, OTHER, OWNER, ROOM, scheduleOf, TERRITORY, whoDidWhat } = await import(
  "./sale/house.mjs"
);
const { planSale, sendBuyers } = await import("./sale/people.mjs");
const { startHook } = await import("./sale/receiver.mjs");
const { Operator } = await import("./sale/story.mjs");
const { audit, readPublished, Stranger } = await import("./sale/stranger.mjs");
const { crowdChart, drawChart, marksOf, orderChart, report } = await import("./sale/text.mjs");
const { reportOf } = await import("./sale_report.mjs");

const PEOPLE = 2_000;
/** How many of a hundred people come before the opening, and for how many there is a seat. */
const [EARLY_PERCENT, SEATS_PERCENT] = [80, 60];
/** For how long people come before the opening, and after it. */
const [EARLY_MS, LATE_MS] = [50_000, 30_000];
/** From the owner's file to the opening. In this time the room is made and everybody early comes. */
const OPENS_IN_MS = 65_000;
/**
 * How long before the opening everybody early must be there. If making the room took long, people come faster, but never in
 * less time than `EARLY_MS_MIN`.
 */
const [READY_MS, EARLY_MS_MIN] = [3_000, 20_000];
/** From the opening to the schedule's end: the seats are sold and the late have come. */
const lastsMs = (people) => 40_000 + people * 10;
const HOLD_MS = [500, 2_000];
const LIMIT_MS = 10 * 60_000;
/** The longest wait for the last webhook: a message that was refused, or a nudge that was lost, comes within a minute. */
const HEARD_WITHIN_MS = 60_000;
/** How many visitors' keys are looked for in what was published: each takes a look through the whole journal. */
const SECRETS_MAX = 100;
const PLACE = inRoot(".baton", "sale");

function readOptions() {
  const { values } = parseArgs({
    options: { people: { type: "string" }, seed: { type: "string" }, docs: { type: "boolean" }, build: { type: "boolean", default: true } },
    allowNegative: true,
  });
  const whole = (name, fallback, least) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < least) throw new UsageError(`--${name} needs a whole number from ${least}.`);
    return value;
  };
  const people = whole("people", PEOPLE, 50);
  const share = (percent) => Math.floor((people * percent) / 100);
  return { ...values, people, seed: whole("seed", 7, 0), early: share(EARLY_PERCENT), seats: share(SEATS_PERCENT) };
}

/** Starts a Baton that has everything but the room. */
function startBaton({ shop, owner, hook, originSecret, folder }) {
  const [{ name, table }, secret] = [owner, randomBytes(48).toString("base64")];
  const vars = { ...TERRITORY, ...hook.vars, OPERATORS: [{ name, ...table }], ORIGIN: shop.url, BATON_SECRET: secret, ORIGIN_SECRET: originSecret };
  return startRuntime({ vars, dataDir: path.join(folder, "data") });
}

/** Runs the day. Resolves to everything that was seen. */
async function hold(asked, folder) {
  const originSecret = randomBytes(32).toString("hex");
  const [owner, noor] = [operatorOf(OWNER, "own"), operatorOf(OPERATOR, "operate", [ROOM])];
  const shop = await startShop({ originSecret, room: ROOM, lockMs: 0, seats: asked.seats });
  const hook = await startHook();
  const [over, clock] = [new AbortController(), AbortSignal.timeout(LIMIT_MS)];
  let baton;
  try {
    baton = await startBaton({ shop, owner, hook, originSecret, folder });
    shop.trustHost(new URL(baton.url).host);
    const all = { asked, url: baton.url, shop, hook, owner, noor, folder, over };
    const day = await play({ ...all, limit: AbortSignal.any([over.signal, clock]) });
    return { ...day, ...(await lookBack({ ...all, ...day })) };
  } catch (error) {
    if (!clock.aborted) throw error;
    throw new UserError(
      `The sale on ${baton.url} had not ended after ${LIMIT_MS / 60_000} minutes: ${error.message}\n  cure: run it with fewer --people, or while the machine has less to do`,
    );
  } finally {
    over.abort();
    await baton?.stop();
    hook.stop();
    await shop.stop();
  }
}

/** From the owner's file to the last person who leaves. */
async function play({ asked, url, shop, owner, noor, folder, over, limit }) {
  const opensAtMs = Date.now() + OPENS_IN_MS;
  const endsAtMs = opensAtMs + lastsMs(asked.people);
  const planned = scheduleOf({ opensAtMs, endsAtMs });
  const file = houseFile({ people: asked.people, opensAtMs, schedule: planned });
  const { house } = await makeRoom({ url, owner, operator: noor, file, folder });
  const [operator, stranger] = [new Operator({ url, room: ROOM, token: noor.token }), new Stranger({ url, room: ROOM })];
  const watching = [operator.watch(limit, tellProgress(shop)), stranger.watch(limit)];
  const trespass = await operator.trespass({ other: OTHER, ...noor });
  const committed = await stranger.commitment();
  const opensInMs = opensAtMs - Date.now();
  const plans = planSale({ ...asked, earlyMs: earlyMs(opensInMs), lateMs: LATE_MS, opensInMs, holdMs: HOLD_MS });
  const { people, done } = sendBuyers(plans, { url: `${url}/buy/`, signal: limit });
  const seats = () => ({ left: shop.stats().seats_left, total: asked.seats });
  const isOver = () => people.every(({ end }) => end !== null);
  const schedule = await operator.steer({
    seats,
    isOver,
    schedule: planned,
    later: (ms) => scheduleOf({ opensAtMs, endsAtMs: endsAtMs + ms }),
    signal: limit,
  });
  await done;
  const { schedule: steps } = await operator.look();
  over.abort();
  await Promise.all(watching);
  await stranger.note();
  return { opensAtMs, file, house, operator, stranger, trespass, committed, people, schedule, steps };
}

/** Returns for how long people come before the opening. Throws if too little time is left. */
function earlyMs(opensInMs) {
  const within = Math.min(EARLY_MS, opensInMs - READY_MS);
  if (within < EARLY_MS_MIN)
    throw new UserError(
      `The room ${ROOM} was made ${Math.round(opensInMs / 1_000)} s before its opening: too late for people to come before it\n  cure: run npm run sale while the machine has less to do`,
    );
  return within;
}

/** After the sale, while Baton still answers: who did what, the webhooks, the report and its public page. */
async function lookBack({ url, shop, hook, owner, operator, stranger, committed, ...day }) {
  const who = await whoDidWhat(owner, url);
  await hook.until((heard) => isToldOf(heard, who), HEARD_WITHIN_MS);
  rmSync(PLACE, { recursive: true, force: true });
  const folder = path.join(PLACE, "report");
  await commandAs(owner, "sale_report.mjs", "--room", ROOM, "--url", url, "--out", folder, "--lang", "en", "--time-zone", "UTC", "--public", "--yes");
  const journal = path.join(PLACE, "journal.ndjson");
  copyFileSync(path.join(folder, "journal.ndjson"), journal);
  const draw = await stranger.drawsAgain(committed);
  const published = await readPublished(path.join(folder, "public"), stranger.notes);
  const some = day.people.filter((_, at) => at % Math.ceil(day.people.length / SECRETS_MAX) === 0);
  const secrets = some.map(({ visitor }) => visitor.cookie("visitor")).filter(Boolean);
  return {
    who,
    heard: hook.heard(),
    looks: operator.looks,
    done: operator.done,
    shop: shop.stats(),
    draw,
    published,
    secrets,
    counted: await reportOf(journal),
    audit: await audit(journal),
  };
}

/** Prints a line every ten seconds. */
function tellProgress(shop) {
  let looks = 0;
  return ({ mode, waiting, inside, permits, in_hall: hall }) => {
    if (looks++ % 10 === 0)
      console.log(`sale: ${mode}, ${hall} in the hall, ${waiting} in line, ${inside} inside of ${permits}, ${shop.stats().seats_left} seats left`);
  };
}

function write(docs, { text, charts }) {
  const pages = docs ? inRoot("docs") : PLACE;
  const pictures = path.join(pages, "images");
  mkdirSync(pictures, { recursive: true });
  for (const [name, svg] of Object.entries(charts)) writeFileSync(path.join(pictures, `sale-${name}.svg`), `${svg}\n`);
  writeFileSync(path.join(pages, "sale.md"), text);
  return path.join(pages, "sale.md");
}

async function main() {
  const asked = readOptions();
  if (asked.build) await build();
  await compilePrograms("report", "audit");
  console.log(`sale: ${asked.people} people, ${asked.seats} seats; opens in ${OPENS_IN_MS / 1_000} s`);
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-sale-"));
  try {
    const seen = { asked, ...(await hold(asked, folder)) };
    const marks = marksOf(seen);
    const checks = [...check(seen), ...checkHouse(seen)];
    const machine = `${os.cpus().length} cores, ${new Date().toISOString().slice(0, 10)}`;
    const text = report({ ...seen, marks, checks, machine, pictures: "images" });
    const file = write(asked.docs, { text, charts: { crowd: crowdChart({ ...seen, marks }), draw: drawChart(seen), order: orderChart(seen) } });
    for (const { what, ok, detail } of checks) console.log(`${ok ? "yes" : "NO "}  ${what}: ${detail}`);
    console.log(`sale: the report is in ${path.relative(inRoot(), file)}`);
    process.exitCode = checks.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
  }
}

await main().catch(fail);
