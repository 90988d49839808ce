// `npm run deploy [-- --dry-run …]`: checks wrangler.toml with the worker's own schema, then lets wrangler build and
// deploy. Further arguments go to wrangler.

import { fail, inRoot, must, npmProgram, toolEnv } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { checkConfig, wranglerConfig } = await import("./settings.mjs");

try {
  const { ROOMS, ORIGIN, OPERATORS, TURNSTILE_SITE_KEY } = wranglerConfig().vars;
  await checkConfig({ ROOMS, ORIGIN, OPERATORS, TURNSTILE_SITE_KEY });
  const env = toolEnv({ BATON_PREPARED: "1", WRANGLER_SEND_METRICS: "false" });
  await must(npmProgram("wrangler"), ["deploy", "--config", inRoot("wrangler.toml"), ...process.argv.slice(2)], { env });
} catch (error) {
  fail(error);
}
