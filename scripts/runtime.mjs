// Runs the built worker on the real runtime, `workerd serve`: for `npm start`, the runtime tests, the page's tests and the benchmarks. Needs npm
// packages: import it after set-up.
//
// `workerd-config.mjs` writes what it serves.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { inRoot, npmProgram } from "./common.mjs";
import { assetsDir as builtAssets, workerDir as builtWorker } from "./build.mjs";
import { locked } from "./data_folder.mjs";
import { configText } from "./workerd-config.mjs";

const START_TIMEOUT_MS = 30_000;
const LOG_CHARS_MAX = 4_000_000;

/**
 * What is served, and how it runs.
 * @typedef {object} Serving
 * @property {number} [port] 0 picks a free one
 * @property {object} [vars] bindings: strings become text, everything else (ROOMS) becomes an object
 * @property {string} [dataDir] the folder of the objects' storage; left out: a temporary folder, which stop() removes (workerd's in-memory storage
 *   knows no SQL)
 * @property {boolean} [keeps] no second process may serve from `dataDir`
 * @property {OriginService} [originService] bound as the service ORIGIN (instead of the var ORIGIN)
 * @property {string} [workerDir] what was built: build/ or build-faults/
 * @property {string | null} [assetsDir] the built assets; null: none
 * @property {Wrapper} [wrapper]
 * @property {Beside[]} [beside] further workers in the same process, each on a port of its own
 * @property {boolean} [door] false binds the port to the worker itself, for measuring; assets are then reached by ASSETS only
 * @property {Record<string, string>} [homes] class -> the folder of another build in which its objects run, as they do while a deploy is under way
 * @property {Record<string, object>} [fronts] further isolates of the front, each on a port of its own: name -> variables laid over `vars`
 * @property {object} [settings] rooms, operators and grounds beside the code instead of among the variables, as a deploy puts them
 * @property {boolean} [behindProxy] the scheme is what `X-Forwarded-Proto` says
 * @property {string} [addressHeader] the header with the visitor's address, in place of `CF-Connecting-IP`
 * @property {NodeJS.ProcessEnv} [env] more variables of the process's environment
 * @property {boolean} [inspector] the isolates can be inspected, at `inspectorUrl`
 * @property {string[]} [v8Flags] for V8, such as `["--expose-gc"]`
 * @property {boolean} [verbose] shows workerd's output as it comes
 * @property {(how: number | string) => void} [onCrash] called with workerd's exit code or signal if it ends without having been told to
 */

/**
 * An HTTP server: "host:port", or that and the name in its certificate.
 * @typedef {string | { address: string, certificateHost?: string }} OriginService
 */

/**
 * A module that is loaded instead of the worker's entry and wraps it, or a list of it and what it imports; null: none.
 * @typedef {string | string[] | null} Wrapper
 */

/**
 * A worker: `worker(file)` returns a Cap'n Proto Workerd.Worker, `file(path)` names a file to embed.
 * @typedef {{ name: string, worker: (file: (path: string) => string) => string }} Beside
 */

/**
 * Starts the worker. Resolves, when the port answers, to `{ url, port, portOf, pid, inspectorUrl, kill, stop, restart, logs }`. `portOf(name)` is
 * the port of a worker of `beside` or `fronts`. `kill(signal)` ends the process and waits for its end. `restart(changes)` kills it (SIGKILL unless
 * `changes.signal`) and starts it again on the same port with the same data, with `changes.vars` laid over the old ones, and with
 * `changes.workerDir`, `changes.homes` and `changes.wrapper` (null: none) instead of the old ones. `stop()` ends it for good and removes temporary
 * files. `logs()` is everything that it printed.
 * @param {Serving} [options]
 */
export async function startRuntime({
  port = 0,
  vars = {},
  dataDir,
  keeps = false,
  originService,
  workerDir = builtWorker(),
  assetsDir = builtAssets,
  door = true,
  wrapper = strictPlatform(),
  beside = [],
  homes = {},
  fronts = {},
  settings,
  behindProxy,
  addressHeader,
  env,
  inspector = false,
  v8Flags,
  verbose = false,
  onCrash = () => {},
} = {}) {
  const work = mkdtempSync(path.join(os.tmpdir(), "baton-workerd-"));
  const storage = path.resolve(dataDir ?? path.join(work, "objects"));
  const state = {
    port,
    ports: {},
    child: undefined,
    isTold: false,
    logs: "",
    vars,
    workerDir,
    homes,
    wrapper,
    lock: keeps ? (command) => locked(storage, command) : (command) => command,
  };
  const start = async () => {
    const config = path.join(work, "config.capnp");
    const stays = !isStrict(state.wrapper);
    writeFileSync(
      config,
      configText({
        stays,
        folder: work,
        vars: state.vars,
        storage,
        originService,
        workerDir: state.workerDir,
        assetsDir,
        door,
        wrapper: state.wrapper,
        beside,
        homes: state.homes,
        fronts,
        settings,
        behindProxy,
        addressHeader,
        v8Flags,
      }),
    );
    await launch(state, config, {
      sockets: ["http", ...beside.map(({ name }) => name), ...Object.keys(fronts)],
      env,
      inspector,
      verbose,
      work,
      onCrash,
    });
  };
  mkdirSync(storage, { recursive: true });
  const clear = () => rmSync(work, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
  await start().catch((error) => {
    clear();
    throw error;
  });
  return {
    get url() {
      return `http://127.0.0.1:${state.port}`;
    },
    get port() {
      return state.port;
    },
    portOf: (name) => state.ports[name],
    get pid() {
      return state.child.pid;
    },
    get inspectorUrl() {
      return `http://127.0.0.1:${state.inspectorPort}`;
    },
    kill: (signal = "SIGKILL") => end(state, signal),
    /** @param {{ signal?: NodeJS.Signals, vars?: object, workerDir?: string, homes?: Record<string, string>, wrapper?: Wrapper }} [changes] */
    restart: async ({ signal = "SIGKILL", vars: changed = {}, workerDir: other, homes: moved, wrapper: wraps } = {}) => {
      await end(state, signal);
      state.vars = { ...state.vars, ...changed };
      state.workerDir = other ?? state.workerDir;
      state.homes = moved ?? state.homes;
      if (wraps !== undefined) state.wrapper = wraps;
      await start();
    },
    stop: async () => {
      await end(state, "SIGTERM");
      clear();
    },
    logs: () => state.logs,
  };
}

/** The strict platform: see tests/platform/strict.js. */
export const strictModules = ["strict.js", "limits.js", "wasm.js"].map((name) => inRoot("tests", "platform", name));

const isStrict = (wrapper) => [wrapper ?? []].flat().some((name) => strictModules.includes(name));

/** With `BATON_PLATFORM=strict` any test runs on the platform of `tests/platform/strict.js`. */
function strictPlatform() {
  return process.env.BATON_PLATFORM === "strict" ? strictModules : undefined;
}

/** Starts workerd and waits until it reports that it listens on all `sockets`. */
function launch(state, config, { sockets, env, inspector, verbose, work, onCrash }) {
  const args = [
    "serve",
    config,
    "--experimental",
    `--socket-addr=http=127.0.0.1:${state.port}`,
    "--control-fd=3",
    ...(inspector ? ["--inspector-addr=127.0.0.1:0"] : []),
  ];
  const [program, ...before] = state.lock([npmProgram("workerd")]);
  const child = spawn(program, [...before, ...args], { stdio: ["ignore", "pipe", "pipe", "pipe"], cwd: work, env: { ...process.env, ...env } });
  state.child = child;
  state.isTold = false;
  state.ports = {};
  const keep = (chunk) => {
    state.logs = (state.logs + chunk).slice(-LOG_CHARS_MAX);
    if (verbose) process.stderr.write(chunk);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  endWithUs(child);
  return new Promise((resolve, reject) => {
    const giveUp = (why) => {
      child.kill("SIGKILL");
      reject(new Error(`workerd did not start: ${why}\n${state.logs.slice(-4000)}`));
    };
    const timer = setTimeout(giveUp, START_TIMEOUT_MS, `no answer within ${START_TIMEOUT_MS} ms`);
    const early = (code, signal) => {
      clearTimeout(timer);
      giveUp(`it ended (${signal ?? code})`);
    };
    child.once("exit", early);
    child.once("error", (error) => {
      clearTimeout(timer);
      giveUp(error.message);
    });
    let control = "";
    child.stdio[3].on("data", (chunk) => {
      control += chunk;
      const lines = control.split("\n");
      control = lines.pop();
      const said = lines.map((line) => JSON.parse(line));
      const listening = said.filter(({ event }) => event === "listen");
      for (const { socket, port } of listening) state.ports[socket] = port;
      for (const { port } of said.filter(({ event }) => event === "listen-inspector")) state.inspectorPort = port;
      if (listening.length === 0 || !sockets.every((name) => state.ports[name])) return;
      state.port = state.ports.http;
      clearTimeout(timer);
      child.removeListener("exit", early);
      child.once("exit", (code, signal) => state.isTold || onCrash(signal ?? code));
      resolve();
    });
  });
}

/** Ends the process and waits until it is gone. Does nothing if it is gone already. */
async function end(state, signal) {
  const { child } = state;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  state.isTold = true;
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), 3000);
  await gone;
  clearTimeout(late);
}

/** Kills workerd when this process ends, however that happens. */
function endWithUs(child) {
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.removeListener("exit", kill));
}
