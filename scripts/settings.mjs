// Reads wrangler.toml, the one home of the configuration, and has it checked.
// Needs npm packages: import it after set-up.

import { existsSync, readFileSync } from "node:fs";
import { checker } from "./build.mjs";
import { inRoot, UserError } from "./common.mjs";
import { nearest } from "./nearest.mjs";
import { pastText } from "./past.mjs";
import { suffixText } from "./suffixes.mjs";
import { readToml } from "./toml.mjs";

export const SECRETS = [
  "BATON_SECRET",
  "BATON_SECRET_PREVIOUS",
  "BATON_SECRET_NEXT",
  "ORIGIN_SECRET",
  "BATON_ADMIN_TOKEN",
  "TURNSTILE_SECRET",
  "ENTRY_KEYS",
  "BYPASS_SECRET",
  "OIDC_CLIENT_SECRET",
];

/** Secrets of webhooks: one for all, or one for each by its name. */
const WEBHOOK_SECRET = /^WEBHOOK_SECRET(_[A-Z0-9_]+)?$/;

/** Returns the names that the secrets of these webhooks may have. */
export const webhookSecrets = ({ WEBHOOKS = [] }) =>
  WEBHOOKS.length === 0 ? [] : ["WEBHOOK_SECRET", ...WEBHOOKS.map(({ name }) => `WEBHOOK_SECRET_${String(name).toUpperCase().replaceAll("-", "_")}`)];

/** The variables that are Baton's; an operator's wrangler.toml may have others. */
const VARS = [
  "ACCESS",
  "CLEAR_SITE_DATA",
  "CLOUDFLARE",
  "FRONT_HEADERS",
  "GROUNDS",
  "OIDC",
  "OPERATORS",
  "ORIGIN",
  "ORIGIN_HOST",
  "ORIGIN_TIMEOUT_S",
  "PASS_HEADERS",
  "ROOMS",
  "TURNSTILE_SITE_KEY",
  "WEBHOOKS",
];

/** Returns the names of secrets that stand among these variables, where whoever reads the file reads them. */
const plainSecrets = (vars) => Object.keys(vars).filter((name) => SECRETS.includes(name) || name.startsWith("BATON_") || WEBHOOK_SECRET.test(name));

/** Returns a line for each variable that is none of Baton's but is called nearly so. */
export function mistyped(vars) {
  const others = Object.keys(vars).filter((name) => !VARS.includes(name) && !plainSecrets({ [name]: "" }).length);
  const meant = others.map((name) => [name, nearest(name, VARS, name.length > 4 ? 2 : 1)]).filter(([, known]) => known);
  return meant.map(([name, known]) => `warning: ${name}: is no variable of Baton's, which does not read it. Did you mean ${known}?\n`).join("");
}

/** Returns what is doubtful in these variables and may still be meant: names that are nearly Baton's, dates that have passed, and cookie domains that browsers refuse. */
export const doubts = (vars) => mistyped(vars) + pastText(vars.ROOMS) + suffixText(vars.ROOMS);

/** Returns those of these variables that are Baton's. */
export const ours = (vars) => Object.fromEntries(VARS.filter((name) => vars[name] !== undefined).map((name) => [name, vars[name]]));

/**
 * The variables of wrangler.toml, as far as scripts read them. Only the schema (`checkConfig`) knows whether they are right.
 * @typedef {{ paths?: string[], permits?: number, [setting: string]: unknown }} Room
 * @typedef {{ ROOMS?: Record<string, Room>, GROUNDS?: { hosts?: string[], paths?: string[], location?: string },
 *   OPERATORS?: { role: string, rooms?: string[] }[], WEBHOOKS?: { name: string }[], [name: string]: unknown }} Vars
 */

/**
 * wrangler.toml, as far as scripts read it.
 * @typedef {object} Environment
 * @property {Vars} [vars]
 * @property {{ bindings: { name: string, class_name: string }[], code_update_strategy?: { mode: string } }} [durable_objects]
 * @typedef {Environment & { name: string, main: string, compatibility_date: string, compatibility_flags?: string[],
 *   workers_dev?: boolean, preview_urls?: boolean, assets?: { directory: string, html_handling?: string },
 *   observability?: { enabled?: boolean, head_sampling_rate?: number, logs?: { head_sampling_rate?: number } },
 *   env?: Record<string, Environment>, [key: string]: unknown }} Wrangler
 */

/** Returns wrangler.toml as an object. */
export function wranglerConfig() {
  return /** @type {Wrangler} */ (readToml(inRoot("wrangler.toml"), "wrangler.toml"));
}

/** Returns the classes of objects and the bindings under which the worker finds them. */
export function objectBindings(config = wranglerConfig()) {
  return config.durable_objects.bindings.map(({ name, class_name }) => ({ binding: name, className: class_name }));
}

/** Returns the local secrets from `.dev.vars` (wrangler's own file: NAME=value lines) and the environment, which wins. */
export function localSecrets() {
  const file = inRoot(".dev.vars");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const found = lines
    .map((line) => line.match(/^\s*([A-Z_]+)\s*=\s*"?(.*?)"?\s*$/))
    .filter(Boolean)
    .map(([, name, value]) => [name, value]);
  const all = { ...Object.fromEntries(found), ...process.env };
  const isSecret = (name) => SECRETS.includes(name) || WEBHOOK_SECRET.test(name);
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => isSecret(name) && value));
}

/**
 * Asks the worker's own schema about a configuration, and warns of what is doubtful. Throws an error that lists everything that is wrong. `vars.secrets` is name -> value; their
 * lengths are passed on, and the entry keys whole. If it is left out, the secrets are at Cloudflare, where we cannot look, and are taken to be right.
 */
export async function checkConfig(vars) {
  const asked = await askConfig(vars);
  if (asked.status !== 0) throw new UserError(`The configuration is wrong:\n${(asked.stdout + asked.stderr).trimEnd()}`);
  process.stderr.write(doubts(vars));
}

/**
 * Does the same with a question about a request, `{ method, path, host }`. Resolves to `{ status, stdout, stderr }`.
 * @param {Vars & { secrets?: Record<string, string> }} vars
 * @param {{ method: string, path: string, host?: string }} [question]
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>}
 */
export async function askConfig({ secrets, ...vars }, question) {
  const { check } = await checker();
  const known = secrets ?? { BATON_SECRET: "?".repeat(32), ORIGIN_SECRET: "?".repeat(32), TURNSTILE_SECRET: "?", ENTRY_KEYS: "?" };
  const judged = Object.entries(known).filter(([name]) => !WEBHOOK_SECRET.test(name));
  const lengths = Object.fromEntries(judged.map(([name, value]) => [name, Buffer.byteLength(value)]));
  const bindings = objectBindings().map(({ binding }) => binding);
  // The schema refuses a secret that stands here by its name; its value stays here.
  const plain = Object.fromEntries(plainSecrets(vars).map((name) => [name, ""]));
  const entryKeys = secrets?.ENTRY_KEYS || undefined;
  return check({ configuration: { ...ours(vars), ...plain, secrets: lengths, entry_keys: entryKeys, bindings }, question });
}
