// What watchdog.rs keeps on this side, where it outlives the wasm instance. entry.js reads it.
// One object and not many functions, so that wasm-bindgen imports one thing from here.

export const watch = {
  /** What the handler that is being polled was called with. A handler that dies leaves it here. */
  running: null,
  /** Names given to such, by `caller`. */
  names: new WeakMap(),
  /** For tests: the deaths that were ordered, place -> kind. Only a build with `fault-injection` looks. */
  faults: new Map(),

  enter(who) {
    this.running = who;
  },

  leave() {
    this.running = null;
  },

  /**
   * The name of the running handler, if one is running. Its request to an object carries it: should the object's handler panic
   * in this very isolate, the caller gets its 500 at once instead of being repeated.
   */
  caller() {
    if (this.running === null) return null;
    let name = this.names.get(this.running);
    if (name === undefined) this.names.set(this.running, (name = crypto.randomUUID()));
    return name;
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
