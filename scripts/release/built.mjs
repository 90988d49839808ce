// In a release this replaces `build.mjs` and `setup.mjs`: everything is built, and nothing is installed. The commands of the release's tools/ are
// bundled with it (scripts/release.mjs).

import { readFileSync, writeFileSync } from "node:fs";
import { initSync, check, reference } from "baton-check";
import { inRoot } from "../common.mjs";

export const assetsDir = inRoot("build", "assets");
export const settingsModule = (settings) => `export default ${JSON.stringify(settings)};\n`;
export const placeSettings = (settings) => writeFileSync(inRoot("build", "settings.js"), settingsModule(settings));
export const prepare = async () => {};
export const build = async () => ({ workerDir: inRoot("build"), assetsDir });

/** Returns the checker of configurations, as WebAssembly beside the command. */
export async function checker() {
  initSync({ module: readFileSync(inRoot("tools", "check.wasm")) });
  return { check: (asked) => JSON.parse(check(JSON.stringify(asked))), reference };
}
