// Baton's proof in the demo: the shop checks it with the kit for Node, and tests make one.

import { Checker, macOf } from "../kits/node/src/index.js";

/** Checks requests to the demo shop with the kit. The shop learns its public hosts one by one. */
export class ProofChecker {
  /** @type {import("../kits/node/src/checker.js").Settings} */
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

  /** Resolves to `null` if the proof is genuine, else to why it is not: the kit's reason, or `host` while no host is known. */
  async check({ method, url, headers }) {
    if (!this.#checker) return "host";
    // The tests' clients sign the address that they ask for and send no `Baton-Target`.
    return (await this.#checker.check({ method, url, headers: { "baton-target": url, ...headers } })).reason;
  }

  #renew() {
    this.#checker = this.#settings.hosts.length > 0 ? new Checker(this.#settings) : undefined;
  }
}

let last = 0n;
/** Returns another number for each proof, as 16 hex digits. */
const nextNonce = () => ((last += 1n), last.toString(16).padStart(16, "0"));

/**
 * Returns the text of the `Baton-Proof` header as Baton would write it. `path` is the target. `fence` is decimal, `"0"` if none was needed.
 * `room` is the value of `Baton-Room`, empty if there is none.
 */
export function makeProof({ secret, atMs, method, host, path, room = "", fence = "0", nonce = nextNonce() }) {
  return `v1;t=${atMs};n=${nonce};mac=${macOf({ secret, t: String(atMs), nonce, method, host: host.toLowerCase(), target: path, room, fence })}`;
}
