// `npm start` as a process, for tests that follow what it prints.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { inRoot, npmProgram, toolEnv } from "../../../scripts/common.mjs";

/** Runs `npm start` until it has greeted. Resolves to `{ said, stop }`: what it printed, and what ends it; the end of the test does too. */
export async function started(t, args, env = {}) {
  const child = spawn(npmProgram("node"), [inRoot("scripts", "start.mjs"), ...args], {
    env: toolEnv({ BATON_PREPARED: "1", ORIGIN_SECRET: "", ...env }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const ended = once(child, "exit");
  const greeted = new Promise((resolve) =>
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("Ctrl-C ends it")) resolve();
    }),
  );
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  t.after(stop);
  await Promise.race([greeted, ended.then(([code]) => Promise.reject(new Error(`it ended with ${code}: ${said}`)))]);
  return { said, stop };
}
