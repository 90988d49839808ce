// Sends a worker to Cloudflare: checks its settings, builds, puts rooms, operators, grounds and webhooks beside the code, keeps the scripts of
// earlier builds, and lets wrangler deploy. For `deploy.mjs` and `staging.mjs`. Needs npm packages: import it after set-up.

import { mkdirSync, writeFileSync } from "node:fs";
import { assetsDir, build, placeSettings } from "./build.mjs";
import { inRoot } from "./common.mjs";
import { NOTHING, deployed } from "./deployed.mjs";
import { checkArguments, deployment, sitesOf } from "./deployment.mjs";
import { keepFrom } from "./kept.mjs";
import { checkConfig } from "./settings.mjs";
import { unreachedText } from "./unreached.mjs";

/** Takes the scripts of earlier builds from the site as it is. Without them an open page may miss one. */
async function keepScripts(config, command) {
  for (const site of sitesOf(config)) {
    try {
      const count = await keepFrom(site, assetsDir);
      console.log(count === null ? `${command}: ${site} has no Baton yet` : `${command}: ${count} files of earlier builds stay`);
    } catch (error) {
      console.warn(
        `${command}: the files of the build before could not be had from ${site} (${error.message}). Pages that are open now may miss a script until they are loaded again.`,
      );
    }
  }
}

/**
 * Sends what `wrangler`, a wrangler.toml as an object, describes, and says so if nothing was deployed. `command` names the folder below `.baton` and
 * begins each printed line. Resolves to the file of wrangler's configuration, or to null if nothing was deployed.
 */
export async function send(wrangler, args, command) {
  const { env } = checkArguments(args);
  const { config, settings, measured } = deployment(wrangler, { env });
  const described = env === undefined ? wrangler : wrangler.env[env];
  await checkConfig(described.vars ?? {});
  process.stderr.write(unreachedText(described));
  for (const [name, bytes] of Object.entries(measured)) console.log(`${command}: ${name}, ${bytes} bytes`);
  await build();
  if (!args.includes("--dry-run")) await keepScripts(env === undefined ? config : { ...config, ...config.env[env] }, command);
  placeSettings(settings);
  try {
    const folder = inRoot(".baton", command);
    mkdirSync(folder, { recursive: true });
    const file = inRoot(".baton", command, "wrangler.json");
    const whole = { ...config, main: inRoot(config.main), assets: { ...config.assets, directory: inRoot(config.assets.directory) } };
    writeFileSync(file, JSON.stringify(whole, null, 2));
    const version = await deployed(["--config", file, ...args], { BATON_PREPARED: "1" });
    console.log(`\n${command}: ${version === null ? NOTHING : `deployed, version ${version}.`}`);
    return version === null ? null : file;
  } finally {
    // The next runtime here has its rooms among its variables.
    placeSettings({});
  }
}
