// `npm run deploy [-- --dry-run …]`: checks wrangler.toml with the worker's own schema and by what Cloudflare takes, builds, and
// lets wrangler deploy. Rooms, operators and grounds go beside the code, for a variable takes 5 KB and no more; scripts of the builds
// before stay, for pages that are open. Further arguments go to wrangler.

import { mkdirSync, writeFileSync } from "node:fs";
import { checkArguments, deployment, sitesOf } from "./deployment.mjs";
import { fail, inRoot, must, npmProgram, toolEnv } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { assetsDir, build, placeSettings } = await import("./build.mjs");
const { keepFrom } = await import("./kept.mjs");
const { checkConfig, wranglerConfig } = await import("./settings.mjs");

/** Scripts of the builds before, from the site as it is; without them an open page may miss one. */
async function keepScripts(config) {
  for (const site of sitesOf(config)) {
    try {
      const count = await keepFrom(site, assetsDir);
      console.log(count === null ? `deploy: ${site} has no Baton yet` : `deploy: ${count} files of earlier builds stay`);
    } catch (error) {
      console.warn(`deploy: the files of the build before could not be had from ${site} (${error.message}). Pages that are open now may miss a script until they are loaded again.`);
    }
  }
}

async function deploy(args) {
  const { env } = checkArguments(args);
  const wrangler = wranglerConfig();
  const { config, settings, measured } = deployment(wrangler, { env });
  await checkConfig((env === undefined ? wrangler : wrangler.env[env]).vars ?? {});
  for (const [name, bytes] of Object.entries(measured)) console.log(`deploy: ${name}, ${bytes} bytes`);
  await build();
  if (!args.includes("--dry-run")) await keepScripts(env === undefined ? config : { ...config, ...config.env[env] });
  placeSettings(settings);
  try {
    const folder = inRoot(".baton", "deploy");
    mkdirSync(folder, { recursive: true });
    const file = inRoot(".baton", "deploy", "wrangler.json");
    const whole = { ...config, main: inRoot(config.main), assets: { ...config.assets, directory: inRoot(config.assets.directory) } };
    writeFileSync(file, JSON.stringify(whole, null, 2));
    const to = toolEnv({ BATON_PREPARED: "1", WRANGLER_SEND_METRICS: "false" });
    await must(npmProgram("wrangler"), ["deploy", "--config", file, ...args], { env: to });
  } finally {
    // Whatever runs here next has its rooms among its variables.
    placeSettings({});
  }
}

await deploy(process.argv.slice(2)).catch(fail);
