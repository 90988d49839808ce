// `npm test`: what must hold before a change goes in, in one run. Ends with one line: `N passed, N failed`.
//
//   npm test                 what a change needs: ten minutes on two cores (tests/tiers.mjs says what that is)
//   npm test -- --all        everything, an hour; also `npm run test:all`
//   npm test -- fmt cargo    only the steps of these names, whole
//
// A step that fails prints the command that repeats it alone, and the last lines name its tests and what they said. Steps that count their tests
// report those numbers; any other step counts as one. The end also lists what was left out.
//
// Node tests wait for real runtimes, browsers and clocks, while others run beside them. Files of them that fail, if they are few, run once more,
// alone. What passes then counts, and the end lists it as unsteady, with what it said: that is a fault of the test or of Baton, and to be mended.

import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { LONG, LONG_NATIVE, QUICK } from "../tests/tiers.mjs";
import { fail, inRoot, npmProgram, run, seconds, toolEnv, UsageError } from "./common.mjs";
import { findChromium, prepare, toolPath } from "./setup.mjs";

/** The longest file takes seven minutes on two cores; one that hangs must end as a failure with its name. */
const FILE_TIMEOUT_MS = 20 * 60_000;
/** How many files of the node tests run at once: the quick ones mostly wait for the clock of a runtime; the others also need cores. */
const QUICK_AT_ONCE = 4;
const LONG_AT_ONCE = 2;
/** If more files fail, it is not for the machine's sake, and none runs again. */
const UNSTEADY_FILES_MAX = 3;
const WASM = ["--target", "wasm32-unknown-unknown"];

/** Reads from a runner's output how many tests passed and failed; undefined if it counts none. */
const COUNTS = {
  cargo: (text) => sum(text, /test result: \w+\. (\d+) passed; (\d+) failed/g, ([, passed, failed]) => [Number(passed), Number(failed)]),
  node: (text) =>
    sum(text, /^(?:#|ℹ) (pass|fail|cancelled) (\d+)/gm, ([, what, count]) => (what === "pass" ? [Number(count), 0] : [0, Number(count)])),
};

/**
 * Finds the names of failed tests in a runner's output and, if the output says it, their file, line and error. A suite that fails by a test
 * of its own is named beside it.
 */
const FAILED = {
  cargo: /^test (?<name>.+) \.\.\. FAIL(?:ED)?$/gm,
  node: /^ *(?:not ok \d+ - |✖ )(?<name>.+?)(?: \([\d.]+ms\))?$(?:\n *---\n(?: *(?:duration_ms|type): .*\n)*? *location: '(?<where>.+)'(?:\n *failureType: .*)?(?:\n *error: (?:\|-\n(?<lines>(?:(?! *(?:code|name|stack): ).*\n)+)|(?<line>.*)))?)?/gm,
};
/** So much of what a failed test said stands at the end. */
const SAID_CHARS_MAX = 400;

/** Returns the tests that failed, each once, in order: `{ text, file, said }`, a name with its place, the test file, and the error in one line. */
export function failuresOf(runner, text) {
  const found = [...text.matchAll(FAILED[runner] ?? /$^/g)].map(({ groups: { name, where, lines, line } }) => {
    const place = where?.replace(`${inRoot()}/`, "");
    const said = (lines ?? line ?? "").replace(/\s+/g, " ").trim().slice(0, SAID_CHARS_MAX);
    return { text: place ? `${name} (${place})` : name, file: place?.replace(/:\d+:\d+$/, ""), said };
  });
  return found.filter(({ text: one }, nth) => found.findIndex(({ text: other }) => other === one) === nth);
}

/** Returns them as lines. */
const inLines = (failures) => failures.flatMap(({ text, said }) => [`  ${text}`, ...(said ? [`    ${said}`] : [])]);

/** Returns the files that may run once more, or none: some file is not known, or they are too many. */
export function filesToRepeat(failures) {
  const files = [...new Set(failures.map(({ file }) => file))];
  return files.length <= UNSTEADY_FILES_MAX && files.every((file) => file?.endsWith(".test.mjs")) ? files : [];
}

/** Returns the node tests of an area, by name. */
export const filesOf = (area) =>
  readdirSync(inRoot(area))
    .filter((name) => name.endsWith(".test.mjs"))
    .sort();

/** Returns the quick ones of them, as paths from the project's root. */
export function quickFiles() {
  return Object.entries(QUICK).flatMap(([area, names]) =>
    (names === "all" ? filesOf(area) : names.map((name) => `${name}.test.mjs`)).map((name) => path.posix.join(area, name)),
  );
}

/** Returns all others. */
export function longFiles() {
  const all = readdirSync(inRoot("tests"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".test.mjs") && !name.includes("node_modules"),
  );
  const quick = quickFiles();
  return all
    .map((name) => path.posix.join("tests", name))
    .filter((name) => !quick.includes(name))
    .sort();
}

/** Returns the native tests that are files of their own. */
export const nativeTests = () =>
  ["tests", "tools/tests", "web/advice/tests"].flatMap((folder) =>
    readdirSync(inRoot(folder))
      .filter((name) => name.endsWith(".rs"))
      .map((name) => name.slice(0, -3)),
  );

const quickNative = () =>
  nativeTests()
    .filter((name) => !(name in LONG_NATIVE) && name !== "planted")
    .flatMap((name) => ["--test", name]);

/** Returns every step. `quick` is what `npm test` runs of it: another command, the same (`true`), or nothing. */
function steps() {
  const wrangler = toolEnv({ BATON_PREPARED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" });
  const oneTarget = toolEnv({ CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? inRoot("target") });
  const nodeTests = (files, atOnce) => [
    npmProgram("node"),
    "--test",
    "--import",
    "./tests/support/ends.mjs",
    `--test-concurrency=${atOnce}`,
    `--test-timeout=${FILE_TIMEOUT_MS}`,
    ...files,
  ];
  const withBrowser = toolEnv({ CHROMIUM: findChromium() ?? "" });
  return [
    { name: "docs", quick: true, command: [npmProgram("node"), "scripts/docs.mjs", "--check"] },
    { name: "fmt", quick: true, command: ["cargo", "fmt", "--all", "--check"] },
    { name: "format", quick: true, command: [npmProgram("biome"), "ci"] },
    { name: "types", quick: true, command: [npmProgram("tsc"), "-b", ".", "web"] },
    { name: "clippy", quick: true, command: ["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"] },
    {
      name: "clippy-wasm",
      quick: true,
      command: ["cargo", "clippy", "-p", "baton-edge", ...WASM, "--features", "fault-injection", "--", "-D", "warnings"],
    },
    // These are workspaces of their own: without these steps nothing would notice that the core has moved on.
    { name: "bench-core", command: ["cargo", "check", "--manifest-path", "bench/core/Cargo.toml"], env: oneTarget },
    { name: "bench-ceilings", command: ["cargo", "check", "--manifest-path", "bench/ceilings/Cargo.toml", ...WASM], env: oneTarget },
    {
      name: "cargo",
      quick: ["cargo", "test", "--workspace", "--no-fail-fast", "--lib", ...quickNative()],
      command: ["cargo", "test", "--workspace", "--no-fail-fast"],
      runner: "cargo",
    },
    {
      name: "planted",
      command: ["cargo", "test", "--release", "-p", "baton-tools", "--features", "planted-bugs", "--test", "planted"],
      runner: "cargo",
    },
    // Four of five forecasts lie in their bands, in a fifth of the sales of `npm run check-advice`.
    { name: "advice", command: [npmProgram("node"), "scripts/advice.mjs", "check", "--sales", "40"] },
    {
      name: "wasm",
      get command() {
        return [toolPath("wasm-pack"), "test", "--node"];
      },
      runner: "cargo",
    },
    {
      name: "wasm-tools",
      get command() {
        return [toolPath("wasm-pack"), "test", "--node", "tools"];
      },
      runner: "cargo",
    },
    {
      name: "wasm-check",
      get command() {
        return [toolPath("wasm-pack"), "test", "--node", "tools/check"];
      },
      runner: "cargo",
    },
    // The node tests run these programs, and no test's clock should run while they compile.
    { name: "programs", quick: true, command: [npmProgram("node"), "scripts/programs.mjs", "audit", "report", "plan"] },
    { name: "build", quick: true, command: [npmProgram("node"), "scripts/build.mjs"] },
    { name: "build-faults", command: [npmProgram("node"), "scripts/build.mjs", "--faults"] },
    { name: "node", quick: true, command: nodeTests(quickFiles(), QUICK_AT_ONCE), runner: "node", env: withBrowser },
    { name: "node-long", command: nodeTests(longFiles(), LONG_AT_ONCE), runner: "node", env: withBrowser },
    { name: "deploy", command: [npmProgram("wrangler"), "deploy", "--dry-run", "--outdir", ".baton/dry-run"], env: wrangler },
  ];
}

function sum(text, pattern, read) {
  const found = [...text.matchAll(pattern)].map(read);
  if (found.length === 0) return undefined;
  return found.reduce(([passed, failed], [p, f]) => [passed + p, failed + f], [0, 0]);
}

/** Runs a step's command. Resolves to how many tests passed and failed, and which failed. */
async function played({ command: [program, ...args], runner, env = toolEnv() }) {
  const { code, text } = await run(program, args, { env, capture: true });
  const counted = COUNTS[runner]?.(text) ?? (code === 0 ? [1, 0] : [0, 1]);
  // A runner that breaks before it counts a failure has failed all the same.
  const [passed, failed] = code !== 0 && counted[1] === 0 ? [counted[0], 1] : counted;
  return { passed, failed, isFine: code === 0, failures: code === 0 ? [] : failuresOf(runner, text) };
}

/** Runs one step. Resolves to how many tests passed and failed, and lines on those that failed or were unsteady. */
async function runStep(step, position) {
  const { name, command, runner } = step;
  const started = performance.now();
  const isFile = (word) => word.endsWith(".test.mjs");
  const files = command.filter(isFile).length;
  const words = command.filter((word) => !isFile(word)).map((word) => word.replace(`${inRoot()}/`, ""));
  console.log(`\n=== ${position} ${name}: ${words.join(" ")}${files > 0 ? ` (${files} files)` : ""}`);
  const first = await played(step);
  const repeated = runner === "node" ? filesToRepeat(first.failures) : [];
  let { passed, failed, isFine } = first;
  const unsteady = [];
  if (repeated.length > 0) {
    console.log(`\n=== ${name}: once more, alone: ${repeated.join(" ")}`);
    const alone = command.filter((word) => !isFile(word)).map((word) => word.replace(/^--test-concurrency=.*/, "--test-concurrency=1"));
    const second = await played({ ...step, command: [...alone, ...repeated] });
    if (second.isFine) {
      [passed, failed, isFine] = [passed + failed, 0, true];
      unsteady.push(...inLines(first.failures));
    }
  }
  console.log(`=== ${name} ${isFine ? "passed" : "FAILED"} (${passed} passed, ${failed} failed, ${seconds(started)})`);
  const again = `npm test -- ${name}`;
  if (!isFine) console.log(`    again, alone: ${again}`);
  return { passed, failed, broken: isFine ? [] : [again, ...inLines(first.failures)], unsteady };
}

/** Returns what `npm test` leaves out, as lines. */
function leftOut(all) {
  const files = [...Object.keys(QUICK).flatMap((area) => filesOf(area).map((name) => path.posix.join(area, name)))].filter(
    (file) => !quickFiles().includes(file),
  );
  return [
    `  steps    ${all
      .filter(({ quick }) => !quick)
      .map(({ name }) => name)
      .join(", ")}`,
    `  native   ${Object.keys(LONG_NATIVE).join(", ")}, and what the docs' examples say`,
    `  areas    ${Object.entries(LONG)
      .map(([area, why]) => `${area} (${why})`)
      .join(", ")}`,
    `  files    ${files.length} of the areas that have a story: tests/tiers.mjs`,
    "  proofs   npm run chaos, npm run mutants, npm run bench; cargo run --release -p baton-tools --bin simulate",
  ];
}

/** Returns what is asked for: `{ isQuick, chosen }`. */
function chosenOf(all, args) {
  const asked = args.filter((arg) => arg !== "--all");
  const known = all.map(({ name }) => name);
  const unknown = asked.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`No step is called ${unknown.join(", ")}; there are ${known.join(", ")}.`);
  if (asked.length > 0) return { isQuick: false, chosen: all.filter(({ name }) => asked.includes(name)) };
  if (args.includes("--all")) return { isQuick: false, chosen: all };
  return { isQuick: true, chosen: all.filter(({ quick }) => quick).map((step) => (step.quick === true ? step : { ...step, command: step.quick })) };
}

async function main() {
  const all = steps();
  const { isQuick, chosen } = chosenOf(all, process.argv.slice(2));
  const started = performance.now();
  const total = { passed: 0, failed: 0, broken: [], unsteady: [] };
  for (const [index, step] of chosen.entries()) {
    const { passed, failed, broken, unsteady } = await runStep(step, `${index + 1}/${chosen.length}`);
    total.passed += passed;
    total.failed += failed;
    total.broken.push(...broken);
    total.unsteady.push(...unsteady);
  }
  if (isQuick) console.log(["", `Left out, for npm run test:all (this took ${seconds(started)}):`, ...leftOut(all)].join("\n"));
  if (total.unsteady.length > 0)
    console.log(["", "Unsteady, to be mended: these failed beside others and passed alone:", ...total.unsteady].join("\n"));
  if (total.broken.length > 0)
    console.log(["", "What failed, below the command that repeats its step:", ...total.broken.map((line) => `  ${line}`)].join("\n"));
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const isQuick = process.argv.length === 2;
  await prepare({ forPages: true, forWasm: !isQuick });
  await main().catch(fail);
}
