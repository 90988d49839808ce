// What watchdog.rs keeps on this side, where it outlives the wasm instance. entry.js reads it.
// One object and not many functions, so that wasm-bindgen imports one thing from here.

export const watch = {
  /** What the handler that is being polled was called with. A handler that dies leaves it here. */
  running: null,
  /** Names given to such, by `sign`. */
  names: new WeakMap(),
  /** For tests: the deaths that were ordered, place -> kind. Only a build with `fault-injection` looks. */
  faults: new Map(),

  enter(who) {
    this.running = who;
  },

  leave() {
    this.running = null;
  },

  /** The name of the running handler, if one is running. Its request to an object carries it, so that both are known to belong together. */
  caller() {
    if (this.running === null) return null;
    let name = this.names.get(this.running);
    if (name === undefined) this.names.set(this.running, (name = crypto.randomUUID()));
    return name;
  },

  sign(headers) {
    const name = this.caller();
    if (name !== null) headers.set("Baton-Caller", name);
  },

  /**
   * Posts to an object until it is answered well, trying after each pause. On this side, because it must arrive even if
   * the wasm instance that promised it dies meanwhile. Every try has a stub of its own: one that threw is dead.
   */
  async deliver(namespace, name, locationHint, url, headers, body, pausesMs, timeoutMs, lost) {
    for (const pauseMs of pausesMs) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        const stub = namespace.get(namespace.idFromName(name), locationHint ? { locationHint } : {});
        const answer = await stub.fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(timeoutMs) });
        await answer.arrayBuffer();
        if (answer.ok) return;
      } catch {
        // Unreachable, overloaded or dying: that is what the next try is for.
      }
    }
    console.error(lost);
  },

  /** workers-rs does not bind it. What `write` throws undoes its writes and goes on to the caller. */
  transact(storage, write) {
    return storage.transactionSync(write);
  },

  orderFault(place, kind) {
    this.faults.set(place, kind);
  },

  takeFault(place) {
    const kind = this.faults.get(place);
    this.faults.delete(place);
    return kind;
  },
};

globalThis.__baton_watchdog = watch;
