// Baton's proof as the demo shop checks it, by the kit for shops on Node, and as its tests make one.

import { Checker, macOf } from "../kits/node/src/index.js";

/** The kit's check of requests to the demo shop, whose public hosts become known one by one. */
export class ProofChecker {
  #settings;
  #checker;

  constructor({ secret, publicHosts, now = Date.now }) {
    this.#settings = { secret, hosts: [...publicHosts], mode: "enforce", now, log: () => {} };
    this.#renew();
  }

  trustHost(host) {
    this.#settings.hosts.push(host);
    this.#renew();
  }

  /** Resolves to `null` when genuine, else to the kit's reason. */
  async check({ method, url, headers }) {
    if (!this.#checker) return "host";
    // Clients of the tests sign the address that they ask for, and send no target beside it.
    return (await this.#checker.check({ method, url, headers: { "baton-target": url, ...headers } })).reason;
  }

  #renew() {
    this.#checker = this.#settings.hosts.length > 0 ? new Checker(this.#settings) : undefined;
  }
}

let last = 0n;
/** Another number for each proof, as 16 hex digits. */
const nextNonce = () => ((last += 1n), last.toString(16).padStart(16, "0"));

/**
 * The text of the `Baton-Proof` header, as Baton would write it. `path` is the target, `fence` is decimal, `"0"` where none was
 * needed; `room` is what stands in `Baton-Room`, empty where there is none.
 */
export function makeProof({ secret, atMs, method, host, path, room = "", fence = "0", nonce = nextNonce() }) {
  return `v1;t=${atMs};n=${nonce};mac=${macOf({ secret, t: String(atMs), nonce, method, host: host.toLowerCase(), target: path, room, fence })}`;
}
