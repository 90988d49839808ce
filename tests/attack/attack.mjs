// Tries every door of a running Baton from outside, and says what happened.
//
//   npm run attack -- --url http://localhost:8787 --room onsale [--path /buy/] [--pass-ttl 60] [--mine]
//
// It holds no secret. It takes one place in the line and gives it up again, sends a few hundred requests, one after the
// other, and stops at REQUESTS_MAX. Any host but this machine's needs `--mine`: do this to a Baton of your own only.
// Exit 0: everything was refused. 1: something was let in. 2: it could not be tried.

import { parseArgs } from "node:util";
import { Client, Late, REQUESTS_MAX } from "./client.mjs";
import { attempts, isWaiting } from "./attempts.mjs";
import { guestAttempts } from "./guest.mjs";

/** @satisfies {import("node:util").ParseArgsOptionsConfig} */
const OPTIONS = /** @type {const} */ ({
  url: { type: "string" },
  room: { type: "string", default: "onsale" },
  path: { type: "string", default: "/buy/" },
  "pass-ttl": { type: "string", default: "60" },
  mine: { type: "boolean", default: false },
});
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const USAGE = "npm run attack -- --url https://… --room onsale [--path /buy/] [--pass-ttl 60] [--mine]";

class NotTried extends Error {}

function readFlags() {
  let flags;
  try {
    flags = parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new NotTried(`${error.message}\n${USAGE}`);
  }
  if (!flags.url || !URL.canParse(flags.url)) throw new NotTried(`--url is missing or no address.\n${USAGE}`);
  const url = new URL(flags.url);
  if (!["http:", "https:"].includes(url.protocol)) throw new NotTried(`--url must be http or https, not ${url.protocol}`);
  if (!LOCAL.includes(url.hostname) && !flags.mine)
    throw new NotTried(`${url.hostname} is not this machine. If it is yours to attack, say so with --mine.`);
  if (!/^\/[a-z0-9-]+\/([\w./-]*\/)?$/i.test(flags.path))
    throw new NotTried(`--path must be a folder below the gated pattern, such as /buy/, not ${flags.path}`);
  const passTtlS = Number(flags["pass-ttl"]);
  if (!Number.isInteger(passTtlS) || passTtlS < 1 || passTtlS > 3_600) throw new NotTried("--pass-ttl is the room's pass_ttl_s, 1 to 3600");
  return { url, room: flags.room, path: flags.path, passTtlS };
}

/** Names of cookies: prefixed everywhere but on plain-http localhost. */
function cookieNames({ url, room }) {
  const prefix = url.protocol === "http:" && LOCAL.includes(url.hostname) ? "baton-" : "__Host-baton-";
  return { visitor: `${prefix}visitor`, ticket: `${prefix}${room}-ticket`, pass: `${prefix}${room}-pass` };
}

/** Without this nothing below means anything: the path is gated by that room, and the room is not in `bypass`. */
async function lookFirst({ client, path, room }) {
  const answer = await client.ask(path, { headers: { accept: "application/json" } }).catch((error) => {
    throw new NotTried(`${client.origin} does not answer: ${error.message}`);
  });
  if (!isWaiting(answer))
    throw new NotTried(
      `${path} answered ${answer.status} to a script without cookies, not the waiting answer: it is not gated, or the room is in bypass.`,
    );
  if (answer.json.room !== room) throw new NotTried(`${path} belongs to the room ${answer.json.room}, not ${room}.`);
}

/** A connection that was cut is a refusal too; whatever else goes wrong is no result at all. */
const CUT = ["ECONNRESET", "EPIPE", "HPE_INVALID_CONSTANT", "HPE_INVALID_HEADER_TOKEN"];

async function tried(act) {
  try {
    return await act();
  } catch (error) {
    if (CUT.includes(error.code)) return { refused: true, seen: `cut (${error.code})` };
    if (error.code || error instanceof Late) return { skipped: error.message };
    throw error;
  }
}

async function run(it) {
  const results = [];
  const all = [attempts(it), guestAttempts(it)];
  for (const some of all) {
    for await (const [row, name, act] of some) {
      results.push({ row, name, ...(await tried(act)) });
    }
  }
  return results;
}

const outcomeOf = ({ refused, skipped }) => (skipped ? "not tried" : refused ? "refused" : "LET IN");

function table(results) {
  const rows = results.map((result) => [result.row, result.name, outcomeOf(result), result.skipped ?? result.seen]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

async function main() {
  const { url, ...flags } = readFlags();
  const client = new Client(url);
  const it = { client, ...flags, names: cookieNames({ url, ...flags }) };
  console.log(
    `${url.origin}, room ${it.room}, gated path ${it.path}: at most ${REQUESTS_MAX} requests, one after the other; one place is taken and given up.\n`,
  );
  await lookFirst(it);
  const results = await run(it);
  console.log(table(results));
  const count = (outcome) => results.filter((result) => outcomeOf(result) === outcome).length;
  console.log(
    `\n${results.length} attempts with ${client.sent} requests: ${count("refused")} refused, ${count("LET IN")} let in, ${count("not tried")} not tried.`,
  );
  process.exitCode = count("LET IN") > 0 ? 1 : 0;
}

await main().catch((error) => {
  if (!(error instanceof NotTried)) throw error;
  console.error(error.message);
  process.exitCode = 2;
});
