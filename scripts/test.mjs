// `npm test`: everything that must hold before a change goes in, in one run. Ends with one line: `N passed, N failed`.
//
//   npm test                 all steps
//   npm test -- fmt cargo    only the steps of these names
//
// A step that fails prints the command that repeats it alone. Steps that count their tests report those numbers; any
// other counts as one.

import { fail, inRoot, npmProgram, run, seconds, toolEnv } from "./common.mjs";
import { findChromium, prepare, toolPath } from "./setup.mjs";

/** The longest file takes seven minutes on two cores; one that hangs must end as a failure with its name. */
const FILE_TIMEOUT_MS = 20 * 60_000;
const WASM = ["--target", "wasm32-unknown-unknown"];

/** What a runner's output says about how many tests passed and failed; undefined when it counts none. */
const COUNTS = {
  cargo: (text) => sum(text, /test result: \w+\. (\d+) passed; (\d+) failed/g, ([, passed, failed]) => [Number(passed), Number(failed)]),
  node: (text) => sum(text, /^(?:#|ℹ) (pass|fail|cancelled) (\d+)/gm, ([, what, count]) => (what === "pass" ? [Number(count), 0] : [0, Number(count)])),
};

function steps() {
  const wrangler = toolEnv({ BATON_PREPARED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" });
  const oneTarget = toolEnv({ CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? inRoot("target") });
  const withBrowser = toolEnv({ CHROMIUM: findChromium() ?? "" });
  return [
    { name: "docs", command: [npmProgram("node"), "scripts/docs.mjs", "--check"] },
    { name: "fmt", command: ["cargo", "fmt", "--all", "--check"] },
    { name: "clippy", command: ["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"] },
    { name: "clippy-wasm", command: ["cargo", "clippy", "--lib", ...WASM, "--features", "fault-injection", "--", "-D", "warnings"] },
    // Workspaces of their own: without these nothing would notice that the core has moved on.
    { name: "bench-core", command: ["cargo", "check", "--manifest-path", "bench/core/Cargo.toml"], env: oneTarget },
    { name: "bench-ceilings", command: ["cargo", "check", "--manifest-path", "bench/ceilings/Cargo.toml", ...WASM], env: oneTarget },
    { name: "cargo", command: ["cargo", "test", "--workspace", "--no-fail-fast"], count: COUNTS.cargo },
    { name: "planted", command: ["cargo", "test", "--release", "-p", "baton-tools", "--features", "planted-bugs", "--test", "planted"], count: COUNTS.cargo },
    // Four of five forecasts lie in their bands, in a fifth of the sales of `npm run check-advice`.
    { name: "advice", command: ["cargo", "run", "--quiet", "--release", "-p", "baton-tools", "--bin", "advice", "--", "check", "--sales", "40"] },
    { name: "wasm", command: [toolPath("wasm-pack"), "test", "--node", "--", "--no-default-features"], count: COUNTS.cargo },
    { name: "wasm-tools", command: [toolPath("wasm-pack"), "test", "--node", "tools"], count: COUNTS.cargo },
    { name: "build", command: [npmProgram("node"), "scripts/build.mjs"] },
    { name: "build-faults", command: [npmProgram("node"), "scripts/build.mjs", "--faults"] },
    { name: "node", command: [npmProgram("node"), "--test", "--test-force-exit", "--test-concurrency=2", `--test-timeout=${FILE_TIMEOUT_MS}`, "tests/**/*.test.mjs"], count: COUNTS.node, env: withBrowser },
    { name: "deploy", command: [npmProgram("wrangler"), "deploy", "--dry-run", "--outdir", ".baton/dry-run"], env: wrangler },
  ];
}

function sum(text, pattern, read) {
  const found = [...text.matchAll(pattern)].map(read);
  if (found.length === 0) return undefined;
  return found.reduce(([passed, failed], [p, f]) => [passed + p, failed + f], [0, 0]);
}

/** Runs one step; resolves to `[passed, failed]`. */
async function runStep({ name, command, count, env = toolEnv() }, position) {
  const started = performance.now();
  const shown = command.map((word) => word.replace(`${inRoot()}/`, "")).map((word) => (/[*\s]/.test(word) ? `"${word}"` : word)).join(" ");
  console.log(`\n=== ${position} ${name}: ${shown}`);
  const [program, ...args] = command;
  const { code, text } = await run(program, args, { env, capture: true });
  const counted = count?.(text) ?? (code === 0 ? [1, 0] : [0, 1]);
  // A runner that breaks before it counts a failure has failed all the same.
  const [passed, failed] = code !== 0 && counted[1] === 0 ? [counted[0], 1] : counted;
  console.log(`=== ${name} ${code === 0 ? "passed" : "FAILED"} (${passed} passed, ${failed} failed, ${seconds(started)})`);
  if (code !== 0) console.log(`    again, alone: ${shown}`);
  return [passed, failed];
}

async function main() {
  const asked = process.argv.slice(2);
  const all = steps();
  const chosen = asked.length > 0 ? all.filter(({ name }) => asked.includes(name)) : all;
  const total = [0, 0];
  for (const [index, step] of chosen.entries()) {
    const [passed, failed] = await runStep(step, `${index + 1}/${chosen.length}`);
    total[0] += passed;
    total[1] += failed;
  }
  const known = all.map(({ name }) => name);
  const unknown = asked.filter((name) => !known.includes(name));
  if (unknown.length > 0) console.log(`\nNo step is called ${unknown.join(", ")}; there are ${known.join(", ")}.`);
  console.log(`\n${total[0]} passed, ${total[1]} failed`);
  process.exitCode = total[1] > 0 || unknown.length > 0 ? 1 : 0;
}

await prepare({ forTests: true });
await main().catch(fail);
