// What the other scripts share: where things are, how to run a program, how to hash inputs.
// It must run under plain Node 20 with no package installed.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const inRoot = (...parts) => path.join(root, ...parts);

/** A mistake of the user's, such as a wrong setting or a missing program. Its message is shown as it is. */
export class UserError extends Error {}

/** A command that was called wrongly: a wrong flag, a wrong word, too many of them. */
export class UsageError extends UserError {}

/**
 * Ends the process with a sentence: exit code 2 for wrong use, 1 for everything else. Nobody who runs a command sees a stack unless
 * they ask for it with BATON_TRACE.
 * @returns {never}
 */
export function fail(error) {
  const isUsage = error instanceof UsageError || error?.code?.startsWith?.("ERR_PARSE_ARGS");
  const isOurs = !isUsage && !(error instanceof UserError);
  // Node's own sentence about a flag goes on about positional arguments.
  const message = isUsage ? error.message.split(". To specify")[0] : (error?.message ?? String(error));
  console.error(`\n${message}`);
  if (process.env.BATON_TRACE === "1") console.error(error?.stack);
  else if (isOurs) console.error("Nobody foresaw this. BATON_TRACE=1 before the command shows where it was.");
  process.exit(isUsage ? 2 : 1);
}

/** Returns the path of a program that npm installed into the project. */
export const npmProgram = (name) => inRoot("node_modules", ".bin", name);

/** Returns the first file by which `name` can be run, or undefined. */
export function findProgram(name, extraFolders = []) {
  const folders = [...extraFolders, ...(process.env.PATH ?? "").split(path.delimiter)];
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

export const cargoBin = path.join(process.env.CARGO_HOME ?? path.join(os.homedir(), ".cargo"), "bin");
/** The folder where set-up puts a tool if ~/.cargo/bin already has another version of it. */
export const toolsBin = inRoot(".baton", "tools", "bin");

/** Returns the environment of builds and tests: our tools are found before any others. */
export function toolEnv(extra = {}) {
  const PATH = [inRoot("node_modules", ".bin"), toolsBin, process.env.PATH, cargoBin].join(path.delimiter);
  return { ...process.env, PATH, ...extra };
}

/** Returns what a program prints, or undefined if it fails. @param {import("node:child_process").SpawnSyncOptions} [options] */
export function output(command, args = [], options = {}) {
  const done = spawnSync(command, args, { ...options, encoding: "utf8" });
  return done.status === 0 ? done.stdout.trim() : undefined;
}

/** @typedef {import("node:child_process").SpawnOptions & { capture?: boolean, quiet?: boolean }} RunOptions */

/**
 * Runs a program to its end and shows what it prints as it comes; `capture` keeps that too, `quiet` shows none of it. Resolves to
 * `{ code, signal, text, out }`: `signal` is what killed it, `text` all that it printed, `out` what it printed on standard output.
 * @param {string} command
 * @param {readonly string[]} [args]
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, signal: NodeJS.Signals | null, text: string, out: string }>}
 */
export function run(command, args = [], { capture = false, quiet = false, ...options } = {}) {
  /** @type {import("node:child_process").StdioOptions} */
  const stdio = capture || quiet ? ["ignore", "pipe", "pipe"] : "inherit";
  const child = spawn(command, args, { cwd: root, env: toolEnv(), stdio, ...options });
  let [text, out] = ["", ""];
  for (const [from, to] of /** @type {const} */ ([
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])) {
    from?.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (from === child.stdout) out += chunk;
      if (!quiet) to.write(chunk);
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), signal, text, out }));
  });
}

/**
 * Does the same as `run`, but throws if the program fails, with a message that says how to repeat the step.
 * @param {string} command
 * @param {readonly string[]} [args]
 * @param {RunOptions} [options]
 */
export async function must(command, args = [], options = {}) {
  const done = await run(command, args, options);
  if (done.code !== 0) {
    const shown = options.quiet ? `\n${done.text.trimEnd()}` : "";
    throw new UserError(`This failed (exit code ${done.code}): ${[command, ...args].join(" ")}${shown}`);
  }
  return done;
}

/** Writes a file whole or not at all: `write(next)` writes another beside it, which then takes its name. A process that runs from the old one keeps it. */
export function place(file, write) {
  mkdirSync(path.dirname(file), { recursive: true });
  const next = `${file}.next`;
  try {
    write(next);
    const written = openSync(next, "r");
    fsyncSync(written);
    closeSync(written);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Returns every file under the given files and folders, sorted, without dotfiles. */
export function filesUnder(...names) {
  return names.flatMap((name) => {
    if (!existsSync(name)) return [];
    if (!statSync(name).isDirectory()) return [name];
    const inside = readdirSync(name)
      .filter((entry) => !entry.startsWith("."))
      .sort();
    return filesUnder(...inside.map((entry) => path.join(name, entry)));
  });
}

/** Returns one hash over the names and contents of files, and over any further facts. */
export function hashOf(files, facts = []) {
  const hash = createHash("sha256");
  for (const file of files) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.update(JSON.stringify(facts)).digest("hex");
}

/** Returns the version of a crate that Cargo.lock fixes. */
export function lockedCrate(name) {
  const lock = readFileSync(inRoot("Cargo.lock"), "utf8");
  const found = lock.match(new RegExp(`name = "${name}"\\nversion = "([^"]+)"`));
  if (!found) throw new UserError(`Cargo.lock names no crate "${name}"`);
  return found[1];
}

export const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
