// `npm run sale`: a whole sale in two minutes, from the people before the opening to the audit of the journal.
//
//   npm run sale -- [--people 2000] [--seed 7] [--docs] [--no-build]
//
// The worker on workerd, the demo shop behind it, simulated people in front, an operator who follows a script
// (`sale/story.mjs`). Ends with 1 when anything that must hold did not. The report and its charts go to .baton/sale/, with
// --docs to docs/sale.md and docs/images/; the journal to .baton/sale/journal.ndjson, for `npm run report`. --no-build takes
// what is built.

import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, inRoot, run, UsageError } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { startShop } = await import("../demo/shop.mjs");
const { build } = await import("./build.mjs");
const { check: checkDraw } = await import("./draw.mjs");
const { exportJournal } = await import("./export.mjs");
const { startRuntime } = await import("./runtime.mjs");
const { check } = await import("./sale/checks.mjs");
const { planSale, sendBuyers } = await import("./sale/people.mjs");
const { Operator } = await import("./sale/story.mjs");
const { crowdChart, drawChart, orderChart, report } = await import("./sale/text.mjs");

const ROOM = "onsale";
const PEOPLE = 2_000;
/** Of a hundred people so many come before the opening, and so many find a seat. */
const [EARLY_PERCENT, SEATS_PERCENT] = [80, 60];
/** People come for so long before the opening, and after it. */
const [EARLY_MS, LATE_MS] = [60_000, 30_000];
/** From the start to the opening: everybody early is there, and a little longer. */
const OPENS_IN_MS = EARLY_MS + 10_000;
const HOLD_MS = [500, 2_000];
const LIMIT_MS = 10 * 60_000;

/** The room as wrangler.toml would have it; a minute of this sale stands for some more of a real one. */
const SETTINGS = { paths: ["/buy/*"], permits: 40, crowd: PEOPLE, tick_ms: 200, claim_within_s: 10, linger_s: 30, grace_s: 600, lease_idle_s: 60, lease_max_s: 300 };

function readOptions() {
  const { values } = parseArgs({ options: { people: { type: "string" }, seed: { type: "string" }, docs: { type: "boolean" }, build: { type: "boolean", default: true } }, allowNegative: true });
  const whole = (name, fallback, least) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < least) throw new UsageError(`--${name} needs a whole number from ${least}.`);
    return value;
  };
  const people = whole("people", PEOPLE, 50);
  const share = (percent) => Math.floor((people * percent) / 100);
  return { ...values, people, seed: whole("seed", 7, 0), early: share(EARLY_PERCENT), seats: share(SEATS_PERCENT) };
}

/** Runs the day; resolves to everything that was seen. `folder` gets the journal. */
async function hold(asked, folder) {
  const [originSecret, token] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const shop = await startShop({ originSecret, room: ROOM, lockMs: 0, seats: asked.seats });
  const opensAtMs = Date.now() + OPENS_IN_MS;
  const vars = { ROOMS: { [ROOM]: { ...SETTINGS, opens_at: new Date(opensAtMs).toISOString(), hall_s: 3_600 } }, ORIGIN: shop.url, BATON_SECRET: randomBytes(48).toString("base64"), ORIGIN_SECRET: originSecret, BATON_ADMIN_TOKEN: token };
  const baton = await startRuntime({ vars, dataDir: path.join(folder, "data") });
  const over = new AbortController();
  const limit = AbortSignal.any([over.signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    shop.trustHost(new URL(baton.url).host);
    const operator = new Operator({ url: baton.url, room: ROOM, token });
    const watching = operator.watch(limit, tellProgress(shop));
    const plans = planSale({ ...asked, earlyMs: EARLY_MS, lateMs: LATE_MS, opensInMs: opensAtMs - Date.now(), holdMs: HOLD_MS });
    const { people, done } = sendBuyers(plans, { url: `${baton.url}/buy/`, signal: limit });
    const committed = operator.commitment();
    await operator.steer({ opensAtMs, isSoldOut: () => shop.stats().seats_left === 0 || people.every(({ end }) => end !== null), signal: limit });
    await done;
    await operator.look();
    over.abort();
    await watching;
    const journal = path.join(folder, "journal.jsonl");
    await exportJournal({ url: baton.url, room: ROOM, token, out: journal });
    const draw = await drawnAgain(baton.url, await committed);
    return { asked, opensAtMs, draw, people, looks: operator.looks, marks: operator.marks, shop: shop.stats(), journal };
  } finally {
    over.abort();
    await baton.stop();
    await shop.stop();
  }
}

/** The draw as anybody can do it again, and whether it is the one that was committed to before the opening. */
async function drawnAgain(url, committed) {
  const lines = [];
  const right = await checkDraw([url, ROOM, "1", "2", "3"], (line) => lines.push(line));
  return { text: lines.join("\n"), ok: right && lines.some((line) => line.includes(committed)) };
}

/** A line every ten seconds. */
function tellProgress(shop) {
  let looks = 0;
  return ({ mode, waiting, inside, permits, in_hall: hall }) => {
    if (looks++ % 10 === 0) console.log(`sale: ${mode}, ${hall} in the hall, ${waiting} in line, ${inside} inside of ${permits}, ${shop.stats().seats_left} seats left`);
  };
}

/** What a tool of ours says of the journal, and whether it is content. */
async function tool(...args) {
  const { code, text } = await run("cargo", ["run", "--quiet", "--release", "-p", "baton-tools", "--bin", ...args], { capture: true, quiet: true });
  return { ok: code === 0, text };
}

function write(docs, { text, charts }) {
  const pages = docs ? inRoot("docs") : inRoot(".baton", "sale");
  const pictures = path.join(pages, "images");
  mkdirSync(pictures, { recursive: true });
  for (const [name, svg] of Object.entries(charts)) writeFileSync(path.join(pictures, `sale-${name}.svg`), `${svg}\n`);
  writeFileSync(path.join(pages, "sale.md"), text);
  return path.join(pages, "sale.md");
}

async function main() {
  const asked = readOptions();
  if (asked.build) await build();
  console.log(`sale: ${asked.people} people, ${asked.seats} seats; opens in ${OPENS_IN_MS / 1_000} s`);
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-sale-"));
  try {
    const seen = await hold(asked, folder);
    mkdirSync(inRoot(".baton", "sale"), { recursive: true });
    copyFileSync(seen.journal, inRoot(".baton", "sale", "journal.ndjson"));
    const audit = await tool("audit", "--", "verify", seen.journal);
    const soldOutAtMs = seen.marks.at(-1).at_ms;
    const checks = [...check({ ...seen, soldOutAtMs }), { what: "anybody can do the draw again, and it is the one committed to before", ok: seen.draw.ok, detail: "below" }, { what: "the audit of the journal finds nothing wrong", ok: audit.ok, detail: "below" }];
    const machine = `${os.cpus().length} cores, ${new Date().toISOString().slice(0, 10)}`;
    const text = report({ ...seen, checks, draw: seen.draw.text, audit: audit.text, machine, pictures: "images" });
    const file = write(asked.docs, { text, charts: { crowd: crowdChart(seen), draw: drawChart(seen), order: orderChart(seen) } });
    for (const { what, ok, detail } of checks) console.log(`${ok ? "yes" : "NO "}  ${what}: ${detail}`);
    console.log(`sale: the report is in ${path.relative(inRoot(), file)}`);
    process.exitCode = checks.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
  }
}

await main().catch(fail);
