// What Cloudflare allows between a worker and its objects, as wrappers around an environment. `strict.js` lays them around
// Baton; `limits.test.mjs` shows that they bite.

const DEPTH_MAX = 16;
const REQUESTS_PER_S = 1_000;
export const DEPTH = "Platform-Depth";
const OBJECTS = ["ROOM", "LOBBY", "PORTER"];

export const begin = () => ({ depth_max: 0, too_deep: 0, overloaded: 0, too_long: 0, stubs: {}, calls: {}, refused: {}, events: {} });
export const add = (where, what) => (where[what] = (where[what] ?? 0) + 1);

/** What may go on: `counts` of what happened, and a bucket of requests for each object. */
export class Limits {
  counts = begin();
  #buckets = new Map();
  #perS = REQUESTS_PER_S;
  /** Objects of this binding cannot be reached. */
  away = "";

  /** Begins to count anew. `perS`: what an object takes from now on, for a machine that cannot send a thousand. */
  reset(perS = REQUESTS_PER_S) {
    this.counts = begin();
    this.#perS = perS;
    this.#buckets.clear();
  }

  /** Takes one request out of the object's thousand a second; whether there was one. */
  #takes(object) {
    const now = Date.now();
    const bucket = this.#buckets.get(object) ?? { tokens: this.#perS, at_ms: now };
    bucket.tokens = Math.min(this.#perS, bucket.tokens + ((now - bucket.at_ms) * this.#perS) / 1_000);
    bucket.at_ms = now;
    this.#buckets.set(object, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Fails as the platform does, or lets the call through. */
  #admit(object, depth, url) {
    const { counts } = this;
    counts.depth_max = Math.max(counts.depth_max, depth);
    const call = `${object.split("/")[0]} ${new URL(url).pathname.slice(1)}`;
    add(counts.calls, call);
    if (depth > DEPTH_MAX) {
      counts.too_deep += 1;
      throw failure("Subrequest depth limit exceeded. This request recursed through Workers too many times.", {});
    }
    if (this.away !== "" && object.startsWith(`${this.away} `)) throw failure("internal error", {});
    if (this.#takes(object)) return;
    counts.overloaded += 1;
    add(counts.refused, call);
    throw failure("Durable Object is overloaded. Too many requests queued.", { overloaded: true, retryable: true });
  }

  /** A stub that knows how deep the event was in which it was made. */
  #stub(stub, object, depth) {
    return {
      fetch: async (url, init = {}) => {
        this.#admit(object, depth + 1, url);
        const headers = new Headers(init.headers);
        headers.set(DEPTH, String(depth + 1));
        return stub.fetch(url, { ...init, headers });
      },
    };
  }

  /** The environment as `who` sees it, whose newest event is `depthNow()` deep. */
  around(env, depthNow, who = "front") {
    const strict = { ...env };
    for (const binding of OBJECTS.filter((name) => env[name])) {
      const namespace = env[binding];
      const made = (stub, name) => {
        add(this.counts.stubs, who);
        return this.#stub(stub, `${binding} ${name}`, depthNow());
      };
      const named = (from) => ({
        getByName: (name, options) => made(from.getByName(name, options), name),
        // Jurisdictions are not implemented in workerd: the same objects under other names.
        jurisdiction: (where) => named({ getByName: (name, options) => namespace.getByName(`${where} ${name}`, options) }),
      });
      strict[binding] = named(namespace);
    }
    return strict;
  }
}

/** As the platform fails a call: `retryable` and `overloaded` stand beside the message. */
const failure = (message, properties) => Object.assign(new Error(message), properties);
