// Builds what is deployed: the worker (Rust -> wasm, and JavaScript around it) into build/, and the static assets into
// build/assets/. Skips what is up to date. wrangler's `[build]` command calls this too.
//
//   npm run build -- [--force] [--faults] [--local | --quick | --later]
//
// --force builds what is up to date too.
// --faults builds a second worker into build-faults/ with the cargo feature `fault-injection`, for tests only.
// --local builds what `npm start` needs to begin: larger, in a third of the time. What is deployed is never built with it.
// --later builds the desk's forecast and report, which --local leaves out, and adds them to the assets that are served.
// --quick compiles without optimising, to try out a change: many times the size, and never to be measured or deployed.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { alone } from "./alone.mjs";
import { namesInOrder } from "./bytes/alike.mjs";
import { functionBodies, withNames } from "./bytes/wasm.mjs";
import { fail, filesUnder, hashOf, inRoot, lockedCrate, must, npmProgram, seconds, toolEnv } from "./common.mjs";
import { prepare } from "./setup.mjs";

/** The crate that is deployed. It is built by its package alone: cargo gives a crate all features that anybody in one call wants of it. */
const WORKER = "baton-edge";
/** What is deployed is optimised for size, and native tools for speed; both use cargo's release profile. */
export const SMALL = { CARGO_PROFILE_RELEASE_OPT_LEVEL: "s" };
/** The second variable asks for futures as workers-rs's own build does. */
const WORKER_ENV = { ...SMALL, WASM_BINDGEN_USE_JS_SYS: "1" };

/** What wasm-opt does with what is deployed, twice: its first round leaves something for a second. Inlining would make more code of it. */
const SQUEEZE = ["-Os", "-Os", "--skip-pass=inlining-optimizing"];

const WASM_TARGET = "wasm32-unknown-unknown";
export const assetsDir = inRoot("build", "assets");
/** What runs as WebAssembly outside the worker, by name: its crate and its sources. The desk loads the first two; Node loads the third. */
const BESIDE = {
  advice: { crate: "baton-advice", sources: [inRoot("src", "facts"), inRoot("src", "room"), inRoot("web", "advice")] },
  report: {
    crate: "baton-report",
    sources: [
      inRoot("src", "facts"),
      inRoot("tools", "Cargo.toml"),
      inRoot("tools", "src", "audit"),
      inRoot("tools", "src", "report"),
      inRoot("web", "report", "Cargo.toml"),
      inRoot("web", "report", "src"),
    ],
  },
  check: { crate: "baton-check", sources: [inRoot("src"), inRoot("tools", "check")] },
};
/** What the desk loads only when somebody asks for it: a first start prints its addresses before these are built. */
const LATER = ["advice", "report"];
/** Worker and checker of the profile `local`, compiled in one call: they share the cores, and neither wants a feature of them. */
const LOCAL = { names: [WORKER, BESIDE.check.crate], profile: "local" };
const besideDir = (name) => inRoot(".baton", name);
const assetsScript = inRoot("scripts", "assets.mjs");
/** The rooms, operators and grounds that entry.js takes if the environment has none. */
const settingsFile = inRoot("build", "settings.js");

/** Writes rooms, operators and grounds beside the code. `npm run deploy` does so, since a variable takes only 5 KB. */
export function placeSettings(settings) {
  mkdirSync(inRoot("build"), { recursive: true });
  writeFileSync(settingsFile, settingsModule(settings));
}

export const settingsModule = (settings) => `export default ${JSON.stringify(settings)};\n`;

const stampFile = (name) => inRoot(".baton", `built-${name}`);

/** Returns the folder of the worker after `build({ faults })`. */
export const workerDir = ({ faults = false } = {}) => inRoot(faults ? "build-faults" : "build");

/**
 * Builds worker and assets as far as their inputs have changed. Resolves to what `runtime.mjs` needs to know, and to the names of what the profile
 * `local` leaves for `buildLater`.
 */
export async function build({ force = false, faults = false, profile = "release" } = {}) {
  const isLocal = profile === "local";
  const later = isLocal ? LATER.filter((name) => isBesideDue(name)) : [];
  if (isLocal && !force) await compileAhead();
  await oneAtATime(async () => {
    // Each ends in a step that keeps only one core busy, so they run side by side.
    await Promise.all([buildWorker({ force, faults, profile }), buildBeside(isLocal ? ["check"] : Object.keys(BESIDE), { force, isLocal })]);
    await buildStatic({ force, later });
    if (!existsSync(settingsFile)) placeSettings({});
  });
  return { workerDir: workerDir({ faults }), assetsDir, later };
}

/** Builds what the profile `local` left out. A running server serves it from then on. */
export function buildLater({ force = false } = {}) {
  return oneAtATime(async () => {
    await buildBeside(LATER, { force });
    await buildStatic({ force });
  });
}

/** `npm start` in one terminal and `npm test` in another would take each other's half-made files away. */
function oneAtATime(work) {
  const file = inRoot(".baton", "building");
  const waits = (holder) => console.log(`build: waiting for process ${holder}, which builds too. If it does not, delete ${file}`);
  return alone(file, work, waits);
}

/**
 * Compiles what `npm start` needs to begin, as far as inputs have changed. It needs no npm package, so a first start runs it while npm installs them.
 */
export async function compileAhead() {
  if (isWorkerDue({ profile: "local" }) || isBesideDue("check", { isLocal: true })) await Promise.all([compileLocal(), packProgram()]);
}

let compiling;
/** Resolves to the compiled files of worker and checker. */
function compileLocal() {
  compiling ??= compileCrates({ ...LOCAL, env: WORKER_ENV });
  return compiling;
}

const workerStamp = ({ faults = false }) => stampFile(faults ? "worker-faults" : "worker");

function workerWanted({ profile }) {
  const inputs = [...filesUnder(inRoot("Cargo.toml"), inRoot("Cargo.lock"), inRoot("src"), inRoot("tools", "pack")), inRoot("scripts", "build.mjs")];
  return hashOf(inputs, [lockedCrate("worker"), process.env.RUSTFLAGS ?? "", profile]);
}

/** A build that is good enough to be deployed is good enough to be tried, but not the other way round. */
function isWorkerDue({ faults = false, profile }) {
  const good = profile === "local" ? [profile, "release"] : [profile];
  return (
    !existsSync(`${workerDir({ faults })}/index_bg.wasm`) || !good.some((by) => isStamped(workerStamp({ faults }), workerWanted({ profile: by })))
  );
}

async function buildWorker({ force, faults, profile }) {
  if (!force && !isWorkerDue({ faults, profile })) return;
  const dir = workerDir({ faults });
  const started = performance.now();
  const wanted = workerWanted({ profile });
  console.log(`build: worker${faults ? " with fault injection" : ""}`);
  const isBesideCheck = profile === "local" && !faults;
  await compile({
    name: WORKER,
    dir,
    features: faults ? ["fault-injection"] : [],
    profile,
    ...(isBesideCheck && { compiling: compileLocal() }),
  });
  writeStamp(workerStamp({ faults }), wanted);
  const bytes = readFileSync(`${dir}/index_bg.wasm`);
  console.log(`build: wasm ${kib(bytes.length)}, gzipped ${kib(gzipSync(bytes).length)} (${seconds(started)})`);
}

/**
 * Compiles a worker as it is deployed: the crate `name` in `cwd`, to `index.js` and `index_bg.wasm` in `dir`. The benchmarks' ceilings are compiled
 * here too; their `main` is the module that the runtime loads, and imports the compiled one as `packed`. The names of functions are for debuggers and
 * take a fifth of the file, so they are left out.
 * @param {{ cwd?: string, name: string, dir: string, features?: string[], profile?: string, main?: string, compiling?: Promise<string[]> }} of
 */
export async function compile({
  cwd,
  name,
  dir,
  features = [],
  profile = "release",
  main,
  compiling = compileCrates({ cwd, names: [name], features, profile, env: WORKER_ENV }),
}) {
  const [[compiled]] = await Promise.all([compiling, packProgram()]);
  const packed = path.join(dir, "packed");
  await pack("worker", compiled, packed, "index");
  const wasm = path.join(packed, "index_bg.wasm");
  if (profile !== "local") await optimise(["--all-features", ...(profile === "release" ? SQUEEZE : [])], wasm);
  if (profile === "release") await arrange(wasm);
  const glue = path.join(packed, "index.js");
  // `import source` is newer than the runtime and the bundler; here a plain import gives a module anyway.
  writeFileSync(glue, readFileSync(glue, "utf8").replaceAll("import source ", "import "));
  const { build: bundle } = await import("esbuild");
  await bundle({
    entryPoints: [main ?? glue],
    outfile: path.join(packed, "bundled.js"),
    alias: { packed: glue },
    bundle: true,
    minify: true,
    format: "esm",
    external: ["./index_bg.wasm", "cloudflare:*"],
    logLevel: "warning",
  });
  renameSync(path.join(packed, "bundled.js"), path.join(dir, "index.js"));
  renameSync(wasm, path.join(dir, "index_bg.wasm"));
  rmSync(packed, { recursive: true });
}

/** Compiles crates to wasm, in one call. Resolves to their files. */
async function compileCrates({ cwd = inRoot(), names, features = [], profile = "release", env = {} }) {
  const target = process.env.CARGO_TARGET_DIR ?? inRoot("target");
  const asked = [...names.flatMap((name) => ["--package", name]), ...features.flatMap((feature) => ["--features", feature])];
  await must("cargo", ["build", "--lib", ...asked, "--profile", profile, "--target", WASM_TARGET], {
    cwd,
    env: toolEnv({ CARGO_TARGET_DIR: target, ...env }),
  });
  return names.map((name) => path.join(target, WASM_TARGET, profile, `${name.replaceAll("-", "_")}.wasm`));
}

/** Writes the JavaScript around a compiled module: `name.js` and `name_bg.wasm` into `dir`. */
async function pack(runtime, compiled, dir, name) {
  await must(await packProgram(), [runtime, compiled, dir, name]);
}

let packing;
/** Resolves to the program that packs (tools/pack/), compiled once. Another core does this while rustc is busy with the last step of a worker. */
function packProgram() {
  const target = process.env.CARGO_TARGET_DIR ?? inRoot("target");
  packing ??= must("cargo", ["build", "--quiet", "--package", "baton-pack"], { env: toolEnv({ CARGO_TARGET_DIR: target }) });
  return packing.then(() => path.join(target, "debug", "pack"));
}

const optimise = (how, wasm) => must(npmProgram("wasm-opt"), [...how, "--strip-debug", "--strip-producers", wasm, "-o", wasm], { quiet: true });

/** Puts functions that are alike side by side, where gzip finds what they share: this saves 8 % of what is sent. wasm-opt moves them, and sorts by name. */
async function arrange(wasm) {
  const bytes = readFileSync(wasm);
  writeFileSync(wasm, withNames(bytes, namesInOrder(functionBodies(bytes))));
  await optimise(["--all-features", "--reorder-functions-by-name"], wasm);
}

/** Resolves to the checker of configurations (tools/check/), built if need be: `check(asked)`, `reference()` and `openapi()`. */
export async function checker() {
  if (isBesideDue("check", { isLocal: true })) await oneAtATime(() => buildBeside(["check"]));
  const { check, initSync, openapi, reference } = await import(pathToFileURL(path.join(besideDir("check"), "check.js")).href);
  initSync({ module: readFileSync(path.join(besideDir("check"), "check_bg.wasm")) });
  return { check: (asked) => JSON.parse(check(JSON.stringify(asked))), openapi, reference };
}

const besideWasm = (name) => path.join(besideDir(name), `${name}_bg.wasm`);

function besideWanted(name, { isLocal = false } = {}) {
  return hashOf(
    [...filesUnder(inRoot("Cargo.toml"), inRoot("Cargo.lock"), inRoot("tools", "pack"), ...BESIDE[name].sources), inRoot("scripts", "build.mjs")],
    [process.env.RUSTFLAGS ?? "", isLocal],
  );
}

/** With `isLocal` either build will do, as for the worker. */
function isBesideDue(name, { isLocal = false } = {}) {
  const good = isLocal ? [true, false] : [false];
  return !existsSync(besideWasm(name)) || !good.some((by) => isStamped(stampFile(name), besideWanted(name, { isLocal: by })));
}

/**
 * Builds those that are not up to date, optimised for speed rather than size. wasm-opt may use only the features that rustc used: browsers are older.
 */
async function buildBeside(names, { force = false, isLocal = false } = {}) {
  const due = names.filter((name) => force || isBesideDue(name, { isLocal }));
  if (due.length === 0) return;
  const started = performance.now();
  console.log(`build: ${due.join(", ")}`);
  const stamps = due.map((name) => besideWanted(name, { isLocal }));
  const compileDue = async () =>
    isLocal ? (await compileLocal()).slice(1) : compileCrates({ names: due.map((name) => BESIDE[name].crate), profile: "browser" });
  const [compiled] = await Promise.all([compileDue(), packProgram()]);
  await Promise.all(
    due.map(async (name, at) => {
      await pack("browser", compiled[at], besideDir(name), name);
      if (!isLocal) await optimise(["-O3"], besideWasm(name));
      writeStamp(stampFile(name), stamps[at]);
      const bytes = readFileSync(besideWasm(name));
      console.log(`build: ${name} ${kib(bytes.length)}, gzipped ${kib(gzipSync(bytes).length)} (${seconds(started)})`);
    }),
  );
}

async function buildStatic({ force, later = [] }) {
  if (!existsSync(assetsScript)) return void mkdirSync(assetsDir, { recursive: true });
  const there = LATER.filter((name) => !later.includes(name));
  const wanted = hashOf(filesUnder(inRoot("web"), ...there.map(besideDir), assetsScript), later);
  if (!force && existsSync(`${assetsDir}/__baton/static`) && isStamped(stampFile("assets"), wanted)) return;
  console.log("build: assets");
  const { buildAssets } = await import(pathToFileURL(assetsScript).href);
  const fresh = `${assetsDir}.new`;
  await buildAssets(fresh, { later });
  replaceFiles(fresh, assetsDir);
  writeStamp(stampFile("assets"), wanted);
}

/**
 * Puts `fresh` in the place of `folder`, file by file, so that a server may go on serving it: the files that a page
 * names (`h/`) come before the page.
 */
function replaceFiles(fresh, folder) {
  const names = filesUnder(fresh).map((file) => path.relative(fresh, file));
  const old = filesUnder(folder).map((file) => path.relative(folder, file));
  for (const isNamed of [true, false]) {
    for (const name of names.filter((each) => each.includes("/h/") === isNamed)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      renameSync(path.join(fresh, name), path.join(folder, name));
    }
  }
  for (const name of old.filter((each) => !names.includes(each))) rmSync(path.join(folder, name));
  rmSync(fresh, { recursive: true });
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
  const profile = ["local", "quick"].find(asked) ?? "release";
  await (asked("later") ? buildLater({ force: asked("force") }) : build({ force: asked("force"), faults: asked("faults"), profile })).catch(fail);
}
