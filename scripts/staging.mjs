// `npm run staging [-- --dry-run …]`: deploys the same code beside production, as staging.toml says: under a name of its own, so with
// objects and secrets of its own, at other hosts, in front of another shop, with a banner on every page. It makes the site's secrets once
// and keeps them in .baton/staging/secrets.json; the staging shop and testers take theirs from there. See docs/staging.md.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fail, inRoot, must, npmProgram, toolEnv, UserError } from "./common.mjs";
import { secretsOf, stagingOf } from "./staging/config.mjs";
import { prepare } from "./setup.mjs";

const FILE = "staging.toml";

async function main(args) {
  await prepare();
  const { readToml } = await import("./toml.mjs");
  const { send } = await import("./send.mjs");
  const { localSecrets, wranglerConfig } = await import("./settings.mjs");
  if (!existsSync(inRoot(FILE))) throw new UserError(`There is no ${FILE}. docs/staging.md has one to begin with.`);
  const config = stagingOf(wranglerConfig(), readToml(inRoot(FILE), FILE));
  const folder = inRoot(".baton", "staging");
  const file = inRoot(".baton", "staging", "secrets.json");
  const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const secrets = secretsOf(known, localSecrets());
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  const sent = await send(config, args, "staging");
  if (sent === null) return;
  const env = toolEnv({ WRANGLER_SEND_METRICS: "false" });
  await must(npmProgram("wrangler"), ["secret", "bulk", file, "--config", sent], { env });
  console.log(
    `\nstaging: ${config.name} is at ${config.routes.map((route) => route.pattern ?? route).join(", ")}. The operator's token, the shop's secret and the entry key are in ${file}.`,
  );
}

await main(process.argv.slice(2)).catch(fail);
