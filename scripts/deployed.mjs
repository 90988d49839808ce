// Runs `wrangler deploy` and finds out whether it deployed anything. It ends well too after a dry run, and when somebody answers no to its question.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { must, npmProgram, toolEnv } from "./common.mjs";

/** Returns the version that wrangler deployed, from the lines of its output file; null if it deployed none. */
export function versionIn(lines) {
  const entries = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return entries.find(({ type }) => type === "deploy")?.version_id ?? null;
}

/** Deploys with these arguments for wrangler. Resolves to the version that was deployed, or to null if nothing was. */
export async function deployed(args, env = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-deployed-"));
  const file = path.join(folder, "output.ndjson");
  try {
    await must(npmProgram("wrangler"), ["deploy", ...args], {
      env: toolEnv({ WRANGLER_SEND_METRICS: "false", ...env, WRANGLER_OUTPUT_FILE_PATH: file }),
    });
    return versionIn(readFileSync(file, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a command says when nothing was deployed. */
export const NOTHING = "Nothing was deployed: what runs at Cloudflare is as it was.";
