// `npm run rehearse-live`: a rehearsal on the live deployment while the public sees a closed room. The doctor looks first. Then a crowd
// with signed rehearsal tickets joins, waits on sockets, is called, looks at the shop and leaves. Then the rehearsal is ended, and the
// verdict is go, or what is missing. Nothing is bought, and the room itself issues no number.
//
//   BATON_ADMIN_TOKEN=… npm run rehearse-live -- --url https://tickets.example.com/buy/ --room onsale
//                       [--visitors 400] [--arrive-within 20s] [--hold 4s..8s] [--minutes 15] [--answer-max 2s]
//                       [--without-proofs] [--origin https://shop.example.net] [--token FILE] [--json] [--seed N]
//
// The address is a page of the shop behind the room. The room must be closed and empty. If the command is killed midway, it leaves a
// closed room and a token that ends by itself; the next run ends what is left. Exit 0: go; 1: something is missing; 2: it could not be asked.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { durationMs, runCrowd } from "../demo/crowd.mjs";
import { Visitor } from "../tests/support/visitor.mjs";
import { UserError } from "./common.mjs";
import { examine, patientOf, table } from "./doctor.mjs";
import { operatorOf } from "./rehearse_live/operator.mjs";
import { isGo, judgeRehearsal } from "./rehearse_live/verdict.mjs";

const USAGE = "npm run rehearse-live -- --url https://tickets.example.com/buy/ --room onsale";
/** By default twice as many people come as there are permits, but at most this many; more only if the operator asks for them. */
const VISITORS_MAX = 1_000;
const PERMIT_ROUNDS = 2;
const LOOKS = 3;
/** Fronts tell of proofs within ten seconds; lobbies tell of proofs and answer times within ten more. */
const TOLD_WITHIN_MS = 25_000;
const LOOK_EVERY_MS = 1_000;
const MARKS = { ok: "ok      ", bad: "BAD     ", missing: "MISSING " };

/** Waits until `look()` says enough or the time is over. Resolves to what it said last. */
async function until(look, isEnough, withinMs) {
  for (const end = Date.now() + withinMs; ; ) {
    const seen = await look();
    if (isEnough(seen) || Date.now() > end) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Resolves to what a member of the public sees, who also tries to get a number. */
async function probe({ url, room }) {
  const visitor = new Visitor({ url, room, name: "somebody of the public" });
  const { state } = await visitor.arrive();
  const { json } = await visitor.join();
  return { state, mode: json?.mode, number: visitor.number };
}

/** Comes and leaves. The shop's answer times ride along with what visitors ask, so somebody must ask for something. */
async function comeAndGo(visitor) {
  await visitor.arrive();
  await visitor.leave();
}

/** Plays the rehearsal from its beginning to its end. It is ended whatever happens. */
async function play(options, operator, say) {
  const { url, room, minutes, signal } = options;
  const before = await operator.look();
  const { token, permits, edition } = await operator.begin(minutes);
  const headers = { "baton-rehearsal": token };
  const visitors = options.visitors ?? Math.min(VISITORS_MAX, Math.max(2, PERMIT_ROUNDS * permits));
  say(`rehearsal ${edition}: ${visitors} people, ${permits} permits; the public sees a closed room`);
  try {
    const probes = [await probe(options)];
    const crowd = await runCrowd({
      url,
      room,
      headers,
      visitors,
      permits,
      looks: LOOKS,
      signal,
      seed: options.seed,
      arriveWithinMs: options.arriveWithinMs,
      holdMs: options.holdMs,
      timeoutMs: minutes * 60_000,
      progress: options.progress,
    });
    signal?.throwIfAborted();
    probes.push(await probe(options));
    // Not the first count that comes: it may hold what a rehearsal before left untold.
    const isTold = ({ report }) =>
      report.answers.count + report.answers.failed >= Math.max(crowd.looked, 1) &&
      (options.withoutProofs || Object.values(report.proofs).some((count) => count > 0));
    const straggler = new Visitor({ url, room, headers, name: "straggler" });
    const stage = await until(() => comeAndGo(straggler).then(operator.stage), isTold, TOLD_WITHIN_MS);
    await operator.end();
    const tokenIs = (await new Visitor({ url, room, headers }).arrive()).status;
    probes.push(await probe(options));
    return { before, after: await operator.look(), stage, crowd, probes, visitors, permits, tokenIs };
  } finally {
    await operator.end();
  }
}

/** Asks the doctor, rehearses, and judges: `{ go, findings }`. `options` are those of the command line; `signal` stops it. */
export async function rehearse(options, /** @type {{ say?: (text: string) => void }} */ { say = () => {} } = {}) {
  const operator = operatorOf(options);
  const found = await examine(
    patientOf({
      url: options.url,
      origin: options.origin,
      token: options.token,
      room: options.room,
      path: new URL(options.url).pathname,
      config: options.config,
    }),
  );
  const ill = found.filter(([, { is }]) => is === "bad");
  if (ill.length > 0) return { go: false, findings: ill.map(([check, { seen, cure }]) => ({ check: `doctor: ${check}`, is: "bad", seen, cure })) };
  say(table(found));
  try {
    const findings = judgeRehearsal({ ...options, ...(await play(options, operator, say)) });
    return { go: isGo(findings), findings };
  } catch (error) {
    if (error.status !== 409) throw error;
    return { go: false, findings: [{ check: "closed", is: "bad", seen: error.says, cure: "Nothing was begun." }] };
  }
}

export function verdictText({ go, findings }) {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const line = ({ check, is, seen, cure }) => `${MARKS[is]}${check.padEnd(width)}  ${seen}${cure ? `\n${" ".repeat(width + 10)}-> ${cure}` : ""}`;
  return [
    ...findings.map(line),
    "",
    go
      ? "GO"
      : `NOT YET: ${findings
          .filter(({ is }) => is !== "ok")
          .map(({ check }) => check)
          .join(", ")}`,
  ].join("\n");
}

const FLAGS = {
  url: String,
  room: String,
  origin: String,
  token: tokenIn,
  visitors: (text) => whole("visitors", text, 1, 20_000),
  minutes: (text) => whole("minutes", text, 1, 60),
  seed: (text) => whole("seed", text, 0, 2 ** 32),
  "arrive-within": (text) => timeMs("arrive-within", text),
  hold: holdMs,
  "answer-max": (text) => timeMs("answer-max", text),
};

function tokenIn(file) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UserError(`--token: ${file} cannot be read (${error.code}). Name a file that holds an operator's token.`);
  }
}

function whole(flag, text, least, most) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new UserError(`--${flag} is a whole number from ${least} to ${most}, not "${text}".`);
  return value;
}

function timeMs(flag, text) {
  try {
    return durationMs(text);
  } catch {
    throw new UserError(`--${flag} is a time such as 500ms, 10s or 2m, not "${text}".`);
  }
}

function holdMs(text) {
  const times = text.split("..");
  const isRange = times.length <= 2 && times.every((time) => /^\d/.test(time));
  const [low, high = low] = isRange ? times.map((time) => timeMs("hold", time)) : [];
  if (!isRange || high < low) throw new UserError(`--hold is a time or a range such as 4s..8s, not "${text}".`);
  return [low, high];
}

/** Returns what was given, flag by flag. */
function parsed(args, options) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UserError(`${error.message}\nUse: ${USAGE}`);
  }
}

/** Returns what the command line asks for. */
export function optionsOf(args, env = process.env) {
  const options = {
    ...Object.fromEntries(Object.keys(FLAGS).map((flag) => [flag, { type: "string" }])),
    json: { type: "boolean" },
    "without-proofs": { type: "boolean" },
  };
  const values = parsed(args, options);
  const said = Object.fromEntries(Object.entries(values).map(([flag, value]) => [flag, FLAGS[flag] ? FLAGS[flag](value) : value]));
  if (!said.url || !said.room) throw new UserError(`Use: ${USAGE}`);
  if (!URL.canParse(said.url) || !["http:", "https:"].includes(new URL(said.url).protocol))
    throw new UserError(`--url needs the address of a page behind the room, such as https://tickets.example.com/buy/, not "${said.url}".`);
  const token = said.token ?? env.BATON_ADMIN_TOKEN;
  if (!token) throw new UserError("Set BATON_ADMIN_TOKEN to an operator's token, or name a file with it: --token FILE.");
  return {
    url: said.url,
    room: said.room,
    origin: said.origin,
    token,
    visitors: said.visitors,
    minutes: said.minutes ?? 15,
    seed: said.seed ?? 1,
    arriveWithinMs: said["arrive-within"] ?? 20_000,
    holdMs: said.hold ?? [4_000, 8_000],
    answerMsMax: said["answer-max"] ?? 2_000,
    withoutProofs: said["without-proofs"] ?? false,
    json: said.json ?? false,
  };
}

async function main() {
  const options = optionsOf(process.argv.slice(2));
  const { wranglerConfig } = await import("./settings.mjs");
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"])
    process.once(name, () => stop.abort(new UserError("Stopped. The rehearsal is ended, the room is closed.")));
  const say = (text) => console.error(text);
  const result = await rehearse({ ...options, config: wranglerConfig(), signal: stop.signal }, { say });
  console.log(
    options.json ? JSON.stringify({ url: options.url, room: options.room, at: new Date().toISOString(), ...result }, null, 2) : verdictText(result),
  );
  process.exitCode = result.go ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await main().catch((error) => {
    console.error(
      error instanceof UserError
        ? error.message
        : `The rehearsal broke off: ${error.message || error.code}. It is ended, or ends by itself; look at the room, then try again.`,
    );
    process.exit(2);
  });
}
