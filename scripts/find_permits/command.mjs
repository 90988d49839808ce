// Runs `npm run find-permits` once: its flags, the consent of each host, one person, the crowd, and the report.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot, UserError } from "../common.mjs";
import { diceOf } from "../dice.mjs";
import { readFlags } from "./flags.mjs";
import { Progress } from "./progress.mjs";
import { Prover } from "./proof.mjs";
import { html, resultOf } from "./report.mjs";
import { measure, Stop } from "./run.mjs";
import { Guard, makeCode, refuseWrites, waitForConsent } from "./safety.mjs";
import { askUntilReady } from "./poll.mjs";
import { readSteps, thinkingOf } from "./steps.mjs";
import { answerText, planText, tableText } from "./text.mjs";
import { judge } from "./verdict.mjs";
import { Visitor } from "./visitor.mjs";

/** How long a level settles, as a share of a visit, and the least of each span. */
const SETTLE_SHARE = 0.5;
const [SETTLE_MS_MIN, LEVEL_MS_MIN, LOOK_SHARE, DOWN_MS] = [5_000, 20_000, 0.5, 3_000];
const CONSENT_TIMEOUT_MS = 10_000;
const SIGNALS = ["SIGINT", "SIGTERM"];

const realClock = {
  now: () => performance.now(),
  at(atMs, call) {
    const timer = setTimeout(call, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};

/** Measures how busy this process is: its CPU time as a share of one core. */
function ownMachine() {
  let [before, sinceMs] = [null, 0];
  return {
    open() {
      [before, sinceMs] = [process.cpuUsage(), performance.now()];
    },
    close() {
      const { user, system } = process.cpuUsage(before);
      // The CPU time is in µs; a tenth of it divided by the span in ms is per cent.
      return { cpu_percent: (user + system) / 10 / (performance.now() - sinceMs) };
    },
  };
}

function readStepsFile(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(
      `${file} cannot be read (${error.code}). Cure: --steps names the file that says what one person does; docs/find-permits.md has an example. Nothing was sent.`,
    );
  }
  return { text, ...readSteps(file, text) };
}

/** Writes the code where --code-file says, and waits until every host shows it. The file is removed afterwards, even after Ctrl-C. */
async function consent({ asked, origins, code, say }) {
  const clean = () => asked.code_file && rmSync(asked.code_file, { force: true });
  const onSignal = () => {
    clean();
    process.exit(130);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    if (asked.code_file) {
      mkdirSync(path.dirname(asked.code_file), { recursive: true });
      writeFileSync(asked.code_file, code);
    }
    const look = (url) => askCode(url, { signal: AbortSignal.timeout(CONSENT_TIMEOUT_MS) });
    await waitForConsent({ origins, code, ask: look, clock: realClock, waitMs: asked.code_wait_s * 1_000, tell: say });
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    clean();
  }
}

const askCode = async (url, options) => {
  const answer = await fetch(url, { redirect: "manual", ...options }).catch((error) => Promise.reject(error.cause ?? error));
  return { status: answer.status, body: (await answer.text()).slice(0, 1_000) };
};

/** Lets one person walk through all steps before a crowd does. Resolves to the time that the answers took in all. */
async function walkThrough({ steps, file, openVisitor, say }) {
  const visitor = openVisitor();
  const sinceMs = performance.now();
  try {
    for (const step of steps) {
      const answer = await askUntilReady(visitor, step, {
        clock: realClock,
        sleepUntil: (ms) => new Promise((resolve) => realClock.at(ms, resolve)),
      });
      say(`  ${answer.isOk ? "ok " : "NO "} ${step.name}: ${answer.status || "no answer"}`);
      if (!answer.isOk)
        throw new UserError(
          `${file}:${step.line}: the step "${step.name}" (${step.method} ${step.path}) failed for the first person: ${answer.why}. Cure: try the step in a browser, then mend the file. No crowd was sent.`,
        );
    }
  } finally {
    visitor.close();
  }
  return performance.now() - sinceMs;
}

/** Returns how long levels, settling and looks are, for visits of this length. */
function timesFor(visitMs, { level_s: levelS, settle_s: settleS }) {
  const levelMs = levelS === null ? Math.max(LEVEL_MS_MIN, visitMs) : levelS * 1_000;
  const settleMs = settleS === null ? Math.max(SETTLE_MS_MIN, SETTLE_SHARE * visitMs) : settleS * 1_000;
  return { level_ms: levelMs, settle_ms: settleMs, look_ms: LOOK_SHARE * levelMs, down_ms: DOWN_MS };
}

function writeReport(folder, result, page) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "report.json"), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(folder, "report.html"), page);
  return path.join(folder, "report.html");
}

/** At the first Ctrl-C everybody leaves and the run ends; the second ends the process. */
function stopOnSignals(stop) {
  for (const signal of SIGNALS) {
    process.on(signal, () => (stop.why === null ? stop.because(`you stopped it (${signal})`) : process.exit(130)));
  }
}

/** Runs the whole command with these arguments. Resolves to its exit code. */
export async function findPermits(args) {
  const asked = readFlags(args, process.env.ORIGIN_SECRET || undefined);
  const say = asked.json ? (line) => process.stderr.write(`${line}\n`) : console.log;
  const { steps, hosts, text: stepsText } = readStepsFile(asked.steps);
  refuseWrites(steps, asked.steps, asked.allow_writes);
  const origins = [asked.url, ...hosts.filter(({ origin }) => origin !== asked.url.origin)];
  const caps = { people_max: asked.people_max, requests_per_s_max: asked.requests_per_s_max, run_ms_max: asked.minutes_max * 60_000 };
  const thinkingMs = thinkingOf(steps);
  say(planText({ origins, steps, caps, times: timesFor(thinkingMs, asked), visitMs: thinkingMs }));
  const stop = new Stop();
  await consent({ asked, origins, code: makeCode(), say });
  const guard = new Guard(caps);
  const prover = asked.secret ? new Prover({ secret: asked.secret, room: asked.room, publicHost: asked.public_host }) : null;
  const openVisitor = () =>
    new Visitor({
      base: asked.url,
      origins: origins.map(({ origin }) => origin),
      mayAsk: () => guard.mayAsk(performance.now()),
      prover,
      timeoutMs: asked.timeout_s * 1_000,
    });
  say("One person first:");
  const answersMs = await walkThrough({ steps, file: asked.steps, openVisitor, say });
  stopOnSignals(stop);
  const times = timesFor(thinkingMs + answersMs, asked);
  const { tell } = asked.json
    ? {}
    : new Progress({ times, isTerminal: process.stderr.isTTY, write: (line) => process.stderr.write(line), now: () => performance.now() });
  const seen = await measure({
    clock: realClock,
    steps,
    openVisitor,
    roll: diceOf(asked.seed),
    machine: ownMachine(),
    times,
    caps,
    stop,
    guard,
    tell,
  });
  const found = judge(seen.levels, { ...seen, seed: asked.seed });
  const at = new Date().toISOString();
  const result = resultOf({ ...asked, ...seen, at, verdict: found });
  const folder = asked.out ?? inRoot(".baton", "find-permits", at.replace(/[:.]/g, "-"));
  const file = writeReport(folder, result, html(result, stepsText));
  console.log(
    asked.json
      ? JSON.stringify(result, null, 2)
      : `\n${tableText(seen.levels)}\n\n${answerText(found)}\n\nReport: ${path.relative(process.cwd(), file)}`,
  );
  return found.kind === "none" ? 1 : 0;
}
