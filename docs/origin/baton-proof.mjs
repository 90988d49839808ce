// Tells whether a request really came through Baton: the check of `Baton-Proof` for an origin on Node. One file, no package.
//
//   import { ProofChecker, onlyThroughBaton } from "./baton-proof.mjs";
//   const checker = new ProofChecker({ secret: process.env.ORIGIN_SECRET, publicHosts: ["tickets.example.com"] });
//   http.createServer(onlyThroughBaton(checker, shop)).listen(9000);       // or app.use(…) with Express
//
// The proof binds time, method, host, path, room and fence, but no body. A copied proof could be sent again within its
// minute: for methods that change something, each proof counts once. That memory is this process's own. Several processes of
// one shop share a `store`; with one, each proof counts once for every method (see README.md).
//
// Before Baton's route exists, `onlyThroughBaton(checker, shop, { reportOnly: true })` lets everything through and tells what it
// would have refused.

import { createHmac, timingSafeEqual } from "node:crypto";

/** How far a proof's time may be from this clock. */
export const PROOF_SKEW_MAX_MS = 60_000;
/** About 800 unsafe requests a second for the two minutes that a proof can matter. Beyond that: refused. */
export const PROOFS_REMEMBERED_MAX = 100_000;

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
const SHAPE = /^v1;t=(0|[1-9]\d{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})$/;

/** The MAC, as 64 hex digits. `fence` is decimal, `"0"` where none was needed; `room` is empty where there is none. */
export function macOf({ secret, t, nonce, method, host, path, room, fence }) {
  const lines = ["baton-proof-v1", t, nonce, method, host.toLowerCase(), path, room, fence];
  return createHmac("sha256", secret).update(lines.join("\n")).digest("hex");
}

export class ProofChecker {
  #secret;
  #now;
  #hosts;
  #store;
  #seen = new Map(); // mac → when it can be forgotten; insertion order is time order

  /**
   * `publicHosts`: the hosts (with port, if any) under which visitors reach Baton. Only these count. Neither the request's own
   * `Host` nor `X-Forwarded-Host` does: whoever finds the origin chooses both, and a proof for another site must not do here.
   *
   * `store`: `add(mac, untilMs)` notes a proof and says `true` if it was not there yet, at once or by a promise. With it
   * `check()` gives a promise, and each proof counts once, whatever the method.
   */
  constructor({ secret, publicHosts, now = Date.now, store = null }) {
    if (!secret) throw new Error("ORIGIN_SECRET is not set: without it nobody can be told from anybody else");
    if (!Array.isArray(publicHosts)) throw new Error("publicHosts is not set: name the hosts under which visitors reach Baton");
    this.#secret = secret;
    this.#now = now;
    this.#hosts = [...publicHosts];
    this.#store = store;
  }

  trustHost(host) {
    this.#hosts.push(host);
  }

  /** `null` when genuine, else why not: `missing`, `malformed`, `wrong`, `late`, `replayed`, `busy`. */
  check({ method, url, headers }) {
    const [, t, nonce, mac] = SHAPE.exec(headers["baton-proof"] ?? "") ?? [];
    const now = this.#now();
    const why = this.#judge({ t, nonce, mac, method, url, headers, now });
    if (this.#store) return this.#checkOnce(why, mac, now);
    return why ?? (SAFE.has(method) ? null : this.#remember(mac, now));
  }

  #judge({ t, nonce, mac, method, url, headers, now }) {
    if (headers["baton-proof"] === undefined) return "missing";
    if (!mac) return "malformed";
    const { "baton-fence": fence = "0", "baton-room": room = "" } = headers;
    const matches = (host) => sameMac(mac, macOf({ secret: this.#secret, t, nonce, method, host, path: url, room, fence }));
    if (!this.#hosts.some(matches)) return "wrong";
    return Math.abs(now - Number(t)) > PROOF_SKEW_MAX_MS ? "late" : null;
  }

  async #checkOnce(why, mac, now) {
    return why ?? ((await this.#store.add(mac, now + 2 * PROOF_SKEW_MAX_MS)) ? null : "replayed");
  }

  #remember(mac, now) {
    for (const [old, until] of this.#seen) {
      if (until > now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(mac)) return "replayed";
    if (this.#seen.size >= PROOFS_REMEMBERED_MAX) return "busy";
    this.#seen.set(mac, now + 2 * PROOF_SKEW_MAX_MS); // t may be a minute ahead and then lives a minute more
    return null;
  }
}

function sameMac(a, b) {
  return timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"));
}

/**
 * Passes on what came through Baton, and answers the rest 403. `next` is a handler of `http`, or Express calls it. With
 * `reportOnly` everything is passed on, and `report(why, request)` hears what would have been refused.
 */
export function onlyThroughBaton(checker, next, { reportOnly = false, report = logged } = {}) {
  const decide = (why, request, response, after) => {
    if (why !== null && reportOnly) report(why, request);
    if (why === null || reportOnly) return (next ?? after)(request, response);
    response.writeHead(403, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
    return response.end(`Please come in by the front door. (${why})\n`);
  };
  return (request, response, after) => {
    const why = checker.check({ method: request.method, url: request.originalUrl ?? request.url, headers: request.headers });
    if (!(why instanceof Promise)) return decide(why, request, response, after);
    // A store that fails refuses: whether the proof was seen is not known.
    return why.catch(() => "busy").then((said) => decide(said, request, response, after));
  };
}

const logged = (why, { method, url }) => console.warn(`baton: would refuse ${method} ${JSON.stringify(url)} (${why})`);
