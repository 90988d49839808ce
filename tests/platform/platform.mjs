// A Baton on a platform that is stricter than `workerd serve`, and stricter than Cloudflare where that shows a fault sooner:
//
// | what | how |
// |---|---|
// | depth of calls, an object's rate, time after an answer | `strict.js`, inside workerd |
// | cancelled requests | `driver.js`, in front of the worker |
// | an isolate above 128 MB is killed | `Memory`: looks into the isolate, ends the process |
// | objects take up a deploy late | `deploy()`: for a while the front is new and the objects are old, or the reverse |
// | idle connections are closed | `door()`: a TCP proxy |
//
// A test starts one with `startPlatform(t, …)`; its options are those of `startWorld`.

import http from "node:http";
import net from "node:net";
import WebSocket from "ws";
import { inRoot } from "../../scripts/common.mjs";
import { strictModules } from "../../scripts/runtime.mjs";
import { wranglerConfig } from "../../scripts/settings.mjs";
import { startWorld } from "../runtime/support/world.mjs";

const MB = 1024 * 1024;
export const ISOLATE_BYTES_MAX = 128 * MB;
const LOOK_EVERY_MS = 250;
/** Cloudflare closes a WebSocket on which nothing has moved for so long. */
const IDLE_MS_MAX = 100_000;

const driver = (file) => `(
  modules = [(name = "driver.js", esModule = embed ${file(inRoot("tests", "platform", "driver.js"))})],
  compatibilityDate = "${wranglerConfig().compatibility_date}",
  bindings = [(name = "MAIN", service = "main")],
)`;

/**
 * Starts one. Besides what `startWorld` gives there are `counts()`, `reset(perS)`, `leave(path, …)`, `memory` and `deploy(…)`.
 *
 *   bytesMax   what an isolate may take
 */
export async function startPlatform(t, { bytesMax = ISOLATE_BYTES_MAX, runtime = {}, ...options } = {}) {
  const world = await startWorld(t, {
    ...options,
    runtime: { wrapper: strictModules, beside: [{ name: "driver", worker: driver }], inspector: true, v8Flags: ["--expose-gc"], ...runtime },
  });
  const { baton } = world;
  const counts = async (query = "") => (await fetch(`${baton.url}/platform/counts${query}`)).json();
  const memory = new Memory({ baton, bytesMax, counts });
  t.after(() => memory.stop());
  return {
    ...world,
    memory,
    counts,
    reset: (perS = "") => fetch(`${baton.url}/platform/reset?${perS}`),
    leave: leaver(baton),
    deploy: deployer(baton),
  };
}

/**
 * `leave(path, { count, afterMs, eachMs, headers })`: so many requests whose client goes away. Resolves when all have gone;
 * what they began may still be going on.
 */
function leaver(baton) {
  return async (path, { count = 1, afterMs = 5, eachMs = 0, headers = {} } = {}) => {
    const query = new URLSearchParams({ count, after_ms: afterMs, each_ms: eachMs, path });
    const left = await send({
      port: baton.portOf("driver"),
      path: `/platform/leave?${query}`,
      headers: { host: `127.0.0.1:${baton.port}`, ...headers },
    });
    if (left.status !== 200) throw new Error(`the driver answered ${left.status}: ${left.body}`);
  };
}

function send({ port, path, headers }) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "127.0.0.1", port, path, headers, agent: false }, (answer) => {
      let body = "";
      answer
        .on("data", (chunk) => (body += chunk))
        .on("end", () => resolve({ status: answer.statusCode, body }))
        .on("error", reject);
    });
    request.on("error", reject);
  });
}

/**
 * `deploy(dir, { late })`: the worker of `dir` everywhere but for the classes in `late`, whose objects keep the old code;
 * `finish()` brings them up too. Each step restarts all, where Cloudflare leaves objects that keep their code alone.
 */
function deployer(baton) {
  let current;
  return async (dir, { from = current, late = [] } = {}) => {
    await baton.restart({ signal: "SIGTERM", workerDir: dir, homes: Object.fromEntries(late.map((className) => [className, from])) });
    current = dir;
    return { finish: () => baton.restart({ signal: "SIGTERM", workerDir: dir, homes: {} }) };
  };
}

/** Looks at what the main isolate takes, and ends the process when that is too much, as the platform ends an isolate. */
class Memory {
  #baton;
  #bytesMax;
  #counts;
  #timer;
  #socket;
  #waiting = new Map();
  #id = 0;
  /** The most that was seen, and how often it was too much. */
  bytesMost = 0;
  kills = 0;

  constructor({ baton, bytesMax, counts }) {
    this.#baton = baton;
    this.#bytesMax = bytesMax;
    this.#counts = counts;
  }

  /** Looks again and again from now on. */
  watch() {
    this.#timer = setInterval(() => this.#look().catch(() => {}), LOOK_EVERY_MS);
    return this;
  }

  async #look() {
    const { total } = await this.bytes();
    if (total <= this.#bytesMax) return;
    this.kills += 1;
    await this.#close();
    await this.#baton.restart();
  }

  /** What the isolate takes now, in bytes: JavaScript's heap, what lies outside it, wasm's memory. */
  async bytes({ collect = false } = {}) {
    // The inspector's own way to collect takes seconds.
    const { wasm_bytes: wasm } = await this.#counts(collect ? "?collect" : "");
    await this.#open();
    const { usedSize: heap, backingStorageSize: beside = 0, embedderHeapUsedSize: embedder = 0 } = await this.#call("Runtime.getHeapUsage");
    const total = heap + beside + embedder + wasm;
    this.bytesMost = Math.max(this.bytesMost, total);
    return { heap, beside, embedder, wasm, total };
  }

  async #open() {
    if (this.#socket?.readyState === WebSocket.OPEN) return;
    const targets = await (await fetch(`${this.#baton.inspectorUrl}/json`)).json();
    const main = targets.find(({ id }) => id === "main");
    if (!main) throw new Error(`no isolate "main" among ${targets.map(({ id }) => id)}`);
    const socket = new WebSocket(main.webSocketDebuggerUrl, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    socket.on("message", (data) => {
      const { id, result, error } = JSON.parse(data);
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    });
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the isolate is gone"));
      this.#waiting.clear();
    });
    socket.on("error", () => {});
    this.#socket = socket;
  }

  #call(method) {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }

  async #close() {
    this.#socket?.terminate();
    this.#socket = undefined;
  }

  stop() {
    clearInterval(this.#timer);
    return this.#close();
  }
}

/**
 * A door on a port of its own. `to(port)` says where it leads from now on, and closes what is open. A connection on which nothing
 * has moved for `idleMs` is closed; `closed` counts those.
 */
export async function door(t, port, { idleMs = IDLE_MS_MAX } = {}) {
  const open = new Set();
  const endAll = () => [...open].forEach((end) => end());
  const server = net.createServer((outside) => {
    const inside = net.connect(leads.port, "127.0.0.1");
    const end = () => {
      outside.destroy();
      inside.destroy();
      open.delete(end);
    };
    open.add(end);
    for (const [from, to] of [
      [outside, inside],
      [inside, outside],
    ]) {
      from.setTimeout(idleMs, () => {
        found.closed += 1;
        end();
      });
      from.on("error", end).on("close", end);
      from.pipe(to);
    }
  });
  const leads = { port };
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const found = {
    port: server.address().port,
    url: `http://127.0.0.1:${server.address().port}`,
    closed: 0,
    to: (next) => {
      leads.port = next;
      endAll();
    },
  };
  t.after(() => {
    endAll();
    server.close();
  });
  return found;
}
