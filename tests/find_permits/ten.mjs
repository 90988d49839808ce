// `npm run check-find-permits`: the whole command, ten times, against a shop whose knee is known, over real HTTP and in real time. Prints a
// table; exit 1 unless all are within 15 %. Then once against a shop that leaks, of which no number may be said, and once each against two with a lock convoy.
//
//   npm run check-find-permits -- [--runs 10] [--segments 4] [--servers 2] [--delay-ms 40] [--level-s 3]
//
// The knee: segments × servers ÷ delay orders a second × the time of a visit in the empty shop, all as the shop was set. Who waits in a convoy makes who works
// slower: what it takes is the largest crowd that it carries again after it had fallen, which is where `in flight + thinking × orders a second` is least.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, inRoot } from "../../scripts/common.mjs";
import { tableText } from "../../scripts/find_permits/text.mjs";
import { prepare } from "../../scripts/setup.mjs";
import { MANNERS } from "./shop.mjs";

const WITHIN = 0.15;
/** checkout.toml: between its two steps people think for so long on average. */
const THINK_S = 0.4;

/** The shop as a process of its own, so that it takes nothing from the generator's thread: `{ url, stop }`. */
async function openShop(args, codeFile) {
  const child = spawn(process.execPath, [inRoot("tests", "find_permits", "shop.mjs"), ...args, "--code-file", codeFile], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return { url: String(line).trim(), stop: () => child.kill() };
}

/** One run of the command; its result. */
async function find(url, codeFile, out, levelS) {
  const args = [
    "--url",
    url,
    "--steps",
    inRoot("tests", "find_permits", "checkout.toml"),
    "--allow-writes",
    "--code-file",
    codeFile,
    "--out",
    out,
    "--level-s",
    levelS,
    "--settle-s",
    "1",
    "--requests-per-s-max",
    "2000",
    "--json",
  ];
  const child = spawn(process.execPath, [inRoot("scripts", "find_permits.mjs"), ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, BATON_PREPARED: "1" },
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return JSON.parse(text);
}

async function runOnce(shopArgs, levelS) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-find-permits-"));
  const codeFile = path.join(folder, "code");
  const shop = await openShop(shopArgs, codeFile);
  const sinceMs = performance.now();
  try {
    return { ...(await find(shop.url, codeFile, folder, levelS)), tookS: (performance.now() - sinceMs) / 1_000 };
  } finally {
    shop.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: Object.fromEntries(["runs", "segments", "servers", "delay-ms", "level-s"].map((name) => [name, { type: "string" }])),
});
const { runs = "10", segments = "4", servers = "2", "delay-ms": delayMs = "40", "level-s": levelS = "3" } = values;
const shopArgs = ["--segments", segments, "--servers", servers, "--delay-ms", delayMs];

const saidOf = ({ kind, people = "", why = "" }) => `${kind} ${people} ${why}`;

/** Runs against a shop with a convoy. Resolves to whether the answer was right. */
async function convoy(manner, ordersPerS) {
  const busy = Number(segments) * Number(servers);
  const takes = Math.min(
    ...Array.from({ length: 500 }, (_, waiting) => busy + waiting + (THINK_S * ordersPerS) / MANNERS[manner]({ done: 0, waiting })),
  );
  // One line before all servers: where each has its own some stand idle beside it, and the sum above does not hold.
  const oneLine = ["--segments", "1", "--servers", String(busy), "--delay-ms", delayMs];
  const { verdict, looks, levels } = await runOnce([...oneLine, "--manner", manner], levelS);
  const off = (verdict.people ?? 0) / takes - 1;
  const isRight = verdict.kind === "number" && Math.abs(off) <= WITHIN;
  console.log(`${manner}: takes ${takes.toFixed(0)}, ${(100 * off).toFixed(1)} % off: ${saidOf(verdict)}`);
  if (!isRight) console.log(`WRONG\n${tableText([...looks, ...levels])}`);
  return isRight;
}

async function main() {
  const ordersPerS = (1_000 * segments * servers) / delayMs;
  let wrong = 0;
  console.log("run  knee  found  90 %         off     seconds");
  for (let nth = 1; nth <= Number(runs); nth += 1) {
    const { verdict, looks, levels, tookS } = await runOnce(shopArgs, levelS);
    const knee = ordersPerS * (THINK_S + delayMs / 1_000);
    const off = (verdict.people ?? 0) / knee - 1;
    const isRight = verdict.kind === "number" && Math.abs(off) <= WITHIN;
    wrong += isRight ? 0 : 1;
    const cells = [
      String(nth).padStart(3),
      knee.toFixed(0).padStart(4),
      String(verdict.people ?? "-").padStart(5),
      `${verdict.low ?? "-"} to ${verdict.high ?? "-"}`.padEnd(11),
      `${(100 * off).toFixed(1)} %`.padEnd(6),
      tookS.toFixed(0),
    ];
    console.log(cells.join("  "));
    if (!isRight) console.log(`WRONG: ${verdict.kind} ${verdict.why ?? ""}\n${tableText([...looks, ...levels])}`);
  }
  const { verdict } = await runOnce([...shopArgs, "--manner", "leaks"], levelS);
  wrong += verdict.kind === "number" ? 1 : 0;
  console.log(`leaks: ${saidOf(verdict)}`);
  for (const manner of ["convoys", "jams"]) wrong += (await convoy(manner, ordersPerS)) ? 0 : 1;
  console.log(wrong === 0 ? `all within ${100 * WITHIN} %, and no number for the one that leaks` : `${wrong} wrong`);
  process.exitCode = wrong === 0 ? 0 : 1;
}

await prepare();
await main().catch(fail);
