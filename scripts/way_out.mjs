// `npm run way-out [-- --dry-run] [--env NAME]`: takes Baton out of the way. It deploys src/way_out/forward.js under Baton's name,
// routes, bindings and secrets: everybody reaches the site, nobody waits, and nothing is built or asked first. The way back is
// `npm run deploy`; those who waited before have their places then.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { fail, inRoot, must, npmProgram, toolEnv } from "./common.mjs";

/** Returns wrangler's configuration for it: Baton's own, less what it does not need. The page's files stay if they are there. */
export function wayOut(wrangler, { root = inRoot() } = {}) {
  const onlyOrigin = ({ ORIGIN, ORIGIN_HOST } = {}) => ({ ...(ORIGIN !== undefined && { ORIGIN }), ...(ORIGIN_HOST !== undefined && { ORIGIN_HOST }) });
  const { build: _, vars, assets, env, ...config } = wrangler;
  const files = assets && existsSync(`${root}/${assets.directory}`) ? { assets: { ...assets, directory: `${root}/${assets.directory}` } } : {};
  const environments = env && { env: Object.fromEntries(Object.entries(env).map(([name, one]) => [name, { ...one, vars: onlyOrigin(one.vars) }])) };
  return { ...config, ...files, ...environments, vars: onlyOrigin(vars), main: `${root}/src/way_out/forward.js` };
}

async function main(args) {
  const { wranglerConfig } = await import("./settings.mjs");
  const folder = inRoot(".baton", "way-out");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/wrangler.json`, JSON.stringify(wayOut(wranglerConfig()), null, 2));
  const env = toolEnv({ WRANGLER_SEND_METRICS: "false" });
  await must(npmProgram("wrangler"), ["deploy", "--config", `${folder}/wrangler.json`, ...args], { env });
  console.log("\nBaton is out of the way: everybody reaches the site. The way back: npm run deploy");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2)).catch(fail);
