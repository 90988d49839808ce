// Reads the command line of `npm run find-permits` and checks that it makes sense. Pure.

import { parseArgs } from "node:util";
import { UserError } from "../common.mjs";
import { each, text } from "../options.mjs";

const USAGE = `npm run find-permits -- --url https://staging.example.com --steps checkout.toml [--allow-writes]
    [--code-file FILE] [--code-wait-s 900] [--people-max 500] [--requests-per-s-max 300] [--minutes-max 120]
    [--level-s S] [--settle-s S] [--timeout-s 30] [--room NAME --public-host HOST] [--out FOLDER] [--seed N] [--json]`;

/** name → [default (null: worked out later), least, most]. */
const NUMBERS = {
  "people-max": [500, 1, 20_000],
  "requests-per-s-max": [300, 1, 20_000],
  "minutes-max": [120, 1, 1_440],
  "code-wait-s": [900, 0, 86_400],
  "timeout-s": [30, 1, 300],
  "level-s": [null, 1, 3_600],
  "settle-s": [null, 0.1, 3_600],
  seed: [1, 0, 2 ** 32 - 1],
};
const TEXTS = /** @type {const} */ (["url", "steps", "code-file", "room", "public-host", "out"]);
const SWITCHES = /** @type {const} */ (["allow-writes", "json"]);

/**
 * What NUMBERS gives.
 * @typedef {Record<`${"people" | "requests_per_s" | "minutes"}_max` | `${"code_wait" | "timeout" | "level" | "settle"}_s` | "seed", number>} Numbers
 */

function number(name, text) {
  const [fallback, least, most] = NUMBERS[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  const isWhole = Number.isInteger(value) || ["level-s", "settle-s"].includes(name);
  if (text.trim() === "" || !isWhole || !(value >= least && value <= most))
    throw new UserError(
      `--${name} ${text}: it needs a ${["level-s", "settle-s"].includes(name) ? "" : "whole "}number from ${least} to ${most}. Nothing was sent.`,
    );
  return value;
}

function base(text) {
  const isAddress = URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
  const { username, password, pathname, search, hash } = isAddress ? new URL(text) : {};
  if (!isAddress || username || password || pathname !== "/" || search || hash)
    throw new UserError(
      `--url ${text}: it needs a scheme and a host and nothing behind, such as https://staging.example.com; paths stand in the steps file. Nothing was sent.`,
    );
  return new URL(text);
}

/** Returns what was asked for. Throws a UserError that names the flag. `secret`: ORIGIN_SECRET, or undefined. */
export function readFlags(args, secret) {
  const options = {
    ...each(/** @type {(keyof typeof NUMBERS)[]} */ (Object.keys(NUMBERS)), text),
    ...each(TEXTS, text),
    ...each(SWITCHES, /** @type {const} */ ({ type: "boolean", multiple: false, default: false })),
  };
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new UserError(`${error.message}\n${USAGE}`);
  }
  for (const name of ["url", "steps"]) if (!values[name]) throw new UserError(`--${name} is missing.\n${USAGE}`);
  const url = base(values.url);
  if (secret && !values.room)
    throw new UserError(
      "ORIGIN_SECRET is set, but no --room: a proof is for one room. Name the room that gates these pages, or unset ORIGIN_SECRET. Nothing was sent.",
    );
  if (values.room && !secret)
    throw new UserError(
      "--room is for a shop behind Baton's check, which needs ORIGIN_SECRET in the environment: staging's, never the sale's. Nothing was sent.",
    );
  const numbers = /** @type {Numbers} */ (
    Object.fromEntries(Object.keys(NUMBERS).map((name) => [name.replaceAll("-", "_"), number(name, values[name])]))
  );
  return {
    ...numbers,
    url,
    steps: values.steps,
    code_file: values["code-file"],
    room: values.room,
    public_host: values["public-host"] ?? url.host,
    out: values.out,
    allow_writes: values["allow-writes"],
    json: values.json,
    secret,
  };
}
