// Tells whether a request really came through Baton: the check of `Baton-Proof` for an origin on Node. One file, no package.
//
//   import { ProofChecker, onlyThroughBaton } from "./baton-proof.mjs";
//   const checker = new ProofChecker({ secret: process.env.ORIGIN_SECRET, publicHosts: ["tickets.example.com"] });
//   http.createServer(onlyThroughBaton(checker, shop)).listen(9000);       // or app.use(…) with Express
//
// The proof binds time, method, host, path and fence, but no body and no nonce. So a copied proof could be sent again
// within its minute: for methods that change something, each proof counts once. That memory is this process's own; several
// processes of one shop need one they share (see README.md).

import { createHmac, timingSafeEqual } from "node:crypto";

/** How far a proof's time may be from this clock. */
export const PROOF_SKEW_MAX_MS = 60_000;
/** About 800 unsafe requests a second for the two minutes that a proof can matter. Beyond that: refused. */
export const PROOFS_REMEMBERED_MAX = 100_000;

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
const SHAPE = /^v1;t=(0|[1-9]\d{0,14});mac=([0-9a-f]{64})$/;

/** The MAC, as 64 hex digits. `fence` is decimal, `"0"` where none was needed. */
export function macOf({ secret, t, method, host, path, fence }) {
  const lines = ["baton-proof-v1", t, method, host.toLowerCase(), path, fence];
  return createHmac("sha256", secret).update(lines.join("\n")).digest("hex");
}

export class ProofChecker {
  #secret;
  #now;
  #hosts;
  #seen = new Map(); // mac → when it can be forgotten; insertion order is time order

  /**
   * `publicHosts`: names that count beside the request's own `Host`. Baton proves the host that the visitor asked for,
   * and forwards under the origin's. A list, and not X-Forwarded-Host: a proof for another site must not do here.
   */
  constructor({ secret, now = Date.now, publicHosts = [] }) {
    if (!secret) throw new Error("ORIGIN_SECRET is not set: without it nobody can be told from anybody else");
    this.#secret = secret;
    this.#now = now;
    this.#hosts = [...publicHosts];
  }

  trustHost(host) {
    this.#hosts.push(host);
  }

  /** `null` when genuine, else why not: `missing`, `malformed`, `wrong`, `late`, `replayed`, `busy`. */
  check({ method, url, headers }) {
    const header = headers["baton-proof"];
    if (header === undefined) return "missing";
    const [, t, mac] = SHAPE.exec(header) ?? [];
    if (!mac) return "malformed";
    const fence = headers["baton-fence"] ?? "0";
    const hosts = [headers.host ?? "", ...this.#hosts];
    const matches = (host) => sameMac(mac, macOf({ secret: this.#secret, t, method, host, path: url, fence }));
    if (!hosts.some(matches)) return "wrong";
    const now = this.#now();
    if (Math.abs(now - Number(t)) > PROOF_SKEW_MAX_MS) return "late";
    return SAFE.has(method) ? null : this.#remember(mac, now);
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

/** Passes on what came through Baton, and answers the rest 403. `next` is a handler of `http`, or Express calls it. */
export function onlyThroughBaton(checker, next) {
  return (request, response, after) => {
    const why = checker.check({ method: request.method, url: request.originalUrl ?? request.url, headers: request.headers });
    if (why === null) return (next ?? after)(request, response);
    response.writeHead(403, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
    return response.end(`Please come in by the front door. (${why})\n`);
  };
}
