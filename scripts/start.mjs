// `npm start`: sets up, builds and runs everything locally, the worker on workerd with a demo shop behind it.
//
//   npm start -- --port 8787 --permits 3 [--origin URL] [--origin-host public] [--behind-proxy] [--data DIR] [--show sale] [any room setting in kebab-case]
//   npm start -- --help
//
// The room is the first one in wrangler.toml, changed by the flags. The house may put rooms anywhere, unless wrangler.toml has grounds. `--data DIR`
// keeps the objects' storage and the secrets, so that tickets and passes stay valid over restarts. `--origin URL` keeps the secret that the shop
// there is given. `--show sale` sends a crowd and prints the address of a page that shows all of it. After a change the desk's forecast and report
// are built in the background, once the addresses are printed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, compileAhead } from "./build.mjs";
import { fail, inRoot, toolEnv, UserError } from "./common.mjs";
import { readyFolder, whyNotFrom } from "./data_folder.mjs";
import { helpText, parseFlags } from "./flags.mjs";
import { gatedPath } from "./gated_path.mjs";
import { prepare } from "./setup.mjs";
import { startSecrets } from "./start-secrets.mjs";

const PORT = 8787;
/** Before the demo shop; the operator's own has what its room in wrangler.toml says. */
const DEMO_PERMITS = 3;
/** Where the house may put rooms, unless wrangler.toml says it. */
const EVERYWHERE = { paths: ["/*"] };
/**
 * A sale to watch: five people arrive in three seconds, and twelve permits with visits of ten seconds let six in five seconds in.
 * Everybody has the same address here.
 */
const SHOW = { permits: 12, tickets_per_ip_max: 0, walk_ins_per_ip_max: 0, walk_ins_per_ip_max_percent: 0, joins_per_ip_per_minute: 0 };
const SHOW_CROWD = { visitors: 300, arriveWithinMs: 180_000, holdMs: [4_000, 16_000], vanish: 0.05, reload: 0.05, leave: 0.05, timeoutMs: 1_800_000 };

const flags = readFlags();
await prepare({ meanwhile: compileAhead });
// From here on npm's packages are installed and Node is new enough.
const { startRuntime } = await import("./runtime.mjs");
const { whereTo } = await import("./self-host.mjs");
const { checkConfig, localSecrets, objectBindings, wranglerConfig } = await import("./settings.mjs");

/** Reads the flags before anything is installed: a wrong flag should not cost minutes. */
function readFlags() {
  try {
    const found = parseFlags(process.argv.slice(2));
    if (!found.own.help) return found;
    console.log(helpText({ columns: Math.min(process.stdout.columns ?? 100, 120) }));
    process.exit();
  } catch (error) {
    fail(error);
  }
}

async function main() {
  const { own, room: changes } = flags;
  const ROOMS = roomsWith({ ...(own.origin ? {} : { permits: DEMO_PERMITS }), ...(own.show ? SHOW : {}), ...changes });
  const hasHouse = objectBindings().some(({ binding }) => binding === "HOUSE");
  const {
    GROUNDS = hasHouse ? EVERYWHERE : undefined,
    ORIGIN_TIMEOUT_S,
    CLEAR_SITE_DATA,
    PASS_HEADERS,
    FRONT_HEADERS,
    ACCESS,
    OIDC,
    OPERATORS,
    TURNSTILE_SITE_KEY,
    WEBHOOKS,
  } = wranglerConfig().vars;
  const fixed = {
    GROUNDS,
    ROOMS,
    ORIGIN_TIMEOUT_S,
    CLEAR_SITE_DATA,
    PASS_HEADERS,
    FRONT_HEADERS,
    ACCESS,
    OIDC,
    OPERATORS,
    TURNSTILE_SITE_KEY,
    WEBHOOKS,
  };
  const secrets = { ...startSecrets({ dataDir: own.data, origin: own.origin }), ...localSecrets() };
  // Everything is compiled together, the checker too: on a first start each alone would keep one core busy and leave the others idle.
  const { assetsDir, workerDir, later } = await build({ profile: "local" });
  await checkConfig({ ...fixed, ORIGIN: own.origin ?? "http://127.0.0.1", secrets });
  // The shop is told its public address before anything listens there.
  const port = own.port === 0 ? await freePort() : (own.port ?? PORT);
  const shop = own.origin ? undefined : await startDemo({ secrets, port, ROOMS });
  const { vars, originService } = whereTo({ ...fixed, ORIGIN: own.origin ?? shop?.url, ORIGIN_HOST: own.origin_host, ...secrets });
  const dataDir = own.data && path.join(path.resolve(own.data), "objects");
  if (dataDir) readyFolder(dataDir, (said) => console.error(said));
  const runtime = await startRuntime({
    port,
    vars: { ...vars, CLOUDFLARE: false },
    originService,
    behindProxy: own.behind_proxy,
    dataDir,
    keeps: Boolean(dataDir),
    workerDir,
    assetsDir,
    verbose: true,
    onCrash: crashed,
  }).catch(notStarted({ port, dataDir }));
  const rest = later.length > 0 ? buildTheRest() : undefined;
  const watch = own.show ? await startWatching({ port: runtime.port, shop, ROOMS, secrets, rest }) : undefined;
  stopOnSignal(runtime, shop, watch);
  greet({ port: runtime.port, shop, own, ROOMS, GROUNDS, secrets, watch });
  if (rest) sayOfTheRest(rest);
  if (!watch) return;
  openInBrowser(watch.url);
  await showSale({ port: runtime.port, ROOMS });
}

/** Sends the crowd through the gate, and prints at the end what came of it. Baton goes on. How many may be in is yours to change. */
async function showSale({ port, ROOMS }) {
  const [room] = Object.keys(ROOMS);
  const { report, runCrowd } = await import("../demo/crowd.mjs");
  const seed = Date.now() % 1_000_000;
  const plan = { ...SHOW_CROWD, url: `http://localhost:${port}${gatedPath(Object.values(ROOMS)[0])}`, room, seed };
  console.log(report(await runCrowd(plan), plan));
}

/** Builds what the desk loads when somebody asks for it, at low priority. When this process ends, the build ends too. */
function buildTheRest() {
  const child = spawn(process.execPath, [inRoot("scripts", "build.mjs"), "--later"], {
    cwd: inRoot(),
    env: toolEnv({ BATON_PREPARED: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  if (child.pid) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
  // cargo and its compilers are in its process group.
  const end = () => child.exitCode === null && process.kill(-child.pid, "SIGTERM");
  process.once("exit", end);
  let said = "";
  for (const from of [child.stdout, child.stderr])
    from.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      process.removeListener("exit", end);
      if (code === 0) resolve();
      else reject(new UserError(`${said.trimEnd()}\n\nThe desk's forecast and report could not be built. To see why: npm run build -- --later`));
    });
  });
}

function sayOfTheRest(rest) {
  console.log("  The desk's forecast and report are being built in the background. A line here says when they are there.\n");
  rest.then(
    () => console.log("  The desk's forecast and report are there: load its page again.\n"),
    (error) => console.error(error.message),
  );
}

/** Starts the page that shows everything at once (demo/watch.mjs). The report comes when the code that makes it is built. */
async function startWatching({ port, shop, ROOMS, secrets, rest }) {
  const { reporter, startWatch } = await import("../demo/watch.mjs");
  const [[room, settings]] = Object.entries(ROOMS);
  const token = secrets.BATON_ADMIN_TOKEN;
  let reports;
  const made = Promise.resolve(rest).then(async () => {
    reports = await reporter({ url: `http://localhost:${port}`, room, token, built: inRoot(".baton", "report") });
  });
  if (!rest) await made;
  // `sayOfTheRest` reports what went wrong.
  else made.catch(() => {});
  const report = async () => {
    if (!reports) throw new UserError("The report is not there yet: what makes it is still being built. It comes by itself.");
    return reports.make();
  };
  const watch = await startWatch({ port, gate: gatedPath(settings), token, report });
  shop?.trustHost(watch.host);
  const stop = () => {
    watch.stop();
    reports?.stop();
  };
  return { url: watch.url, stop };
}

/** Opens the address in a browser for somebody who sits at this machine. If none opens, the address is printed anyway. */
function openInBrowser(url) {
  const opener = process.platform === "darwin" ? "open" : process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? "xdg-open" : undefined;
  if (!opener || !process.stdout.isTTY) return;
  spawn(opener, [url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}

async function freePort() {
  const server = net.createServer().listen(0);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** Returns wrangler.toml's rooms, with the flags laid over the first one. */
function roomsWith(changes) {
  const { ROOMS } = wranglerConfig().vars;
  const [name] = Object.keys(ROOMS);
  return { ...ROOMS, [name]: { ...ROOMS[name], ...changes } };
}

async function startDemo({ secrets, port, ROOMS }) {
  const file = inRoot("demo", "shop.mjs");
  if (!existsSync(file)) return undefined;
  const { startShop } = await import(pathToFileURL(file).href);
  const publicHosts = [`localhost:${port}`, `127.0.0.1:${port}`];
  const crowdUrl = `http://localhost:${port}${gatedPath(Object.values(ROOMS)[0])}`;
  return startShop({ originSecret: secrets.ORIGIN_SECRET, publicHosts, room: Object.keys(ROOMS)[0], crowdUrl });
}

function stopOnSignal(runtime, shop, watch) {
  const stop = async () => {
    watch?.stop();
    await runtime.stop();
    await shop?.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
}

function crashed(how) {
  console.error(`\nworkerd ended by itself (${how}).`);
  // Ctrl-C reaches workerd too, perhaps before this process: let our own handler have its turn.
  setTimeout(() => process.exit(1), 1000).unref();
}

const notStarted =
  ({ port, dataDir }) =>
  (error) => {
    if (/in use/i.test(error.message)) throw new UserError(`Port ${port} is taken. Choose another: npm start -- --port ${port + 1}`);
    throw (dataDir && whyNotFrom(dataDir, error)) ?? error;
  };

function greet({ port, shop, own, ROOMS, GROUNDS, secrets, watch }) {
  const [[name, { permits }]] = Object.entries(ROOMS);
  const base = `http://localhost:${port}`;
  const gate = `${base}${gatedPath(Object.values(ROOMS)[0])}`;
  const token = localSecrets().BATON_ADMIN_TOKEN ? undefined : secrets.BATON_ADMIN_TOKEN;
  const lines = [
    "",
    `  Baton stands in front of ${own.origin ?? (shop ? "the demo shop" : "nothing (no demo/shop.mjs)")}, room "${name}", ${permits} ${permits === 1 ? "permit" : "permits"}.`,
    "",
    `  the shop        ${base}/`,
    `  behind the gate ${gate}`,
    `  the desk        ${base}/__baton/admin/${token ? `#token=${token}` : " (sign in with the BATON_ADMIN_TOKEN that you set)"}`,
    `  the metrics     ${base}/__baton/metrics (once you are signed in at the desk)`,
    "",
    ...(own.behind_proxy
      ? ["  A proxy in front ends TLS: it hands the visitors' host on, and https in X-Forwarded-Proto (docs/fronts.md).", ""]
      : []),
    ...(own.origin ? forTheShop({ hosts: own.behind_proxy ? "'the names that visitors type'" : `localhost:${port}`, secrets }) : []),
    ...toTry({ own, shop, permits, gate, watch }),
    ...(GROUNDS
      ? [
          "",
          "  A room that comes without a deploy (docs/house.md), in another terminal:",
          `    BATON_ADMIN_TOKEN=${token ?? "…"} npm run house -- clone ${name} spring --set 'paths=/spring/*' --url ${base}`,
        ]
      : []),
    "",
    "  Ctrl-C ends it.",
    "",
  ];
  console.log(lines.join("\n"));
}

/** Returns three things to do in the first minute. */
function toTry({ own, shop, permits, gate, watch }) {
  if (own.show) {
    return [
      `  ${SHOW_CROWD.visitors} people are coming through the gate, for three minutes. Watch:`,
      `    1. Open ${watch.url}: the waiting page, the desk and the report so far, side by side.`,
      "    2. You are one of them: the page says how many are in front, and calls you.",
      "    3. At the desk set permits to more, and see the line move faster.",
    ];
  }
  return [
    "  Three things to try:",
    `    1. Open what is behind the gate in ${permits + 1} private windows: each is a visitor, and the last one waits.`,
    ...(shop
      ? ["    2. Let the button on the shop's page send thirty visitors, and watch the desk."]
      : ["    2. Leave with `Baton-Release: 1` from your shop, and see the next one called."]),
    "    3. npm start -- --show sale: a whole sale to watch. --help lists every setting.",
  ];
}

/** Returns what the shop's check of Baton's proof needs. The secret is the same the next time. */
function forTheShop({ hosts, secrets }) {
  return [
    "  The shop's check of Baton's proof (docs/stacks/) takes these from its environment, the same at every start:",
    "",
    `    export ORIGIN_SECRET='${secrets.ORIGIN_SECRET}' BATON_HOSTS=${hosts}`,
    "",
  ];
}

await main().catch(fail);
