// Where chaos happens: the built worker on `workerd serve` with its storage on disk, the demo shop behind it, and a
// runtime that is killed and started again on the same storage and port. It tells who listens when the runtime is up,
// and when something happens in whose midst a kill would hurt most.

import { randomBytes } from "node:crypto";
import diagnostics from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startShop } from "../../demo/shop.mjs";
import { build, workerDir } from "../../scripts/build.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";

/** The shop sees who asks: Baton hands on what is not its own. */
export const PERSON_HEADER = "x-person";

/**
 * Quick, so that many get through: a called visitor has eight seconds, an idle lease as many. Four lobbies. Being away
 * for ten seconds is noticed: longer than a visitor needs to be heard again after two kills on a busy machine.
 */
export const ROOM = {
  paths: ["/buy/*"],
  crowd: 40_000,
  tick_ms: 200,
  claim_within_s: 8,
  linger_s: 10,
  grace_s: 60,
  lease_idle_s: 8,
  lease_max_s: 120,
  pass_ttl_s: 2,
};
/** Kept below `linger_s`: whoever was quiet for less was there all the time. */
export const QUIET_MS_MAX = 9_000;

const BIND_TRIES = 20;
const BIND_AGAIN_MS = 250;

/** What a kill can be aimed at: each is emitted the moment it is sent. */
export const MOMENTS = ["join", "claim", "book", "release", "leave"];

export class Stage extends EventEmitter {
  #shopHeard = null;
  #shopAnswered = null;
  #ends = [];
  #beside = null;
  /** By how much the wall clock of the room and its shop was ever ahead of ours, ms; the last is how it is. */
  #aheadMs = [0];
  isUp = false;
  kills = 0;
  killedAtMs = 0;

  /**
   * Starts everything. `BATON_AS_BUILT=1` takes the worker as it is. `shims`: name → what makes one (tests/faults/); what each was told last is set by
   * `tells(name, says)`. `room`: settings
   * laid over ROOM.
   */
  static async open({ permits, shims = {}, room = {} }) {
    const there = process.env.BATON_AS_BUILT && existsSync(path.join(workerDir(), "index_bg.wasm"));
    if (!there) await build();
    const stage = new Stage();
    await stage.#start({ ...ROOM, ...room, permits }, shims);
    return stage;
  }

  async #start(room, shims) {
    this.setMaxListeners(0);
    this.shims = Object.fromEntries(Object.entries(shims).map(([name, make]) => [name, make({ after: (end) => this.#ends.push(end) })]));
    const envs = Object.values(this.shims).map(({ env }) => env);
    this.env = Object.assign({}, ...envs, envs.length > 0 && { LD_PRELOAD: envs.map(({ LD_PRELOAD }) => LD_PRELOAD).join(":") });
    const originSecret = randomBytes(32).toString("hex");
    this.shop = await startShop({ originSecret, testRoutes: true, lockMs: 0, seats: 1_000_000, now: () => Date.now() + this.#aheadMs.at(-1) });
    this.#watchShop();
    this.dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-chaos-"));
    this.token = randomBytes(32).toString("hex");
    this.vars = {
      ROOMS: { onsale: room },
      BATON_SECRET: randomBytes(48).toString("base64"),
      ORIGIN_SECRET: originSecret,
      ORIGIN: this.shop.url,
      BATON_ADMIN_TOKEN: this.token,
    };
    const onCrash = (how) => this.emit("crash", how);
    this.rt = await startRuntime({ vars: this.vars, dataDir: this.dataDir, onCrash, env: this.env }).catch(async (error) => {
      await this.#clear();
      throw error;
    });
    this.shop.trustHost(new URL(this.rt.url).host);
    this.isUp = true;
  }

  /** Guests as they arrive at the shop, and the shop's own releases, without a change to the shop. */
  #watchShop() {
    const isShop = ({ socket }) => socket.localPort === this.shop.port;
    this.#shopHeard = ({ request }) => {
      if (!isShop(request)) return;
      const { [PERSON_HEADER]: name, "baton-fence": fence, "baton-ticket": number } = request.headers;
      if (fence !== undefined) this.emit("guest", { name, fence: Number(fence), number: Number(number) });
    };
    this.#shopAnswered = ({ request, response }) => {
      if (isShop(request) && response.getHeader("baton-release") === "1") this.emit("release");
    };
    diagnostics.subscribe("http.server.request.start", this.#shopHeard);
    diagnostics.subscribe("http.server.response.finish", this.#shopAnswered);
  }

  /** Resolves when the runtime listens; at once if it does. */
  async up(signal) {
    while (!this.isUp) await once(this, "up", { signal });
  }

  /** SIGKILL: no warning, no last write. */
  async kill() {
    this.isUp = false;
    this.kills += 1;
    this.killedAtMs = Date.now();
    this.emit("killed");
    await this.rt.kill("SIGKILL");
  }

  /** Starts again on the same storage and port. Resolves to the milliseconds until it listens. */
  async revive() {
    const startedAt = performance.now();
    for (let tries = 1; ; tries += 1) {
      const error = await this.rt.restart().then(
        () => null,
        (failed) => failed,
      );
      if (!error) break;
      // While nobody listened, the port may have gone to somebody's outgoing connection.
      if (!/in use/i.test(error.message) || tries === BIND_TRIES) throw error;
      await sleep(BIND_AGAIN_MS);
    }
    this.isUp = true;
    this.emit("up");
    return performance.now() - startedAt;
  }

  /** Sets a shim. */
  tells(name, says) {
    if (name === "clock") this.#aheadMs.push(says * 1_000);
    this.shims[name].set(says);
  }

  /**
   * An instant of the room's wall clock as our clock has it. Somebody may have set the room's clock, by so much that only one reading makes sense of
   * an instant that is near.
   */
  here(atMs) {
    const read = this.#aheadMs.map((aheadMs) => atMs - aheadMs);
    return read.sort((a, b) => Math.abs(a - Date.now()) - Math.abs(b - Date.now()))[0];
  }

  /** A status with its instants as our clock has them. */
  dated(status) {
    const own = (name) => (status[name] === undefined ? {} : { [name]: this.here(status[name]) });
    return { ...status, ...own("claim_by_at_ms"), ...own("ends_at_ms") };
  }

  /** Where somebody new goes in. */
  door(random) {
    return this.#beside && random() < 0.5 ? this.#beside.url : this.rt.url;
  }

  /** Starts a second process on the same data, to which half of those who come from now on go. */
  async double() {
    this.#beside = await startRuntime({ vars: this.vars, dataDir: this.dataDir, env: this.env });
    this.shop.trustHost(new URL(this.#beside.url).host);
  }

  /** Starts, and is killed `afterMs` later, listening or not. */
  async stillborn(afterMs) {
    const start = this.rt.restart().catch(() => {}); // killed on the way
    await sleep(afterMs);
    this.kills += 1;
    await this.rt.kill("SIGKILL");
    await start;
  }

  async close() {
    await this.#beside?.stop();
    await this.rt.stop();
    await this.#clear();
  }

  async #clear() {
    diagnostics.unsubscribe("http.server.request.start", this.#shopHeard);
    diagnostics.unsubscribe("http.server.response.finish", this.#shopAnswered);
    await this.shop.stop();
    if (this.dataDir) rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
    for (const end of this.#ends) end();
  }
}
