// Reads wrangler.toml, the one home of the configuration, and turns what the command line says into it.
// Needs npm packages: import it after set-up.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { inRoot, root, toolEnv, UserError } from "./common.mjs";

export const SECRETS = ["BATON_SECRET", "BATON_SECRET_PREVIOUS", "BATON_SECRET_NEXT", "ORIGIN_SECRET", "BATON_ADMIN_TOKEN", "TURNSTILE_SECRET"];

/** wrangler.toml as an object. */
export function wranglerConfig() {
  return parse(readFileSync(inRoot("wrangler.toml"), "utf8"));
}

/** The classes of objects and the bindings under which the worker finds them. */
export function objectBindings(config = wranglerConfig()) {
  return config.durable_objects.bindings.map(({ name, class_name }) => ({ binding: name, className: class_name }));
}

/** Local secrets from `.dev.vars` (wrangler's own file: NAME=value lines) and the environment, which wins. */
export function localSecrets() {
  const file = inRoot(".dev.vars");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const found = lines.map((line) => line.match(/^\s*([A-Z_]+)\s*=\s*"?(.*?)"?\s*$/)).filter(Boolean).map(([, name, value]) => [name, value]);
  const all = { ...Object.fromEntries(found), ...process.env };
  return Object.fromEntries(SECRETS.filter((name) => all[name]).map((name) => [name, all[name]]));
}

/**
 * Asks the worker's own schema about a configuration; an error lists everything that is wrong.
 * `secrets`: name -> value; only their lengths are handed over. Left out: they are at Cloudflare, where we cannot
 * look, and are taken to be right.
 */
export async function checkConfig(vars) {
  const asked = askConfig(vars);
  if (asked.status !== 0) throw new UserError(`The configuration is wrong:\n${(asked.stdout + asked.stderr).trimEnd()}`);
}

/** The same, with flags for the check: `{ status, stdout, stderr }`. */
export function askConfig({ ROOMS, ORIGIN, ORIGIN_HOST, ORIGIN_TIMEOUT_S, OPERATORS, TURNSTILE_SITE_KEY, secrets }, flags = []) {
  const args = ["run", "--quiet", "-p", "baton-tools", "--bin", "check-config", "--", ...flags];
  const known = secrets ?? { BATON_SECRET: "?".repeat(32), ORIGIN_SECRET: "?".repeat(32), TURNSTILE_SECRET: "?" };
  const lengths = Object.fromEntries(Object.entries(known).map(([name, value]) => [name, Buffer.byteLength(value)]));
  const input = JSON.stringify({ ROOMS, ORIGIN, ORIGIN_HOST, ORIGIN_TIMEOUT_S, OPERATORS, TURNSTILE_SITE_KEY, secrets: lengths });
  return spawnSync("cargo", args, { cwd: root, env: toolEnv(), encoding: "utf8", input });
}

// ---- the command line

const WHOLE = "a whole number";
const RATE = "a number of at most three decimals";
const NAME = "a word";
const SWITCH = "a switch";
const WORD_OR_NO = "a word, or --no- before its name";
const LIST = "a list";

/** What kind of value each setting of a room takes on the command line. What the values may be, the schema knows. */
const ROOM_SETTINGS = {
  paths: LIST, hosts: LIST, cookie_domain: NAME, bypass_paths: LIST, app_origins: LIST, permits: WHOLE, crowd: WHOLE, mode: NAME, walk_in: SWITCH, tick_ms: WHOLE,
  claim_within_s: WHOLE, linger_s: WHOLE, grace_s: WHOLE, carry_within_s: WHOLE, lease_idle_s: WHOLE, lease_max_s: WHOLE, lease_extend_max_s: WHOLE,
  pass_ttl_s: WHOLE, strict: WORD_OR_NO, admissions_per_s: RATE, waiting_status: WHOLE, location: NAME, generation: WHOLE, jurisdiction: NAME, journal_keep_days: WHOLE, tickets_per_ip_max: WHOLE, walk_ins_per_ip_max: WHOLE, joins_per_ip_per_minute: WHOLE,
  joins_per_visitor_per_minute: WHOLE, ipv4_share: WHOLE, turnstile: SWITCH, origin_errors_max_percent: WHOLE, origin_errors_window_s: WHOLE, stock_line: SWITCH, fail: NAME, fail_open_s: WHOLE, fail_open_per_s: RATE,
  page_title: NAME, page_logo: NAME, page_message: NAME, page_help_url: NAME,
};
const OWN_FLAGS = { port: WHOLE, origin: NAME, data: NAME };

const kebab = (name) => name.replaceAll("_", "-");

/**
 * Reads `--permits 3 --no-walk-in --paths '/a/*' --paths '/b/*' --port=8787 …`.
 * Resolves to `{ own: { port, origin, data }, room: { permits, … } }` with what was given; an error names a wrong flag.
 */
export function parseFlags(args) {
  const kinds = new Map(Object.entries({ ...OWN_FLAGS, ...ROOM_SETTINGS }).map(([name, kind]) => [kebab(name), { name, kind }]));
  const found = { own: {}, room: {} };
  const rest = [...args];
  while (rest.length > 0) {
    const [, flag, inline] = rest.shift().match(/^--([^=]+)(?:=(.*))?$/s) ?? [];
    const { name, kind, value } = readFlag(kinds, { flag, inline, rest });
    const into = name in OWN_FLAGS ? found.own : found.room;
    into[name] = kind === LIST ? [...(into[name] ?? []), value] : value;
  }
  return found;
}

function readFlag(kinds, { flag, inline, rest }) {
  if (flag === undefined) throw new UserError("Every option is a flag such as --permits 3.");
  const off = flag.startsWith("no-") ? kinds.get(flag.slice(3)) : undefined;
  if ([SWITCH, WORD_OR_NO].includes(off?.kind) && inline === undefined) return { ...off, value: false };
  const known = kinds.get(flag);
  if (!known) throw new UserError(`Unknown flag --${flag}. Did you mean --${nearest(flag, [...kinds.keys()])}?`);
  if (known.kind === SWITCH) {
    if (inline !== undefined && !["true", "false"].includes(inline)) throw new UserError(`--${flag} is ${SWITCH}: --${flag} or --no-${flag}.`);
    return { ...known, value: inline !== "false" };
  }
  const text = inline ?? rest.shift();
  if (text === undefined || (inline === undefined && text.startsWith("--"))) throw new UserError(`--${flag} needs ${known.kind}.`);
  if (known.kind === WHOLE && !/^\d+$/.test(text)) throw new UserError(`--${flag} needs ${WHOLE}, not "${text}".`);
  if (known.kind === RATE && !/^\d+(\.\d{1,3})?$/.test(text)) throw new UserError(`--${flag} needs ${RATE}, not "${text}".`);
  return { ...known, value: [WHOLE, RATE].includes(known.kind) ? Number(text) : text };
}

function nearest(word, words) {
  return words.map((each) => [editDistance(word, each), each]).sort(([a], [b]) => a - b)[0][1];
}

function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
