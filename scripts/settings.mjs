// Reads wrangler.toml, the one home of the configuration, and turns what the command line says into it.
// Needs npm packages: import it after set-up.

import { existsSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { inRoot, must, output, run, toolEnv, UserError } from "./common.mjs";

export const SECRETS = ["BATON_SECRET", "BATON_SECRET_PREVIOUS", "ORIGIN_SECRET", "BATON_ADMIN_TOKEN"];

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
 * `secrets`: name -> value; only their lengths are handed over.
 */
export async function checkConfig({ ROOMS, ORIGIN, secrets = {} }) {
  if (!existsSync(inRoot("src", "bin", "check-config.rs"))) return;
  const lengths = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, Buffer.byteLength(value)]));
  const args = ["run", "--quiet", "--bin", "check-config"];
  const built = await run("cargo", ["build", "--quiet", "--bin", "check-config"], { env: toolEnv() });
  if (built.code !== 0) throw new UserError("The configuration could not be checked: cargo build --bin check-config failed.");
  const { spawnSync } = await import("node:child_process");
  const done = spawnSync("cargo", args, { cwd: inRoot(), env: toolEnv(), encoding: "utf8", input: JSON.stringify({ ROOMS, ORIGIN, secrets: lengths }) });
  if (done.status !== 0) throw new UserError(`The configuration is wrong:\n${(done.stdout + done.stderr).trimEnd()}`);
}
