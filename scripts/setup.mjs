// Prepares a machine that has only Rust (rustup) and Node >= 20 with npm: packages, wasm target, the tests' tools.
// Safe to repeat, and quick when nothing is missing. Runs under plain Node 20 with no package installed.
//
// `npm run setup` sets up everything, the tests' tools included. The other entry scripts begin with
// `await prepare(...)`, which returns only in a Node that is new enough for the rest of them.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { cargoBin, fail, findProgram, hashOf, inRoot, lockedCrate, must, npmProgram, output, run, toolsBin, UserError } from "./common.mjs";

const NODE_MAJOR_MIN = 22;
const WASM_TARGET = "wasm32-unknown-unknown";
const DOWNLOAD_TIMEOUT_MS = 15_000;
const say = (text) => console.log(`set-up: ${text}`);

/**
 * Returns the tools that only the tests need; the build has its own program (tools/pack/). A version that must agree with
 * a crate comes from Cargo.lock.
 */
function testTools() {
  const bindgen = lockedCrate("wasm-bindgen");
  return [
    // `--locked` does not build this one: its published lock file is broken.
    { name: "wasm-bindgen-test-runner", crate: "wasm-bindgen-cli", version: bindgen, minutes: 8, locked: false, release: bindgenRelease(bindgen) },
    { name: "wasm-pack", crate: "wasm-pack", version: "0.15.1", minutes: 3, locked: true },
  ];
}

/** wasm-bindgen publishes its programs with a checksum file beside each; the others publish none and are compiled. */
function bindgenRelease(version) {
  const platform = {
    "linux x64": "x86_64-unknown-linux-musl",
    "linux arm64": "aarch64-unknown-linux-musl",
    "darwin arm64": "aarch64-apple-darwin",
    "darwin x64": "x86_64-apple-darwin",
  }[`${process.platform} ${process.arch}`];
  if (!platform) return undefined;
  const name = `wasm-bindgen-${version}-${platform}`;
  return {
    url: `https://github.com/wasm-bindgen/wasm-bindgen/releases/download/${version}/${name}.tar.gz`,
    folder: name,
    programs: ["wasm-bindgen", "wasm-bindgen-test-runner"],
  };
}

/**
 * Installs what is missing. `forPages` adds the browser that the page's tests need, `forWasm` what runs the cores' tests as wasm. `meanwhile()` is
 * what the caller does with Rust while npm installs its packages.
 */
export async function setup({ forPages = false, forWasm = false, meanwhile = () => {} } = {}) {
  requireRust();
  await Promise.all([npmPackages(), wasmTarget().then(meanwhile)]);
  for (const tool of forWasm ? testTools() : []) await cargoTool(tool);
  if (forPages) await chromium();
}

/**
 * Sets up, then returns only in a Node that can run the rest: an older one runs the same command again with the project's own Node, and
 * ends with the exit code of that.
 */
export async function prepare(options = {}) {
  try {
    if (process.env.BATON_PREPARED !== "1") await setup(options);
  } catch (error) {
    fail(error);
  }
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR_MIN) return;
  const child = spawn(npmProgram("node"), ["--disable-warning=ExperimentalWarning", ...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, BATON_PREPARED: "1" },
  });
  // Ctrl-C reaches the child by itself. The child decides when to end; this process only waits for it.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const code = await new Promise((resolve) => child.on("exit", (status, signal) => resolve(status ?? (signal ? 1 : 0))));
  process.exit(code);
}

function requireRust() {
  const missing = ["rustup", "cargo"].filter((name) => !findProgram(name, [cargoBin]));
  if (missing.length > 0)
    throw new UserError(`${missing.join(" and ")} not found. Install Rust with rustup (https://rustup.rs), then run this again.`);
}

/** Runs `npm ci` if node_modules is missing, broken or made from another lock file. */
async function npmPackages() {
  const stamp = inRoot("node_modules", ".baton-lock");
  const wanted = hashOf([inRoot("package-lock.json")], [process.platform, process.arch]);
  const programs = ["node", "workerd", "esbuild"].map(npmProgram);
  const usable = () => programs.every((program) => output(program, ["--version"]) !== undefined);
  // A second worktree borrows the first one's packages; `npm ci` would delete them while they are in use.
  if (lstatSync(inRoot("node_modules"), { throwIfNoEntry: false })?.isSymbolicLink() && usable()) return;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && programs.every((program) => existsSync(program))) return;
  say("npm packages (npm ci)");
  // The lock file names other platforms' packages too; a mirror that lacks those makes `npm ci` refuse.
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  if ((await run("npm", ["ci", ...flags])).code !== 0) await must("npm", ["install", "--no-save", ...flags]);
  if (!usable()) {
    // Some npm configurations skip install scripts whatever package.json allows; these three need theirs.
    say("running the install scripts of node, workerd and esbuild");
    await must("npm", ["rebuild", "node", "workerd", "esbuild", "--ignore-scripts=false"]);
  }
  if (!usable())
    throw new UserError(
      "node_modules/.bin/node, workerd or esbuild do not run. Cure: allow their install scripts (npm config set ignore-scripts false), delete node_modules, run this again.",
    );
  writeFileSync(stamp, wanted);
}

async function wasmTarget() {
  // A Rust without rustup's targets (a distribution's) answers nothing here; then rustup is asked to add it.
  const installed = output("rustup", ["target", "list", "--installed"], { env: withCargo() }) ?? "";
  if (installed.split("\n").includes(WASM_TARGET)) return;
  say(`Rust target ${WASM_TARGET}`);
  await must("rustup", ["target", "add", WASM_TARGET], { env: withCargo() });
}

const withCargo = () => ({ ...process.env, PATH: `${process.env.PATH}${path.delimiter}${cargoBin}` });
const versionOf = (file) => output(file, ["--version"])?.match(/\d+\.\d+\.\d+\S*/)?.[0];

/** Returns the full path of a tool in exactly this version, or undefined. */
function findTool({ name, version }) {
  return [toolsBin, cargoBin, ...(process.env.PATH ?? "").split(path.delimiter)]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file) && versionOf(file) === version);
}

/** Returns where the tests find a tool. Throws if it is not installed. */
export function toolPath(name) {
  const tool = testTools().find((each) => each.name === name);
  const found = findTool(tool);
  if (!found) throw new UserError(`${name} ${tool.version} is not installed. Run: npm run setup`);
  return found;
}

async function cargoTool(tool) {
  if (findTool(tool)) return;
  // Another version in ~/.cargo/bin belongs to somebody: leave it, and put ours into the project.
  const into = existsSync(path.join(cargoBin, tool.name)) ? toolsBin : cargoBin;
  mkdirSync(into, { recursive: true });
  if (tool.release && (await downloaded(tool, into))) return;
  say(`${tool.name} ${tool.version} (cargo install, about ${tool.minutes} minutes on two cores)`);
  const locked = tool.locked ? ["--locked"] : [];
  await must("cargo", ["install", tool.crate, "--version", tool.version, "--force", "--root", path.dirname(into), ...locked], { env: withCargo() });
  if (!findTool(tool))
    throw new UserError(
      `${tool.name} ${tool.version} was installed into ${into} but does not run. Cure: delete it there and run npm run setup again`,
    );
}

/** Tries the tool's published programs, checked against the checksum beside them. Resolves to whether one runs here. */
async function downloaded({ name, version, release }, into) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-tool-"));
  try {
    const [archive, checksum] = await Promise.all([release.url, `${release.url}.sha256sum`].map(fetchBytes));
    const wanted = checksum.toString("utf8").match(/[0-9a-f]{64}/)?.[0];
    if (createHash("sha256").update(archive).digest("hex") !== wanted) throw new Error("its checksum is wrong");
    writeFileSync(path.join(folder, "archive.tar.gz"), archive);
    await must("tar", ["xzf", "archive.tar.gz"], { cwd: folder, quiet: true });
    for (const program of release.programs) {
      copyFileSync(path.join(folder, release.folder, program), path.join(into, program));
      chmodSync(path.join(into, program), 0o755);
    }
    if (versionOf(path.join(into, name)) !== version) throw new Error("it does not run here");
    say(`${name} ${version} (ready program, checksum verified)`);
    return true;
  } catch (error) {
    say(`no ready ${name} (${error.cause?.code ?? error.message}), compiling it instead`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fetchBytes(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/** Returns the browser for the page's tests: `CHROMIUM`, one on PATH, or undefined. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const found = names.map((name) => findProgram(name)).find(Boolean);
  return found ?? playwrightChromium();
}

function playwrightChromium() {
  const stamp = inRoot(".baton", "chromium-path");
  const file = existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
  return file && existsSync(file) ? file : undefined;
}

async function chromium() {
  if (findChromium()) return;
  say("Chromium for the page's tests");
  const isRoot = process.getuid?.() === 0;
  if (isRoot && findProgram("apt-get")) {
    await run("apt-get", ["update", "-qq"]);
    await run("apt-get", ["install", "-y", "-qq", "chromium"]);
    if (findChromium()) return;
  }
  await run(npmProgram("node"), [inRoot("node_modules", "playwright-core", "cli.js"), "install", "chromium"]);
  const asked = output(npmProgram("node"), ["-p", "require('playwright-core').chromium.executablePath()"], { cwd: inRoot() });
  if (asked && existsSync(asked)) {
    mkdirSync(inRoot(".baton"), { recursive: true });
    writeFileSync(inRoot(".baton", "chromium-path"), asked);
    return;
  }
  throw new UserError("No Chromium for the page's tests. Cure: install Chromium or Chrome, or set CHROMIUM=/path/to/it.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  setup({ forPages: true, forWasm: true }).then(() => say("everything is there"), fail);
}
