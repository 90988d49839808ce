// Scenes for the flow and fault tests: the built worker on the real runtime, the demo shop behind it, visitors in front,
// and a look into the objects' storage. A test is a story told with `play()`; what must hold in every story is checked
// at its end.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { startShop } from "../../demo/shop.mjs";
import { build, workerDir } from "../../scripts/build.mjs";
import { inRoot } from "../../scripts/common.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";
import { audited, journalOf } from "../support/audit.mjs";
import { Visitor } from "../support/visitor.mjs";

/** Waits end long before these on any machine; they only keep a broken Baton from hanging the run. */
export const SOON_MS = 30_000;
const STORY_MS = 180_000;
/** Half of the depth of calls that Cloudflare allows. */
const DEPTH_GOOD = 8;

/** A room in which little happens by itself: short turns, long leases. Each story shortens what it is about. */
const ROOM = { paths: ["/buy/*"], permits: 1, tick_ms: 200, claim_within_s: 60, linger_s: 30, grace_s: 600, lease_idle_s: 600, lease_max_s: 1800 };

const built = new Map();
/** Builds what is stale. `BATON_AS_BUILT=1` takes what is there, for work on the tests themselves. */
function ensureBuilt(faults) {
  const there = process.env.BATON_AS_BUILT && existsSync(path.join(workerDir({ faults }), "index_bg.wasm"));
  if (!built.has(faults)) built.set(faults, there ? Promise.resolve() : build({ faults }));
  return built.get(faults);
}

/**
 * Settings of the room `onsale`, and
 * @typedef {object} Settings
 * @property {object} [rooms] all rooms by name, instead
 * @property {object} [vars] bindings laid over the usual ones
 * @property {number} [seats] of the shop
 * @property {boolean} [faults] the worker that dies on demand
 * @property {import("../../scripts/runtime.mjs").Wrapper} [wrapper]
 * @property {NodeJS.ProcessEnv} [env] of the runtime's process
 */

/**
 * Starts a scene: `{ rt, shop, visitor(), stop(), … }`.
 * @param {Settings & { [setting: string]: unknown }} [settings]
 */
export async function scene({ rooms, vars = {}, seats = 10_000, faults = false, wrapper, env, ...room } = {}) {
  await ensureBuilt(faults);
  const originSecret = randomBytes(32).toString("hex");
  const shop = await startShop({ originSecret, testRoutes: true, lockMs: 0, seats });
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-scene-"));
  const settings = { ...ROOM, ...room };
  const bindings = {
    ROOMS: rooms ?? { onsale: settings },
    BATON_SECRET: randomBytes(48).toString("base64"),
    ORIGIN_SECRET: originSecret,
    ORIGIN: shop.url,
    BATON_ADMIN_TOKEN: originSecret,
    ...vars,
  };
  const clear = async () => {
    await shop.stop();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
  };
  let rt;
  try {
    rt = await startRuntime({ vars: bindings, dataDir, workerDir: workerDir({ faults }), env, ...(wrapper && { wrapper }) });
  } catch (error) {
    await clear();
    throw error;
  }
  const { host } = new URL(rt.url);
  shop.trustHost(host);
  shop.trustHost(host.replace("127.0.0.1", "localhost"));
  return new Scene({ rt, shop, dataDir, settings, token: bindings.BATON_ADMIN_TOKEN, clear });
}

class Scene {
  #clear;

  constructor({ rt, shop, dataDir, settings, token, clear }) {
    this.rt = rt;
    this.shop = shop;
    this.dataDir = dataDir;
    this.settings = settings;
    this.token = token;
    this.cast = [];
    this.#clear = clear;
  }

  /** What the room has written of the story is lawful. */
  async checkJournal() {
    const { sound, text } = await audited(await journalOf({ url: this.rt.url, token: this.token }));
    assert.ok(sound, text);
  }

  /** On the strict platform: nothing was asked that Cloudflare would have refused. */
  async checkPlatform() {
    if (process.env.BATON_PLATFORM !== "strict") return;
    const { too_deep: tooDeep, overloaded, too_long: tooLong, depth_max: depth } = await (await fetch(`${this.rt.url}/platform/counts`)).json();
    assert.deepEqual({ tooDeep, overloaded, tooLong }, { tooDeep: 0, overloaded: 0, tooLong: 0 });
    assert.ok(depth <= DEPTH_GOOD, `calls were ${depth} deep`);
  }

  /** Somebody new. */
  visitor(options = {}) {
    const visitor = new Visitor({ url: `${this.rt.url}/buy/`, name: `visitor ${this.cast.length + 1}`, ...options });
    this.cast.push(visitor);
    return visitor;
  }

  /** A second tab of somebody. */
  tabOf(visitor) {
    const tab = visitor.fork();
    this.cast.push(tab);
    return tab;
  }

  /** Somebody who is in, with a lease that is no longer provisional. */
  async holder(options) {
    const visitor = this.visitor(options);
    const first = await visitor.arrive();
    assert.equal(first.state, "shop", `${visitor.name} walks in`);
    await this.confirmed(visitor);
    return visitor;
  }

  /** Comes back until the lease outlasts `claim_within_s`, which says that the cookie was seen. */
  async confirmed(visitor) {
    await visitor.arrive();
    await eventually(async () => (await visitor.status()).json.state === "admitted", { what: "a lease" });
  }

  /** Somebody in line, with an open socket. */
  async waiter(options) {
    const visitor = this.visitor(options);
    const first = await visitor.arrive();
    assert.equal(first.state, "waiting", `${visitor.name} has to wait`);
    await visitor.openSocket();
    return visitor;
  }

  /** Several in line, one after the other, so that their order is known. */
  async line(count) {
    const visitors = [];
    for (let i = 0; i < count; i += 1) visitors.push(await this.waiter());
    return visitors;
  }

  /** Kills the runtime without warning and starts it again on the same storage; `settings` change the room. */
  async crash({ signal = "SIGKILL", ...settings } = {}) {
    this.settings = { ...this.settings, ...settings };
    await this.rt.restart({ signal, vars: { ROOMS: { onsale: this.settings } } });
  }

  /** What must hold in every story. `counted: false` when the shop can't know who left (see demo/guests.mjs). */
  checkLaws({ counted = true } = {}) {
    for (const visitor of this.cast) assert.deepEqual(visitor.aheadRises(), [], `${visitor.name}: ahead rose`);
    const { calls, inside_max: insideMax, refused_by: refused } = this.shop.stats();
    if (counted) assert.ok(insideMax <= this.settings.permits, `${insideMax} were inside, ${this.settings.permits} may be`);
    assert.equal(new Set(calls.map(({ fence }) => fence)).size, calls.length, "fences are never used twice");
    for (const why of ["old_fence", "incomplete"]) assert.equal(refused[why] ?? 0, 0, `the shop refused: ${why}`);
    this.checkNumbers();
  }

  /** A number is one visitor's. */
  checkNumbers() {
    const owners = new Map();
    for (const { jar, tab, name } of this.cast) {
      for (const number of tab.numbers) {
        const owner = owners.get(number) ?? { jar, name };
        assert.equal(owner.jar, jar, `number ${number} is ${owner.name}'s and ${name}'s`);
        owners.set(number, owner);
      }
    }
  }

  /** Reads an object's storage: `read(db)` for each object of the class, in any order. */
  storage(className, read) {
    const dir = path.join(this.dataDir, `baton-${className}`);
    const files = existsSync(dir) ? readdirSync(dir).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) : [];
    return files.map((name) => {
      const db = new DatabaseSync(path.join(dir, name), { readOnly: true });
      try {
        return read(db, name);
      } finally {
        db.close();
      }
    });
  }

  /** The newest row of the room's journal. */
  roomVersion() {
    return this.storage("RoomObject", newestRow)[0] ?? 0;
  }

  /** Everything that the objects have written, in one string: it changes when anything is written. A lobby writes its name. */
  written() {
    const rooms = this.storage("RoomObject", (db, name) => `room ${name.slice(0, 8)} ${newestRow(db)}`);
    const lobbies = this.storage("LobbyObject", (db, name) => `lobby ${name.slice(0, 8)} ${tablesOf(db)}`);
    return [...rooms.sort(), ...lobbies.sort()].join("\n");
  }

  /** When the objects' alarms are to ring, Unix ms; workerd keeps them in a table of each namespace. */
  alarms() {
    return ["RoomObject", "LobbyObject"].flatMap((className) => {
      const file = path.join(this.dataDir, `baton-${className}`, "metadata.sqlite");
      if (!existsSync(file)) return [];
      const db = new DatabaseSync(file, { readOnly: true });
      try {
        return db
          .prepare("SELECT scheduled_time / 1000000 AS at_ms FROM _cf_ALARM")
          .all()
          .map(({ at_ms: atMs }) => ({ className, atMs }));
      } finally {
        db.close();
      }
    });
  }

  async stop() {
    for (const visitor of this.cast) visitor.closeSocket({ abrupt: true });
    await this.rt.stop();
    await this.#clear();
  }
}

/** Each table with how many rows it has; the platform's own, which begin with `_cf_`, aside. */
function tablesOf(db) {
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name").all();
  return names.map(({ name }) => `${name}:${db.prepare(`SELECT count(*) AS rows FROM "${name}"`).get().rows}`).join(",");
}

const newestRow = (db) => db.prepare("SELECT max(version) AS version FROM journal").get().version ?? 0;

/** The lobby's index that a ticket cookie says: 6 bytes of header, 8 of number, then the index. */
export const lobbyOf = (visitor) => Buffer.from(visitor.cookie("ticket"), "base64url").readUInt16BE(18);

/** Tries until `look()` gives something truthy, or the time is over. */
export async function eventually(look, { timeoutMs = SOON_MS, everyMs = 25, what = "it" } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Nothing to be proved early: the time itself is what the story is about. */
export const pass = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One test: a scene with these settings, the story, the laws. Of the settings `counted: false` is for the laws (see
 * `checkLaws`). A failure says how to replay it and what workerd had to say.
 */
export function play(title, { counted, ...settings }, story) {
  test(title, { timeout: STORY_MS }, async () => {
    const set = await scene(settings);
    try {
      await story(set);
      set.checkLaws({ counted });
      await set.checkJournal();
      await set.checkPlatform();
    } catch (error) {
      tellHowToReplay(title, set.rt.logs());
      throw error;
    } finally {
      await set.stop();
    }
  });
}

/** Prints the command that runs one test alone. */
export function tellHowToReplay(title, logs = "") {
  const pattern = `^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
  const file = path.relative(inRoot(), process.argv[1] ?? "");
  console.error(`\nagain, alone: node_modules/.bin/node --test --test-name-pattern='${pattern.replaceAll("'", ".")}' ${file}`);
  if (logs) console.error(`workerd said, last:\n${logs.slice(-3_000)}`);
}
