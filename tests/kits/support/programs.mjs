// What the kits' tests run: interpreters and frameworks, where they are, and how a shop of each is started.
// `node tests/kits/install.mjs` installs what is not the system's. With BATON_ALL_ORIGINS=1, as in
// `.ci/run`, or with CI set nothing may be missing.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { findProgram, inRoot, npmProgram } from "../../../scripts/common.mjs";
import { eventually } from "../../runtime/support/world.mjs";

/** The host under which the tests' visitors reach Baton. */
export const HOST = "tickets.example.com";
export const shopFile = (...parts) => inRoot("tests", "kits", "shops", ...parts);

const SBIN = ["/usr/sbin", "/usr/local/sbin"];
const ifThere = (file) => (file && existsSync(file) ? file : undefined);
/** Whether Ruby has a gem; starting it costs less than a failing test. */
function gemThere(name) {
  return spawnSync(ruby, ["-e", `gem ${JSON.stringify(name)}`]).status === 0;
}
function extensionsThere(names) {
  const there = spawnSync(php, ["-m"]).stdout.toString().split("\n");
  return names.every((name) => there.includes(name));
}
const inVenv = (name) => ifThere(inRoot(".baton", "kits", "bin", name));

export const node = npmProgram("node");
export const python = inVenv("python");
export const gunicorn = inVenv("gunicorn");
export const uvicorn = inVenv("uvicorn");
export const ruby = findProgram("ruby");
export const puma = findProgram("puma");
export const rails = ruby && gemThere("rails");
export const minitest = ruby && gemThere("minitest");
export const sqlite3 = ruby && gemThere("sqlite3");
/** What the kit is tried with on servers: Debian's ruby-pg, ruby-mysql2, ruby-redis. */
export const rubyDrivers = ruby && ["pg", "mysql2", "redis"].every(gemThere);
export const php = findProgram("php");
/** Likewise php-pgsql, php-mysql, php-redis. */
export const phpDrivers = php && extensionsThere(["pdo_pgsql", "pdo_mysql", "redis", "pcntl"]);
export const express = ifThere(shopFile("node_modules", "express"));
export const nginx = findProgram("nginx", SBIN);
export const fpm = ["php-fpm", "php-fpm8.4", "php-fpm8.3", "php-fpm8.2", "php-fpm8.1"].map((name) => findProgram(name, SBIN)).find(Boolean);
export const composer = findProgram("composer");
export const phpunit = findProgram("phpunit");
export const guzzle = ifThere("/usr/share/php/GuzzleHttp/Psr7/autoload.php");
export const illuminate = ifThere("/usr/share/php/Illuminate/autoload.php");
export const next = ifThere(shopFile("next", "node_modules", "next", "dist", "bin", "next"));

/** For `skip`: false when all is there, else a sentence; an error where nothing may be missing. */
export function lacking(needed) {
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  if (missing.length === 0) return false;
  const said = `${missing.join(", ")} not installed: run node tests/kits/install.mjs, and see .ci/run for the system's packages`;
  if (process.env.BATON_ALL_ORIGINS || process.env.CI) throw new Error(said);
  return said;
}

/** A folder of the test's own, gone when it ends. */
export function folder(t) {
  const made = mkdtempSync(path.join(os.tmpdir(), "baton-kits-"));
  t.after(() => rmSync(made, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  return made;
}

/** A port that nobody listens on. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => resolve(socket.destroy() && true));
    socket.on("error", () => resolve(false));
  });

/** Starts a program that listens on `port`; resolves when it does, `withinMs` at most. `logs()` is all it printed. It ends by `stop()` or with the test. */
export async function serve(t, program, args, { port, env = {}, cwd, uid, gid, withinMs = 30_000 }) {
  const child = spawn(program, args, {
    cwd,
    uid,
    gid,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", PYTHONUNBUFFERED: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    process.removeListener("exit", kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const slow = setTimeout(kill, 5_000);
    await once(child, "exit");
    clearTimeout(slow);
  };
  t.after(stop);
  const ended = () => child.exitCode !== null && Promise.reject(new Error(`${program} ended (${child.exitCode}): ${said.slice(-4_000)}`));
  await eventually(async () => (await answers(port)) || ended(), { timeoutMs: withinMs, what: `${program} ${args.join(" ")} listening` });
  return { port, logs: () => said, stop };
}
