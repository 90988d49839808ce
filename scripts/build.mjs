// Builds what is deployed: the worker (Rust -> wasm, by worker-build) into build/ and the static assets into
// build/assets/. Skips what is up to date. wrangler's `[build]` command calls this too.
//
//   node scripts/build.mjs [--force] [--faults] [--quick]
//
// --faults builds a second worker into build-faults/ with the cargo feature `fault-injection`, for tests only.
// --quick compiles without optimising, for trying a change out: many times the size and never to be measured or deployed.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { fail, filesUnder, hashOf, inRoot, lockedCrate, must, npmProgram, seconds, toolEnv } from "./common.mjs";
import { prepare, toolPath } from "./setup.mjs";

/** What is deployed is optimised for size, native tools for speed: both are cargo's release profile. */
export const SMALL = { CARGO_PROFILE_RELEASE_OPT_LEVEL: "s" };

/**
 * What wasm-opt does, in one run of our own. In the order of their names the copies of one generic function lie side by
 * side, where gzip finds what they share: 4 % of what is sent. Inlining would pull them apart again.
 */
const SQUEEZE = ["-Os", "--skip-pass=inlining-optimizing", "--reorder-functions-by-name"];

export const assetsDir = inRoot("build", "assets");
/** What the operator's desk loads as WebAssembly, by name: where it is built to, its crate, and what that is made of. */
const BROWSER = {
  advice: { crate: "baton-advice", sources: [inRoot("src", "facts"), inRoot("src", "room"), inRoot("web", "advice")] },
  report: { crate: "baton-report", sources: [inRoot("src", "facts"), inRoot("tools", "Cargo.toml"), inRoot("tools", "src", "audit"), inRoot("tools", "src", "report"), inRoot("web", "report", "Cargo.toml"), inRoot("web", "report", "src")] },
};
const browserDir = (name) => inRoot(".baton", name);
const assetsScript = inRoot("scripts", "assets.mjs");
/** What entry.js takes for rooms, operators and grounds where the environment has none. */
const settingsFile = inRoot("build", "settings.js");

/** Puts rooms, operators and grounds beside the code: `npm run deploy` does, since a variable takes 5 KB and no more. */
export function placeSettings(settings) {
  mkdirSync(inRoot("build"), { recursive: true });
  writeFileSync(settingsFile, settingsModule(settings));
}

export const settingsModule = (settings) => `export default ${JSON.stringify(settings)};\n`;

const stampFile = (name) => inRoot(".baton", `built-${name}`);

/** Where the worker lies after `build({ faults })`. */
export const workerDir = ({ faults = false } = {}) => inRoot(faults ? "build-faults" : "build");

/** Builds worker and assets, as far as their inputs changed. Resolves to what `runtime.mjs` wants to know. */
export async function build({ force = false, faults = false, quick = false } = {}) {
  await buildWorker({ force, faults, quick });
  for (const name of Object.keys(BROWSER)) await buildBrowser(name, { force });
  await buildStatic({ force });
  if (!existsSync(settingsFile)) placeSettings({});
  return { workerDir: workerDir({ faults }), assetsDir };
}

async function buildWorker({ force, faults, quick }) {
  const dir = workerDir({ faults });
  const wasm = `${dir}/index_bg.wasm`;
  const inputs = [...filesUnder(inRoot("Cargo.toml"), inRoot("Cargo.lock"), inRoot("src"), inRoot("worker")), inRoot("scripts", "build.mjs")];
  const stamp = stampFile(faults ? "worker-faults" : "worker");
  const wanted = hashOf(inputs, [lockedCrate("worker"), process.env.RUSTFLAGS ?? "", quick]);
  if (!force && existsSync(wasm) && isStamped(stamp, wanted)) return;
  const started = performance.now();
  console.log(`build: worker${faults ? " with fault injection" : ""}`);
  const features = faults ? ["--features", "fault-injection"] : [];
  const args = [...(quick ? ["--profile", "quick"] : ["--release"]), "--out-dir", dir, ...features];
  await compile({ cwd: inRoot("worker"), args, wasm, quick });
  writeStamp(stamp, wanted);
  const bytes = readFileSync(wasm);
  console.log(`build: wasm ${kib(bytes.length)}, gzipped ${kib(gzipSync(bytes).length)} (${seconds(started)})`);
}

/**
 * Compiles a worker as it is deployed: the crate in `cwd`, to the module `wasm`. The benchmarks' ceilings come from here
 * too. Names of functions are for debuggers, and a fifth of the file; worker-build always keeps them.
 */
export async function compile({ cwd, args = ["--release"], wasm, quick = false }) {
  const env = toolEnv({ CARGO_TARGET_DIR: inRoot("target"), ...process.env, ...helpers(), ...SMALL });
  await must(toolPath("worker-build"), ["--no-opt", ...args], { cwd, env });
  await must(npmProgram("wasm-opt"), ["--all-features", ...(quick ? [] : SQUEEZE), "--strip-debug", "--strip-producers", wasm, "-o", wasm], { quiet: true });
}

/** worker-build asks these variables, never PATH; without them it downloads its own copies. */
function helpers() {
  const programs = { WASM_BINDGEN_BIN: toolPath("wasm-bindgen"), ESBUILD_BIN: npmProgram("esbuild") };
  return Object.fromEntries(Object.entries(programs).filter(([, file]) => existsSync(file)));
}

/** One of the desk's crates as WebAssembly, fast before small, with the features that rustc used and no newer one: browsers are older. */
async function buildBrowser(name, { force }) {
  const { crate, sources } = BROWSER[name];
  const wasm = `${browserDir(name)}/${name}_bg.wasm`;
  const inputs = [...filesUnder(inRoot("Cargo.lock"), ...sources), inRoot("scripts", "build.mjs")];
  const wanted = hashOf(inputs, [process.env.RUSTFLAGS ?? ""]);
  if (!force && existsSync(wasm) && isStamped(stampFile(name), wanted)) return;
  const started = performance.now();
  console.log(`build: ${name}`);
  const target = process.env.CARGO_TARGET_DIR ?? inRoot("target");
  await must("cargo", ["build", "--release", "--package", crate, "--target", "wasm32-unknown-unknown"], { cwd: inRoot(), env: toolEnv({ CARGO_TARGET_DIR: target, ...process.env }) });
  const compiled = `${target}/wasm32-unknown-unknown/release/${crate.replace("-", "_")}.wasm`;
  await must(toolPath("wasm-bindgen"), ["--target", "web", "--no-typescript", "--out-dir", browserDir(name), "--out-name", name, compiled]);
  await must(npmProgram("wasm-opt"), ["-O3", "--strip-debug", "--strip-producers", wasm, "-o", wasm], { quiet: true });
  writeStamp(stampFile(name), wanted);
  const bytes = readFileSync(wasm);
  console.log(`build: ${name} ${kib(bytes.length)}, gzipped ${kib(gzipSync(bytes).length)} (${seconds(started)})`);
}

async function buildStatic({ force }) {
  mkdirSync(assetsDir, { recursive: true });
  if (!existsSync(assetsScript)) return;
  const wanted = hashOf(filesUnder(inRoot("web"), ...Object.keys(BROWSER).map(browserDir), assetsScript));
  if (!force && existsSync(`${assetsDir}/__baton/static`) && isStamped(stampFile("assets"), wanted)) return;
  console.log("build: assets");
  rmSync(assetsDir, { recursive: true, force: true });
  mkdirSync(assetsDir, { recursive: true });
  const { buildAssets } = await import(pathToFileURL(assetsScript));
  await buildAssets(assetsDir);
  writeStamp(stampFile("assets"), wanted);
}

const isStamped = (file, wanted) => existsSync(file) && readFileSync(file, "utf8") === wanted;
const kib = (bytes) => `${(bytes / 1024).toFixed(0)} KiB`;

function writeStamp(file, wanted) {
  mkdirSync(inRoot(".baton"), { recursive: true });
  writeFileSync(file, wanted);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await prepare();
  const asked = (flag) => process.argv.includes(`--${flag}`);
  await build({ force: asked("force"), faults: asked("faults"), quick: asked("quick") }).catch(fail);
}
