// `npm start`: sets up, builds and runs everything locally, the worker on workerd with a demo shop behind it.
//
//   npm start -- --port 8787 --permits 3 [--origin URL] [--data DIR] [any room setting in kebab-case]
//
// The room is the first one in wrangler.toml, changed by the flags. `--data DIR` keeps the objects' storage and the
// secrets, so that tickets and passes stay valid over restarts. `--origin URL` keeps the secret that the shop there is given.

import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, inRoot, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";
import { startSecrets } from "./start-secrets.mjs";

const PORT = 8787;
const DEMO_PERMITS = 3;

await prepare();
// From here on npm's packages are there and Node is new enough.
const { build } = await import("./build.mjs");
const { startRuntime } = await import("./runtime.mjs");
const { checkConfig, localSecrets, parseFlags, wranglerConfig } = await import("./settings.mjs");

async function main() {
  const { own, room: changes } = parseFlags(process.argv.slice(2));
  const ROOMS = roomsWith(changes);
  const { OPERATORS, TURNSTILE_SITE_KEY } = wranglerConfig().vars;
  const secrets = { ...startSecrets({ dataDir: own.data, origin: own.origin }), ...localSecrets() };
  await checkConfig({ ROOMS, ORIGIN: own.origin ?? "http://127.0.0.1", OPERATORS, TURNSTILE_SITE_KEY, secrets });
  const { assetsDir, workerDir } = await build();
  const port = own.port ?? PORT;
  const shop = own.origin ? undefined : await startDemo({ secrets, port, ROOMS });
  const vars = { ROOMS, ORIGIN: own.origin ?? shop?.url, OPERATORS, TURNSTILE_SITE_KEY, ...secrets };
  const dataDir = own.data && path.join(path.resolve(own.data), "objects");
  const runtime = await startRuntime({ port, vars, dataDir, workerDir, assetsDir, verbose: true, onCrash: crashed }).catch(portTaken(port));
  stopOnSignal(runtime, shop);
  greet({ port: runtime.port, shop, own, ROOMS, secrets });
}

/** wrangler.toml's rooms, the first of them with the flags laid over it. */
function roomsWith(changes) {
  const { ROOMS } = wranglerConfig().vars;
  const [name] = Object.keys(ROOMS);
  return { ...ROOMS, [name]: { ...ROOMS[name], permits: DEMO_PERMITS, ...changes } };
}

async function startDemo({ secrets, port, ROOMS }) {
  const file = inRoot("demo", "shop.mjs");
  if (!existsSync(file)) return undefined;
  const { startShop } = await import(pathToFileURL(file));
  const publicHosts = [`localhost:${port}`, `127.0.0.1:${port}`];
  const crowdUrl = `http://localhost:${port}${gatedPath(ROOMS)}`;
  return startShop({ originSecret: secrets.ORIGIN_SECRET, publicHosts, room: Object.keys(ROOMS)[0], crowdUrl });
}

/** An address behind the first room's gate. */
const gatedPath = (ROOMS) => (Object.values(ROOMS)[0].paths?.[0] ?? "/").replace(/^[A-Z]+ |\*.*$/g, "");

function stopOnSignal(runtime, shop) {
  const stop = async () => {
    await runtime.stop();
    await shop?.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
}

function crashed(how) {
  console.error(`\nworkerd ended by itself (${how}).`);
  // Ctrl-C reaches workerd too, perhaps before us: let our own handler have its turn.
  setTimeout(() => process.exit(1), 1000).unref();
}

const portTaken = (port) => (error) => {
  if (/in use/i.test(error.message)) throw new UserError(`Port ${port} is taken. Choose another: npm start -- --port ${port + 1}`);
  throw error;
};

function greet({ port, shop, own, ROOMS, secrets }) {
  const [[name, { permits }]] = Object.entries(ROOMS);
  const base = `http://localhost:${port}`;
  const lines = [
    "",
    `  Baton stands in front of ${own.origin ?? (shop ? "the demo shop" : "nothing (no demo/shop.mjs)")}, room "${name}", ${permits} ${permits === 1 ? "permit" : "permits"}.`,
    "",
    `  the shop        ${base}/`,
    `  behind the gate ${base}${gatedPath(ROOMS)}`,
    `  the desk        ${base}/__baton/admin/, with the token ${localSecrets().BATON_ADMIN_TOKEN ? "BATON_ADMIN_TOKEN that you set" : secrets.BATON_ADMIN_TOKEN}`,
    "",
    ...(own.origin ? forTheShop({ port, secrets }) : []),
    "  Every browser profile or private window is another visitor. Ctrl-C ends it.",
    "",
  ];
  console.log(lines.join("\n"));
}

/** What the shop's check of Baton's proof is to be given. The secret is the same the next time. */
function forTheShop({ port, secrets }) {
  return [
    "  The shop's check of Baton's proof (docs/stacks/) takes these from its environment, the same at every start:",
    "",
    `    export ORIGIN_SECRET='${secrets.ORIGIN_SECRET}' BATON_HOSTS=localhost:${port}`,
    "",
  ];
}

await main().catch(fail);
