// Builds what is deployed: the worker (Rust -> wasm, and JavaScript around it) into build/ and the static assets into
// build/assets/. Skips what is up to date. wrangler's `[build]` command calls this too.
//
//   npm run build -- [--force] [--faults] [--local | --quick]
//
// --force builds what is up to date too.
// --faults builds a second worker into build-faults/ with the cargo feature `fault-injection`, for tests only.
// --local compiles in half the time, larger: `npm start` does. Whatever is deployed is built without it.
// --quick compiles without optimising, for trying a change out: many times the size and never to be measured or deployed.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { fail, filesUnder, hashOf, inRoot, lockedCrate, must, npmProgram, seconds, toolEnv } from "./common.mjs";
import { prepare } from "./setup.mjs";

/** What is deployed is optimised for size, native tools for speed: both are cargo's release profile. */
export const SMALL = { CARGO_PROFILE_RELEASE_OPT_LEVEL: "s" };

/**
 * What wasm-opt does, in one run of our own. In the order of their names the copies of one generic function lie side by
 * side, where gzip finds what they share: 4 % of what is sent. Inlining would pull them apart again.
 */
const SQUEEZE = ["-Os", "--skip-pass=inlining-optimizing", "--reorder-functions-by-name"];

const WASM_TARGET = "wasm32-unknown-unknown";
export const assetsDir = inRoot("build", "assets");
/** What runs as WebAssembly outside the worker, by name: its crate, and what that is made of. The desk loads the first two; Node the third. */
const BESIDE = {
  advice: { crate: "baton-advice", sources: [inRoot("src", "facts"), inRoot("src", "room"), inRoot("web", "advice")] },
  report: { crate: "baton-report", sources: [inRoot("src", "facts"), inRoot("tools", "Cargo.toml"), inRoot("tools", "src", "audit"), inRoot("tools", "src", "report"), inRoot("web", "report", "Cargo.toml"), inRoot("web", "report", "src")] },
  check: { crate: "baton-check", sources: [inRoot("src"), inRoot("tools", "check")] },
};
const besideDir = (name) => inRoot(".baton", name);
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
export async function build({ force = false, faults = false, profile = "release" } = {}) {
  // Both end in a step that keeps one core busy.
  await Promise.all([buildWorker({ force, faults, profile }), buildBeside(Object.keys(BESIDE), { force })]);
  await buildStatic({ force });
  if (!existsSync(settingsFile)) placeSettings({});
  return { workerDir: workerDir({ faults }), assetsDir };
}

async function buildWorker({ force, faults, profile }) {
  const dir = workerDir({ faults });
  const wasm = `${dir}/index_bg.wasm`;
  const inputs = [...filesUnder(inRoot("Cargo.toml"), inRoot("Cargo.lock"), inRoot("src"), inRoot("worker"), inRoot("tools", "pack")), inRoot("scripts", "build.mjs")];
  const stamp = stampFile(faults ? "worker-faults" : "worker");
  const wantedOf = (by) => hashOf(inputs, [lockedCrate("worker"), process.env.RUSTFLAGS ?? "", by]);
  // What is good enough to be deployed is good enough to be tried.
  const good = profile === "local" ? [profile, "release"] : [profile];
  if (!force && existsSync(wasm) && good.some((by) => isStamped(stamp, wantedOf(by)))) return;
  const started = performance.now();
  console.log(`build: worker${faults ? " with fault injection" : ""}`);
  await compile({ name: "baton-worker", dir, features: faults ? ["fault-injection"] : [], profile });
  writeStamp(stamp, wantedOf(profile));
  const bytes = readFileSync(wasm);
  console.log(`build: wasm ${kib(bytes.length)}, gzipped ${kib(gzipSync(bytes).length)} (${seconds(started)})`);
}

/**
 * Compiles a worker as it is deployed: the crate `name` in `cwd`, to `index.js` and `index_bg.wasm` in `dir`. The benchmarks'
 * ceilings come from here too; their `main` is what the runtime loads, around the module that it imports as `packed`. Names of
 * functions are for debuggers, and a fifth of the file.
 */
export async function compile({ cwd, name, dir, features = [], profile = "release", main }) {
  // So asks workers-rs's own build for futures that it knows.
  const env = { ...SMALL, WASM_BINDGEN_USE_JS_SYS: "1" };
  const [[compiled]] = await Promise.all([compileCrates({ cwd, names: [name], features, profile, env }), packProgram()]);
  const packed = path.join(dir, "packed");
  await pack("worker", compiled, packed, "index");
  const wasm = path.join(packed, "index_bg.wasm");
  await optimise(["--all-features", ...(profile === "release" ? SQUEEZE : [])], wasm);
  const glue = path.join(packed, "index.js");
  // A phase of its own for the import is newer than runtime and bundler: here a module is what an import gives anyway.
  writeFileSync(glue, readFileSync(glue, "utf8").replaceAll("import source ", "import "));
  const { build: bundle } = await import("esbuild");
  await bundle({
    entryPoints: [main ?? glue], outfile: path.join(packed, "bundled.js"), alias: { packed: glue },
    bundle: true, minify: true, format: "esm", external: ["./index_bg.wasm", "cloudflare:*"], logLevel: "warning",
  });
  renameSync(path.join(packed, "bundled.js"), path.join(dir, "index.js"));
  renameSync(wasm, path.join(dir, "index_bg.wasm"));
  rmSync(packed, { recursive: true });
}

/** Compiles crates to wasm, together; resolves to their files. */
async function compileCrates({ cwd = inRoot(), names, features = [], profile = "release", env = {} }) {
  const target = process.env.CARGO_TARGET_DIR ?? inRoot("target");
  const asked = [...names.flatMap((name) => ["--package", name]), ...features.flatMap((feature) => ["--features", feature])];
  await must("cargo", ["build", "--lib", ...asked, "--profile", profile, "--target", WASM_TARGET], { cwd, env: toolEnv({ CARGO_TARGET_DIR: target, ...env }) });
  return names.map((name) => path.join(target, WASM_TARGET, profile, `${name.replaceAll("-", "_")}.wasm`));
}

/** Writes the JavaScript around a compiled module: `name.js` and `name_bg.wasm` into `dir`. */
async function pack(runtime, compiled, dir, name) {
  await must(await packProgram(), [runtime, compiled, dir, name]);
}

let packing;
/** The program that does (tools/pack/), compiled once; while rustc is busy with a worker's last step, another core does this. */
function packProgram() {
  const target = process.env.CARGO_TARGET_DIR ?? inRoot("target");
  packing ??= must("cargo", ["build", "--quiet", "--package", "baton-pack"], { env: toolEnv({ CARGO_TARGET_DIR: target }) });
  return packing.then(() => path.join(target, "debug", "pack"));
}

const optimise = (how, wasm) => must(npmProgram("wasm-opt"), [...how, "--strip-debug", "--strip-producers", wasm, "-o", wasm], { quiet: true });

/** The checker of configurations (tools/check/), built if need be: `check(asked)` and `reference()`. */
export async function checker() {
  await buildBeside(["check"]);
  const { check, initSync, reference } = await import(pathToFileURL(path.join(besideDir("check"), "check.js")));
  initSync({ module: readFileSync(path.join(besideDir("check"), "check_bg.wasm")) });
  return { check: (asked) => JSON.parse(check(JSON.stringify(asked))), reference };
}

/** Those that are not up to date, fast before small, with the features that rustc used and no newer one: browsers are older. */
async function buildBeside(names, { force = false } = {}) {
  const wantedOf = (name) => hashOf([...filesUnder(inRoot("Cargo.toml"), inRoot("Cargo.lock"), inRoot("tools", "pack"), ...BESIDE[name].sources), inRoot("scripts", "build.mjs")], [process.env.RUSTFLAGS ?? ""]);
  const wasmOf = (name) => path.join(besideDir(name), `${name}_bg.wasm`);
  const due = names.filter((name) => force || !existsSync(wasmOf(name)) || !isStamped(stampFile(name), wantedOf(name)));
  if (due.length === 0) return;
  const started = performance.now();
  console.log(`build: ${due.join(", ")}`);
  const stamps = due.map(wantedOf);
  const [compiled] = await Promise.all([compileCrates({ names: due.map((name) => BESIDE[name].crate), profile: "browser" }), packProgram()]);
  await Promise.all(due.map(async (name, at) => {
    await pack("browser", compiled[at], besideDir(name), name);
    await optimise(["-O3"], wasmOf(name));
    writeStamp(stampFile(name), stamps[at]);
    const bytes = readFileSync(wasmOf(name));
    console.log(`build: ${name} ${kib(bytes.length)}, gzipped ${kib(gzipSync(bytes).length)} (${seconds(started)})`);
  }));
}

async function buildStatic({ force }) {
  mkdirSync(assetsDir, { recursive: true });
  if (!existsSync(assetsScript)) return;
  const wanted = hashOf(filesUnder(inRoot("web"), besideDir("advice"), besideDir("report"), assetsScript));
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
  await build({ force: asked("force"), faults: asked("faults"), profile: ["local", "quick"].find(asked) ?? "release" }).catch(fail);
}
