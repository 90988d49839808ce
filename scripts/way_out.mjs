// `npm run way-out [-- --dry-run] [--env NAME]`: takes Baton out of the way. It deploys src/way_out/forward.js under Baton's name,
// routes, bindings and secrets: everybody reaches the site, nobody waits, and nothing is built or asked first. The way back is
// `npm run deploy`; those who waited before have their places then.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { fail, inRoot } from "./common.mjs";
import { NOTHING, deployed } from "./deployed.mjs";

/**
 * Returns wrangler's configuration for it: Baton's own, less what it does not need. The page's files stay if they are there.
 * @param {import("./settings.mjs").Wrangler} wrangler
 */
export function wayOut(wrangler, { root = inRoot() } = {}) {
  /** @param {import("./settings.mjs").Vars} [vars] */
  const onlyOrigin = ({ ORIGIN, ORIGIN_HOST } = {}) => ({
    ...(ORIGIN !== undefined && { ORIGIN }),
    ...(ORIGIN_HOST !== undefined && { ORIGIN_HOST }),
  });
  const { build: _, vars, assets, env, ...config } = wrangler;
  const files = assets && existsSync(`${root}/${assets.directory}`) ? { assets: { ...assets, directory: `${root}/${assets.directory}` } } : {};
  const environments = env && { env: Object.fromEntries(Object.entries(env).map(([name, one]) => [name, { ...one, vars: onlyOrigin(one.vars) }])) };
  return { ...config, ...files, ...environments, vars: onlyOrigin(vars), main: `${root}/src/way_out/forward.js` };
}

/** Returns what came of it: whoever reads this may be in an emergency. */
export const outcome = (version) =>
  version === null
    ? `${NOTHING} Baton is still in front of the site.`
    : `Baton is out of the way: everybody reaches the site (version ${version}). The way back: npm run deploy`;

async function main(args) {
  const { wranglerConfig } = await import("./settings.mjs");
  const folder = inRoot(".baton", "way-out");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/wrangler.json`, JSON.stringify(wayOut(wranglerConfig()), null, 2));
  const version = await deployed(["--config", `${folder}/wrangler.json`, ...args]);
  console.log(`\n${outcome(version)}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2)).catch(fail);
