// Everything that runs while it is measured: `workerd serve` with Baton, another with the ceilings, the origin. Each starts when it is first asked
// for, and all end together. Nothing goes through the imitation of Cloudflare's assets, which would be measured too.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { workerDir } from "../../scripts/build.mjs";
import { inRoot, npmProgram, output } from "../../scripts/common.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";
import { compatibility } from "../../scripts/workerd-config.mjs";
import { ceilingsDir } from "../build.mjs";
import { Line, requestText } from "./line.mjs";

const ADMIN_TOKEN = randomBytes(32).toString("hex");
const SECRET = randomBytes(32).toString("hex");
const HOUR_S = 3_600;
/** Nobody is called: everybody stays in line. */
export const LINE = { permits: 0, journal_keep_days: 1 };
/** Everybody walks in, and passes stay fresh. */
export const OPEN = { permits: 1_000, pass_ttl_s: HOUR_S, lease_idle_s: HOUR_S, lease_max_s: 2 * HOUR_S, claim_within_s: HOUR_S };

/** The wrapper for rooms that the feeder feeds; their names begin with `fed-`. */
export const DEAF = inRoot("bench", "lib", "deaf.js");

const text = (value) => JSON.stringify(value);

export class Stage {
  #ends = [];
  #started = new Map();
  /** What was asked for on the command line: rounds, seconds, connections, … */
  options;

  constructor(options) {
    this.options = options;
  }

  /** Keeps something that has begun, so that `end` calls its `stop()`. */
  keep(thing) {
    this.#ends.push(thing);
    return thing;
  }

  async end() {
    for (const thing of this.#ends.splice(0).reverse()) await thing.stop();
  }

  /** Makes a new folder for objects' storage. It is removed at the end. */
  temporaryFolder() {
    const folder = mkdtempSync(path.join(this.options.data, "baton-bench-"));
    this.keep({ stop: () => rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }) });
    return folder;
  }

  #once(name, start) {
    if (!this.#started.has(name))
      this.#started.set(
        name,
        start().then((thing) => this.keep(thing)),
      );
    return this.#started.get(name);
  }

  origin() {
    return this.#once("origin", startOrigin);
  }

  /** Starts the ceilings in a process of their own: `{ url, port, pid }`; `jsUrl` is the ceiling in JavaScript. */
  ceilings() {
    return this.#once("ceilings", () => this.#beginCeilings());
  }

  /** Starts new ceilings. `carrying`: a wasm file that they load too. */
  async coldCeilings(/** @type {{ carrying?: string }} */ { carrying } = {}) {
    return this.keep(await this.#beginCeilings(carrying));
  }

  async #beginCeilings(carrying) {
    const origin = await this.origin();
    return startCeilings(origin.url, this.temporaryFolder(), carrying);
  }

  /**
   * Starts a Baton with these rooms: `name` -> settings; the paths are `/name/*`. The feeder runs beside it, unless `isFed` is false; then
   * the ceilings need not be built. With `inspector` it can be profiled. `beside(vars)` returns more workers for the same process.
   * @typedef {Pick<import("../../scripts/runtime.mjs").Serving, "wrapper" | "dataDir" | "inspector"> & { isFed?: boolean,
   *   beside?: (vars: object) => import("../../scripts/runtime.mjs").Beside[] }} Running
   */
  async baton(rooms, /** @type {Running} */ { wrapper, dataDir, isFed = true, inspector = false, beside = () => [] } = {}) {
    const origin = await this.origin();
    const ROOMS = Object.fromEntries(Object.entries(rooms).map(([name, settings]) => [name, { paths: [`/${name}/*`], ...settings }]));
    const vars = { ROOMS, ORIGIN: origin.url, BATON_SECRET: SECRET, ORIGIN_SECRET: SECRET, BATON_ADMIN_TOKEN: ADMIN_TOKEN };
    const runtime = await startRuntime({
      vars,
      door: false,
      wrapper,
      inspector,
      dataDir: dataDir ?? this.temporaryFolder(),
      beside: [...(isFed ? [{ name: "feeder", worker: feeder }] : []), ...beside(vars)],
    });
    return this.keep(new Baton(runtime));
  }
}

/** A running Baton and what the measurements need of it. */
class Baton {
  constructor(runtime) {
    this.runtime = runtime;
  }

  get url() {
    return this.runtime.url;
  }
  get port() {
    return this.runtime.port;
  }
  get pid() {
    return this.runtime.pid;
  }
  get origin() {
    return this.url;
  }
  get inspectorUrl() {
    return this.runtime.inspectorUrl;
  }
  get feederUrl() {
    return `http://127.0.0.1:${this.runtime.portOf("feeder")}`;
  }
  stop() {
    return this.runtime.stop();
  }

  /** Resolves to the cookies of `count` new visitors, `name=value`. */
  async visitors(count) {
    const tokens = await this.feed(`/mint/127.0.0.1:${this.port}/${count}`);
    return tokens
      .trim()
      .split("\n")
      .map((token) => `baton-visitor=${token}`);
  }

  async feed(path) {
    return ask(this.runtime.portOf("feeder"), path);
  }

  /** Resolves to what the operator sees of a room. */
  async report(room) {
    return JSON.parse(await ask(this.port, `/__baton/admin/rooms/${room}`, { authorization: `Bearer ${ADMIN_TOKEN}` })).report;
  }

  /** Resets the room: nobody is in it any more. */
  async reset(room) {
    const address = `${this.url}/__baton/admin/rooms/${room}`;
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    const seen = await fetch(address, { headers: { authorization } });
    const headers = { authorization, "content-type": "application/json", "if-match": seen.headers.get("etag") };
    const answer = await fetch(`${address}/reset`, { method: "POST", headers, body: JSON.stringify({ room }) });
    if (answer.status !== 200) throw new Error(`${room} could not be reset: ${answer.status} ${await answer.text()}`);
  }
}

/** Sends one request on a connection of its own and resolves to the body. Throws unless the answer is 200. */
export async function ask(port, path, headers = {}) {
  const line = await Line.open(port);
  try {
    const { status, body } = await line.send(requestText("GET", path, { host: `127.0.0.1:${port}`, ...headers }));
    if (status !== 200) throw new Error(`${path}: answered ${status} ${body.slice(0, 200)}`);
    return body;
  } finally {
    line.close();
  }
}

/** Returns the seconds of CPU that a process has used; undefined where the system does not tell. */
export function cpuSeconds(pid) {
  const [, hours, minutes, seconds] = /(?:(\d+):)?(\d+):([\d.]+)\s*$/.exec(output("ps", ["-o", "time=", "-p", String(pid)]) ?? "") ?? [];
  return fineCpuSeconds(pid) ?? (seconds === undefined ? undefined : Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Returns the user and system time that Linux reports, in hundredths of a second. */
function fineCpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

// ------------------------------------------------------------------------------------------------ processes

async function startOrigin() {
  const child = spawn(process.execPath, [inRoot("bench", "lib", "origin.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${Number(port)}`, stop: () => endOf(child) };
}

/** The path of the wasm that is deployed. */
export const workerWasm = () => path.join(workerDir(), "index_bg.wasm");

/** The runtime starts with the first module. */
const ceilingModules = (file, carrying) => `modules = [
    ${carrying === undefined ? "" : `(name = "carrying.js", esModule = ${text('import "./carried.wasm"; export * from "./index.js"; export { default } from "./index.js";')}),`}
    (name = "index.js", esModule = embed ${file(path.join(ceilingsDir, "index.js"))}),
    (name = "index_bg.wasm", wasm = embed ${file(path.join(ceilingsDir, "index_bg.wasm"))}),
    ${carrying === undefined ? "" : `(name = "carried.wasm", wasm = embed ${file(carrying)}),`}
  ],
  ${compatibility()}`;

/** The worker that sends batches straight to Baton's room objects, as a Workerd.Worker. */
const feeder = (file) => `(
  ${ceilingModules(file)},
  bindings = [
    (name = "BATON_SECRET", text = ${text(SECRET)}),
    (name = "ROOM", durableObjectNamespace = (className = "RoomObject", serviceName = "main")),
  ],
)`;

async function startCeilings(originUrl, work, carrying) {
  mkdirSync(path.join(work, "objects"));
  const file = (name) => text(path.relative(work, name));
  const object = (name) => `(className = "${name}", uniqueKey = "ceiling-${name}", enableSql = true)`;
  const binding = (name) => `(name = "${name.toUpperCase()}", durableObjectNamespace = "${name}")`;
  writeFileSync(
    path.join(work, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main), (name = "least", worker = .least),
    (name = "internet", network = (allow = ["private", "public"])),
    (name = "data", disk = (path = ${text(path.join(work, "objects"))}, writable = true)),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:0", http = (), service = "main"),
    (name = "least", address = "127.0.0.1:0", http = (), service = "least"),
  ],
);
const main :Workerd.Worker = (
  ${ceilingModules(file, carrying)},
  bindings = [(name = "ORIGIN", text = ${text(originUrl)}), ${binding("Desk")}, ${binding("Relay")}],
  durableObjectNamespaces = [${object("Desk")}, ${object("Relay")}],
  durableObjectStorage = (localDisk = "data"),
);
const least :Workerd.Worker = (
  modules = [(name = "main.js", esModule = embed ${file(inRoot("bench", "ceilings", "passthrough.js"))})],
  ${compatibility()},
  bindings = [(name = "ORIGIN", text = ${text(originUrl)})],
);
`,
  );
  const child = endsWithUs(
    spawn(npmProgram("workerd"), ["serve", "config.capnp", "--experimental", "--control-fd=3"], {
      cwd: work,
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    }),
  );
  const ports = await listening(child, ["http", "least"]);
  const at = (name) => `http://127.0.0.1:${ports[name]}`;
  return { url: at("http"), port: ports.http, jsUrl: at("least"), pid: child.pid, stop: () => endOf(child) };
}

/** Resolves to the port of each of workerd's sockets, once it has reported all of them. */
async function listening(child, names) {
  const ports = {};
  let heard = "";
  const all = new Promise((resolve) =>
    child.stdio[3].on("data", (chunk) => {
      heard += chunk;
      const lines = heard.split("\n");
      heard = lines.pop();
      for (const { socket, port } of lines.map((line) => JSON.parse(line))) ports[socket] = port;
      if (names.every((name) => ports[name])) resolve(ports);
    }),
  );
  return Promise.race([
    all,
    once(child, "exit").then(() => {
      throw new Error("the ceilings did not start");
    }),
  ]);
}

/** Kills the child when this process ends, however that happens. */
function endsWithUs(child) {
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.removeListener("exit", kill));
  return child;
}

async function endOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 3_000);
  await gone;
  clearTimeout(late);
}
