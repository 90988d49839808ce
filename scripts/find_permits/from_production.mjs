// `npm run find-permits -- --from-production`: how many people the shop has carried in a past sale, by the room's own journal.
//
//   BATON_ADMIN_TOKEN=… npm run find-permits -- --from-production --url https://tickets.example.com --room onsale [--token FILE]
//   npm run find-permits -- --from-production --export onsale.jsonl
//                           [--span-s 60] [--seed N] [--json]
//
// It asks Baton for the journal, and asks the shop for nothing. On the way `audit carried` holds the journal to the laws. It says "carried N"
// unless the shop saturated: then it says where it bends, with the interval. Exit 0: it carried somebody; 1: nothing can be said;
// 2: it could not be asked.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { run, UserError } from "../common.mjs";
import { exportJournal } from "../export.mjs";
import { text } from "../options.mjs";
import { compilePrograms, programFile } from "../programs.mjs";
import { judgeProduction } from "./production.mjs";

export const FLAG = "--from-production";
const USAGE = `npm run find-permits -- ${FLAG} --url https://tickets.example.com --room onsale [--token FILE] | --export FILE  [--span-s 60] [--seed N] [--json]`;

/**
 * Returns what was asked for. Throws a UserError that names the flag.
 * @returns {{ export?: string, url?: string, room?: string, token?: string, span_s: number, seed: number, json: boolean }}
 */
export function readFlags(args, env = process.env) {
  const options = {
    "from-production": /** @type {const} */ ({ type: "boolean" }),
    url: text,
    room: text,
    token: text,
    export: text,
    "span-s": text,
    seed: text,
    json: /** @type {const} */ ({ type: "boolean", multiple: false, default: false }),
  };
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new UserError(`${error.message}\n${USAGE}`);
  }
  const whole = (flag, fallback, least, most) => {
    const value = values[flag] === undefined ? fallback : Number(values[flag]);
    if (!Number.isSafeInteger(value) || value < least || value > most)
      throw new UserError(`--${flag} ${values[flag]}: it needs a whole number from ${least} to ${most}.`);
    return value;
  };
  const asked = { export: values.export, span_s: whole("span-s", 60, 1, 86_400), seed: whole("seed", 1, 0, 2 ** 32 - 1), json: values.json };
  if (values.export && values.url) throw new UserError(`--export is a file that is there, --url a Baton that is asked: give one of them.\n${USAGE}`);
  if (values.export) return asked;
  if (!values.url || !values.room) throw new UserError(`--url and --room are missing, or --export.\n${USAGE}`);
  if (!URL.canParse(values.url)) throw new UserError(`--url ${values.url}: it needs an address such as https://tickets.example.com.`);
  const token = values.token ? readFileSync(values.token, "utf8").trim() : env.BATON_ADMIN_TOKEN;
  if (!token) throw new UserError("Set BATON_ADMIN_TOKEN to an operator's token (role view), or name a file with it: --token FILE.");
  return { ...asked, url: values.url, room: values.room, token };
}

/** Resolves to the windows of an exported journal. The audit must have been compiled. */
export async function windowsOf(file, spanS) {
  const { code, signal, text, out } = await run(programFile("audit"), ["carried", file, "--span-s", String(spanS)], { capture: true, quiet: true });
  if (signal) throw new UserError(`${file}: audit was killed (${signal}) before it had read everything. Give it more memory, and try again.`);
  if (code !== 0) throw new UserError(`${file}: ${text.trim()}`);
  return out.trim() === ""
    ? []
    : out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
}

const ms = (value) => (value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`);

/** Returns the answer in sentences. */
export function sayProduction(found) {
  if (found.kind === "none") return `Nothing can be said: ${found.why}.`;
  const { people, low, high, recommended, why, carried = people, answer_ms: answerMs, quiet_ms: quietMs, quiet_people: quiet } = found;
  const said = `Your shop carried ${carried} people at once: answers took ${ms(answerMs)} on average then, and ${ms(quietMs)} with ${Math.round(quiet)} inside.`;
  if (found.kind === "carried")
    return `${said}\n${why[0].toUpperCase()}${why.slice(1)}. A sale is no measurement on purpose: \`npm run find-permits\` on staging tells more.\nRecommended: permits = ${recommended}.`;
  return `${said}\nIt saturates at ${people} people (90 %: ${low} to ${high}): beyond that another person makes everybody slower and nobody sooner.\nRecommended: permits = ${recommended}, 0.8 × the lower end.`;
}

/** Runs the whole command and prints the answer. Resolves to the exit code. */
export async function fromProduction(args, { say = console.log, env = process.env } = {}) {
  const asked = readFlags(args, env);
  await compilePrograms("audit");
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-carried-"));
  try {
    const file = asked.export ?? path.join(folder, "journal.jsonl");
    const { url, room, token } = asked;
    if (!asked.export) await exportJournal({ url, room, token, out: file });
    const windows = await windowsOf(file, asked.span_s);
    const found = judgeProduction(windows, asked.seed);
    say(asked.json ? JSON.stringify({ windows, ...found }, null, 2) : sayProduction(found));
    return found.kind === "none" ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
