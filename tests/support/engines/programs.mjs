// Where the engines' programs are, and how a program of theirs is started and ended. It needs Node alone: the engines are installed before
// what is in package.json.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { findProgram } from "../../../scripts/common.mjs";
import { findChromium } from "../../../scripts/setup.mjs";

const STARTS_WITHIN_MS = 90_000;
/** WebKitGTK's small browser, where Debian and others put it. */
const MINI_BROWSERS = [
  "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
  "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
  "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
  "/usr/lib/webkit2gtk-4.1/MiniBrowser",
];

export const chromiumPath = () => findChromium();
export const firefoxPath = () => process.env.FIREFOX ?? findProgram("firefox-esr") ?? findProgram("firefox");

/** All three or undefined: the driver, the browser, the display without a screen. */
export function webkitPaths() {
  const [driver, display] = ["WebKitWebDriver", "Xvfb"].map((name) => findProgram(name));
  const browser = MINI_BROWSERS.find(existsSync);
  return driver && display && browser ? { driver, display, browser } : undefined;
}

const FOUND = { chromium: chromiumPath, firefox: firefoxPath, webkit: webkitPaths };

export const ENGINES = Object.keys(FOUND);

/**
 * Why an engine is left out here, or false. CI leaves out none: there a missing engine fails the test that wants it. `BATON_ENGINES` names the
 * engines to try, for work on one of them.
 */
export function missing(name) {
  const only = process.env.BATON_ENGINES?.split(",");
  if (only && !only.includes(name)) return "BATON_ENGINES names others";
  if (process.env.CI || process.env.BATON_ALL_ENGINES || FOUND[name]()) return false;
  return `no ${name} here: node tests/engines/install.mjs installs Debian's`;
}

export function temporaryFolder(name) {
  const folder = mkdtempSync(path.join(os.tmpdir(), `baton-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}

/**
 * Starts a program with all that it starts in a group of its own: `{ said, stop() }`. It is ready when what it writes to `fd` matches `pattern`
 * (then `said` is the match), or else when `ready()` resolves.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ pattern?: RegExp, fd?: number, ready?: () => Promise<void>, env?: Record<string, string> }} how
 */
export async function startProgram(file, args, { pattern, fd = 2, ready, env }) {
  /** @type {import("node:child_process").StdioOptions & string[]} */
  const stdio = ["ignore", "ignore", "ignore", "ignore"];
  stdio[fd] = "pipe";
  const child = spawn(file, args, { stdio, detached: true, env: { ...process.env, ...env } });
  const ended = once(child, "exit");
  const stop = async () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await ended;
  };
  let heard = "";
  const match = new Promise((resolve, reject) => {
    ready?.().then(resolve, reject);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${file} ended with ${code} before it was ready: ${heard.slice(-500)}`)));
    setTimeout(() => reject(new Error(`${file} was not ready within ${STARTS_WITHIN_MS / 1_000} s: ${heard.slice(-500)}`)), STARTS_WITHIN_MS).unref();
    child.stdio[fd]?.on("data", (data) => {
      heard = (heard + data).slice(-10_000);
      const found = heard.match(pattern);
      if (found) resolve(found);
    });
  });
  try {
    return { said: await match, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}
