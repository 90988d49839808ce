// `npm run deploy [-- --dry-run …]`: checks wrangler.toml with the worker's own schema and by what Cloudflare takes, builds, and lets
// wrangler deploy. Rooms, operators, grounds and webhooks go beside the code, since a variable takes only 5 KB. The scripts of earlier
// builds stay, for pages that are open. Further arguments go to wrangler.

import { fail } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { send } = await import("./send.mjs");
const { wranglerConfig } = await import("./settings.mjs");

await (async () => send(wranglerConfig(), process.argv.slice(2), "deploy"))().catch(fail);
