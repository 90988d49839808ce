// A shared cache as RFC 9111 has it, for anybody's requests: what stands between visitors and Baton when the operator,
// or somebody's employer, puts one there. The rules are http-cache-semantics'; here is only the shelf.

import CachePolicy from "http-cache-semantics";

export class SharedCache {
  #shelf = new Map();

  /** `ask(path, { method, headers })` goes to the server behind. */
  constructor(ask) {
    this.ask = ask;
  }

  /** An answer, stored or not: `{ status, headers, body, fromCache }`. */
  async get(path, { method = "GET", headers = {} } = {}) {
    const request = { url: path, method, headers };
    const kept = (this.#shelf.get(path) ?? []).find(({ policy }) => policy.satisfiesWithoutRevalidation(request));
    if (kept) return { ...kept.answer, headers: kept.policy.responseHeaders(), fromCache: true };
    const answer = await this.ask(path, { method, headers });
    const policy = new CachePolicy(request, answer, { shared: true });
    if (policy.storable()) this.#shelf.set(path, [...(this.#shelf.get(path) ?? []), { policy, answer }]);
    return { ...answer, fromCache: false };
  }

  /** Addresses of which anything is kept. */
  get kept() {
    return [...this.#shelf.keys()];
  }
}
