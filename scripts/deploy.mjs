// `npm run deploy [-- --dry-run …]`: checks wrangler.toml with the worker's own schema and by what Cloudflare takes, builds, and
// lets wrangler deploy. Rooms, operators, grounds and webhooks go beside the code, for a variable takes 5 KB and no more; scripts of the
// builds before stay, for pages that are open. Further arguments go to wrangler.

import { fail } from "./common.mjs";
import { prepare } from "./setup.mjs";

await prepare();
const { send } = await import("./send.mjs");
const { wranglerConfig } = await import("./settings.mjs");

await (async () => send(wranglerConfig(), process.argv.slice(2), "deploy"))().catch(fail);
