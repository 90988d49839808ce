// What watchdog.rs keeps on this side, where it outlives the wasm instance. entry.js reads it.
// One object and not many functions, so that wasm-bindgen imports one thing from here.

/** Nobody is there any more to hear the answer. */
class ClientGone extends Error {
  constructor() {
    super("the client has gone, and the time is over that its request may still take");
  }
}

export const watch = {
  /** What the handler that is being polled was called with. A handler that dies leaves it here. */
  running: null,
  /** Names given to such, by `caller`. */
  names: new WeakMap(),
  /** Every call into wasm that is not over: `{ who, fail }`, `who` being what it was called with. */
  calls: new Set(),
  /** What each of the front's handlers waits for: `{ ends, isGivenUp }`, by what it was called with. */
  waits: new WeakMap(),
  /** From peers.js and probe.js, for each other: `find(env, to)` makes a stub, `probe(…)` asks the way to a room. */
  find: null,
  probe: null,
  /** From peers.js for entry.js: `began(object, request)`, an event of an object begins. */
  began: null,
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

  /**
   * What `asked` resolves to, or an error as soon as the running handler is given up. Whatever may last longer than the
   * platform lets a handler live whose client has gone is waited for in this way.
   */
  wanted(asked) {
    const waits = this.waits.get(this.running);
    if (waits === undefined) return asked;
    if (waits.isGivenUp) return Promise.reject(new ClientGone());
    return new Promise((resolve, reject) => {
      waits.ends.add(reject);
      const end = (how) => (what) => {
        waits.ends.delete(reject);
        how(what);
      };
      asked.then(end(resolve), end(reject));
    });
  },

  /** The handler that was called with `who` has had its time: whatever it waits for fails, now and from now on. */
  giveUp(who) {
    const waits = this.waits.get(who);
    if (waits === undefined) return;
    waits.isGivenUp = true;
    for (const end of waits.ends) end(new ClientGone());
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
