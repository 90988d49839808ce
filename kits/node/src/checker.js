// Tells whether a request came through Baton: the check of `Baton-Proof`, without any framework.
//
// The order of the steps matters. The MAC is verified first, over `Baton-Target` as Baton sent it; only then is the target
// compared with the request's own path and query, as they are when decoded. docs/protocol.md of Baton has the form.

import { createHmac, timingSafeEqual } from "node:crypto";
import { MemoryStore } from "./stores.js";

/** How far a proof's time may be from this machine's clock. */
export const SKEW_MAX_MS = 60_000;

/** Why a request is refused, each with what to do about it. The keys are the words in `Baton-Checked`. */
export const REASONS = {
  missing: "Baton-Proof or Baton-Target is missing: the request did not come through Baton, or Baton has no ORIGIN_SECRET",
  malformed: "Baton-Proof is not of the form v1;t=…;n=…;mac=…: a proxy changed it, or somebody made it up",
  host: "neither X-Forwarded-Host nor Host is one of the public hosts: add the visitors' host to the kit's hosts",
  mac: "the proof is not of this request: compare the secret with Baton's ORIGIN_SECRET, and look for a proxy that changes the method or headers",
  time: "the proof is more than a minute off: set this machine's clock by NTP",
  target: "path or query are not those that Baton sent: look for a proxy that rewrites addresses",
  replay: "the proof was taken before, or the replay store could not tell",
  room: "the path is another room's by the kit's rooms: compare them with the paths in Baton's configuration. A preflight has no room: see answersPreflights",
};

const SHAPE = /^v1;t=(0|[1-9]\d{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})$/;
const UNCHANGING = new Set(["GET", "HEAD", "OPTIONS"]);

/** Ends a check with one of REASONS. */
class Refused extends Error {}

/** The MAC, as 64 hex digits. `fence` is decimal, `"0"` without a lease; `room` is empty where there is none. */
export function macOf({ secret, t, nonce, method, host, target, room, fence }) {
  const lines = ["baton-proof-v1", t, nonce, method, host, target, room, fence];
  return createHmac("sha256", secret).update(lines.join("\n")).digest("hex");
}

/** The text of the answer 403. */
export const refusalOf = ({ reason }) => `Please come in by the front door. (${reason})\n`;

/**
 * See stores.js.
 * @typedef {{ take(key: string, nowMs: number, untilMs: number): boolean | Promise<boolean> }} Store
 */

/**
 * @typedef {object} Settings
 * @property {string} secret Baton's ORIGIN_SECRET
 * @property {string[]} hosts the public hosts, with port if any, under which visitors reach Baton
 * @property {"report" | "enforce"} [mode] "report" lets everything through and logs what would be refused; "enforce" refuses it
 * @property {Record<string, string[]>} [rooms] rooms by the beginning of a path, as in { "/buy/": ["onsale"] }; the longest beginning counts.
 *   Left out: any
 * @property {boolean} [answersPreflights] the shop answers preflights before a page runs, as `cors()` does: they go on without a room. Left out: on
 *   a path of `rooms` they are refused, for a page that does not look at the method would run for them
 * @property {string[]} [health] paths that the platform's own health check asks without Baton, by GET or HEAD; what they show, everybody sees
 * @property {Store} [store] remembers proofs for all processes of the shop, and each then counts once. Left out: this process remembers those of
 *   methods that change something
 * @property {(line: string) => void} [log] called with one line for each request that is, or would be, refused
 * @property {() => number} [now] the clock, in ms
 */

/** Checks requests, and remembers nothing of them but their proofs. */
export class Checker {
  #secret;
  #hosts;
  #enforces;
  #rooms;
  #answersPreflights;
  #health;
  #store;
  #isTried = false;
  #memory = new MemoryStore();
  #now;
  #log;

  /** @param {Settings} settings */
  constructor({ secret, hosts, mode = "report", rooms = {}, answersPreflights = false, health = [], store, log = console.warn, now = Date.now }) {
    if (!secret) throw new TypeError("Baton's secret is empty: without it nobody can be told from anybody else. Set it to Baton's ORIGIN_SECRET");
    if (mode !== "report" && mode !== "enforce")
      throw new TypeError(`Baton's mode ${JSON.stringify(mode)} is unknown; set it to "report" or "enforce"`);
    this.#secret = secret;
    this.#hosts = new Set(checkedHosts(hosts));
    this.#enforces = mode === "enforce";
    const named = Object.entries(rooms).map(([beginning, names]) => /** @type {const} */ ([folded(beginning), new Set(names)]));
    this.#rooms = named.sort(([a], [b]) => b.length - a.length);
    this.#answersPreflights = answersPreflights;
    if (!Array.isArray(health) || health.some((path) => !path.startsWith("/")))
      throw new TypeError('Baton\'s health is no list of paths; write it as in ["/healthz"]');
    this.#health = new Set(health);
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  /**
   * Checks one request and logs what is refused. `url` is path and query as they arrived, `headers` are by lower-case names.
   * Resolves to `{ visit, reason, refused, checked }`: `visit` is null where there is a `reason`, and for a health check; `refused` says that the
   * request must not go on; `checked` is the value of `Baton-Checked`. Never rejects.
   */
  async check({ method, url, headers }) {
    const isLook = method === "GET" || method === "HEAD";
    if (isLook && !headers["baton-proof"] && this.#health.has(url.split("?", 1)[0]))
      return { visit: null, reason: null, refused: false, checked: "ok" };
    try {
      return { visit: await this.#judge({ method, url, headers }), reason: null, refused: false, checked: "ok" };
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      const reason = why.message;
      const verb = this.#enforces ? "refused" : "would refuse";
      this.#log(`baton: ${verb} ${method} ${JSON.stringify(url.split("?", 1)[0])} (${reason}): ${REASONS[reason]}`);
      return { visit: null, reason, refused: this.#enforces, checked: `no;${reason}` };
    }
  }

  async #judge({ method, url, headers }) {
    const { "baton-proof": proof, "baton-target": target } = headers;
    if (!proof || !target) throw new Refused("missing");
    const [, t, nonce, mac] = SHAPE.exec(proof) ?? [];
    if (!mac) throw new Refused("malformed");
    const room = headers["baton-room"] || "";
    const fence = headers["baton-fence"] || "0";
    const host = this.#signedHost(mac, { t, nonce, method, target, room, fence }, headers);
    const now = this.#now();
    if (Math.abs(now - Number(t)) > SKEW_MAX_MS) throw new Refused("time");
    const [signed, arrived] = [split(target), split(url)];
    if (signed.path !== arrived.path || signed.query !== arrived.query) throw new Refused("target");
    await this.#take(`${t}:${nonce}`, method, now);
    this.#expect(room, method, arrived.path);
    return visitOf({ host, room, fence, headers, isEnforced: this.#enforces });
  }

  /** The public host that the proof was made for. The sender of the request chooses among the shop's own hosts only. */
  #signedHost(mac, signed, headers) {
    const named = [...(headers["x-forwarded-host"] ?? "").split(","), headers.host ?? ""].map((name) => name.trim().toLowerCase());
    const hosts = named.filter((host) => this.#hosts.has(host));
    if (hosts.length === 0) throw new Refused("host");
    const given = Buffer.from(mac, "hex");
    const host = hosts.find((one) => timingSafeEqual(given, Buffer.from(macOf({ secret: this.#secret, ...signed, host: one }), "hex")));
    if (!host) throw new Refused("mac");
    return host;
  }

  async #take(key, method, now) {
    const store = this.#store ?? (UNCHANGING.has(method) ? undefined : this.#memory);
    if (!store) return;
    let isNew = false;
    try {
      // A proof may be a minute ahead, and then lives for another minute.
      const until = now + 2 * SKEW_MAX_MS;
      isNew = await store.take(key, now, until);
      // Once: a store that remembers nothing calls each replay the first.
      const isTried = this.#isTried;
      this.#isTried = true;
      if (isNew && !isTried && (await store.take(key, now, until)))
        this.#log("baton: the replay store remembers nothing: name one that all processes share, or take it out of the kit's settings");
    } catch (error) {
      this.#log(`baton: the replay store failed; see to it, or take it out of the kit's settings: ${error.message}`);
    }
    if (!isNew) throw new Refused("replay");
  }

  #expect(room, method, path) {
    // A preflight carries no cookies, so it has no room.
    if (method === "OPTIONS" && room === "" && this.#answersPreflights) return;
    for (const reading of readings(path)) {
      const text = folded(Buffer.from(reading, "latin1").toString("utf8"));
      const [, names] = this.#rooms.find(([beginning]) => text.startsWith(beginning)) ?? [];
      if (names && !names.has(room)) throw new Refused("room");
    }
  }
}

/**
 * A path as a shop may read it. One that begins with several slashes is to some the same with one, and to some, `new URL(request.url, base)`
 * among them, what stands behind its first segment, which they take for a host.
 */
function readings(path) {
  const [, rest] = /^[/\\]{2,}(.*)$/s.exec(path) ?? [];
  return rest === undefined ? [path] : [path, `/${rest}`, rest.replace(/^[^/\\]*[/\\]*/, "/")];
}

/** A path with upper case and lower case alike, as Baton takes them, and with it routers that do not tell them apart: by way of upper case. */
const folded = (text) => text.toLowerCase().toUpperCase().toLowerCase().replaceAll("i\u0307", "i");

/** Path, decoded into bytes, and raw query. An escape that is none stays as it is. */
function split(target) {
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { path: decoded, query: at < 0 ? "" : target.slice(at + 1) };
}

/** @typedef {ReturnType<typeof visitOf>} Visit */

/**
 * What Baton says of a visitor. `fence` is null without a lease: a farewell page, an open path, the mode `bypass`. `address` is the visitor's own, or
 * null. `mayReserve` says that the visitor holds a lease, or that the room lets people in without one: its staff, and everybody in `observe` and `bypass`.
 */
export function visitOf({ host, room, fence, headers, isEnforced = true }) {
  const number = (value) => (/^\d{1,16}$/.test(value ?? "") ? Number(value) : null);
  const ticket = number(headers["baton-ticket"]);
  return {
    host,
    scheme: headers["x-forwarded-proto"] === "http" ? "http" : "https",
    room: room || null,
    edition: number(headers["baton-edition"]) ?? 0,
    ticket,
    fence: number(fence) || null,
    endsAtMs: number(headers["baton-ends-at-ms"]),
    // Baton writes one address; a proxy behind it adds its own at the end.
    address: (headers["x-forwarded-for"] ?? "").split(",", 1)[0].trim() || null,
    mayReserve: Boolean(number(fence)) || (room !== "" && ticket === null),
    isEnforced,
  };
}

function checkedHosts(hosts) {
  if (!Array.isArray(hosts) || hosts.length === 0)
    throw new TypeError('Baton\'s hosts are not a list; name the hosts under which visitors reach Baton, as in ["tickets.example.com"]');
  const odd = hosts.find((host) => typeof host !== "string" || !host || /[/,]/.test(host));
  if (odd !== undefined)
    throw new TypeError(`Baton's host ${JSON.stringify(odd)} is no host; write it as visitors' browsers send it, as in "tickets.example.com"`);
  return hosts.map((host) => host.toLowerCase());
}
