// Runs before every `npm run …` command: package.json loads this file first (`node --import`), perhaps before anything is installed.
//
// - `--help` prints the comment at the head of the command's file, so that there is one text and it is near the code;
// - a flag that this text does not name is refused with exit code 2, a sentence and the nearest flag that it does name;
// - any failure is one sentence and never a stack. BATON_TRACE=1 shows where it was.

import { readFileSync } from "node:fs";
import { fail, UsageError } from "./common.mjs";
import { nearest } from "./nearest.mjs";

/** These commands print a longer text of their own. */
const OWN_HELP = ["start", "house", "report", "invite", "codes", "staff"];
/** These commands hand flags on to wrangler. */
const OPEN = ["deploy", "way-out"];

/** Returns the text of a command: the comment with which its file begins. */
export function helpOf(source) {
  const head = /^(?:\/\/.*\n)+|^\/\*[^]*?\*\/\n/.exec(source)?.[0] ?? "";
  const lines = head.split("\n").map((line) => line.replace(/^(?:\/\/|\/\*| \*\/| \*) ?/, ""));
  return lines.join("\n").trim();
}

/** Returns what is wrong with the flags, or undefined. `help` must name each flag; where it names `--quiet`, `--no-quiet` is right too. */
export function wrongFlag(args, help) {
  const known = [...help.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag);
  const end = args.indexOf("--");
  const given = (end < 0 ? args : args.slice(0, end)).filter((arg) => /^--?[a-z]/.test(arg)).map((arg) => arg.split("=")[0]);
  const wrong = given.find((flag) => ![flag, flag.replace(/^--/, "--no-"), flag.replace(/^--no-/, "--")].some((each) => known.includes(each)));
  if (wrong === undefined) return undefined;
  return `Unknown flag ${wrong}.${known.length > 0 ? ` Did you mean ${nearest(wrong, [...new Set(known)])}?` : " It takes none."}`;
}

/**
 * Answers `--help` or refuses a wrong flag; otherwise the command goes on.
 * @param {string} name
 * @param {string[]} words its file, then the arguments
 */
function begin(name, [file, ...args]) {
  process.on("uncaughtException", fail);
  if (OWN_HELP.includes(name)) return;
  const help = helpOf(readFileSync(file, "utf8"));
  if (args.some((arg) => ["--help", "-h"].includes(arg))) {
    console.log(help);
    process.exit();
  }
  const wrong = OPEN.includes(name) ? undefined : wrongFlag(args, help);
  if (wrong) fail(new UsageError(`${wrong} All of them: npm run ${name} -- --help`));
}

const name = process.env.npm_lifecycle_event;
// Runs only under npm: the tests import this file for its exports.
if (process.execArgv.some((arg) => arg.includes("command.mjs")) && name) begin(name, process.argv.slice(1));
