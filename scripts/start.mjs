// `npm start`: sets up, builds and runs everything locally, the worker on workerd with a demo shop behind it.
//
//   npm start -- --port 8787 --permits 3 [--origin URL] [--data DIR] [any room setting in kebab-case]
//
// The room is the first one in wrangler.toml, changed by the flags. `--data DIR` keeps the objects' storage and the
// secrets, so that tickets and passes stay valid over restarts.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fail, inRoot, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";

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
  const secrets = { ...devSecrets(own.data), ...localSecrets() };
  if (own.origin) delete secrets.ORIGIN_SECRET;
  await checkConfig({ ROOMS, ORIGIN: own.origin ?? "http://127.0.0.1", OPERATORS, TURNSTILE_SITE_KEY, secrets });
  const { assetsDir, workerDir } = await build();
  const port = own.port ?? PORT;
  const shop = own.origin ? undefined : await startDemo({ secrets, port, ROOMS });
  const vars = { ROOMS, ORIGIN: own.origin ?? shop?.url, OPERATORS, TURNSTILE_SITE_KEY, ...secrets };
  const dataDir = own.data && path.join(path.resolve(own.data), "objects");
  const runtime = await startRuntime({ port, vars, dataDir, workerDir, assetsDir, verbose: true, onCrash: crashed }).catch(portTaken(port));
  stopOnSignal(runtime, shop);
  greet({ port: runtime.port, shop, own, ROOMS });
}

/** wrangler.toml's rooms, the first of them with the flags laid over it. */
function roomsWith(changes) {
  const { ROOMS } = wranglerConfig().vars;
  const [name] = Object.keys(ROOMS);
  return { ...ROOMS, [name]: { ...ROOMS[name], permits: DEMO_PERMITS, ...changes } };
}

/** Secrets nobody has to think about: new for each run, or kept in the data folder. */
function devSecrets(dataDir) {
  const fresh = Object.fromEntries(["BATON_SECRET", "ORIGIN_SECRET", "BATON_ADMIN_TOKEN"].map((name) => [name, randomBytes(32).toString("base64url")]));
  if (!dataDir) return fresh;
  const file = path.join(dataDir, "secrets.json");
  if (existsSync(file)) return { ...fresh, ...JSON.parse(readFileSync(file, "utf8")) };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, JSON.stringify(fresh, null, 2));
  chmodSync(file, 0o600);
  return fresh;
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
const gatedPath = (ROOMS) => (Object.values(ROOMS)[0].paths?.[0] ?? "/").replace(/\*.*$/, "");

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

function greet({ port, shop, own, ROOMS }) {
  const [[name, { permits }]] = Object.entries(ROOMS);
  const base = `http://localhost:${port}`;
  const lines = [
    "",
    `  Baton stands in front of ${own.origin ?? (shop ? "the demo shop" : "nothing (no demo/shop.mjs)")}, room "${name}", ${permits} ${permits === 1 ? "permit" : "permits"}.`,
    "",
    `  the shop        ${base}/`,
    `  behind the gate ${base}${gatedPath(ROOMS)}`,
    "",
    "  Every browser profile or private window is another visitor. Ctrl-C ends it.",
    "",
  ];
  console.log(lines.join("\n"));
}

await main().catch(fail);
