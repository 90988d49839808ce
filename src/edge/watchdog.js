// What watchdog.rs keeps on this side, where it outlives the wasm instance. entry.js reads it.
// One object and not many functions, so that wasm-bindgen imports one thing from here.

/** What takes longer than this listens from then on whether the client is still there: that costs as much as all of wasm's work. */
const SOON_MS = 1_000;

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
  /** What each of the front's handlers waits for: `{ ends, isGivenUp, listens, listen }`, by what it was called with. */
  waits: new WeakMap(),
  /** From peers.js and probe.js, for each other: `find(env, to)` makes a stub, `probe(…)` asks the way to a room. */
  find: null,
  probe: null,
  /** From headers.js for entry.js: sends on what straight.rs says, see there. */
  goStraight: null,
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
   * platform lets a handler live whose client has gone is waited for in this way; with `timeoutMs` no longer than that, and then `end` is
   * called.
   */
  wanted(asked, timeoutMs, end) {
    const waits = this.waits.get(this.running);
    if (waits?.isGivenUp) return Promise.reject(new ClientGone());
    if (waits === undefined && timeoutMs === undefined) return asked;
    return new Promise((resolve, reject) => {
      let timer;
      const late = () => {
        over();
        reject(new Error(`no answer within ${timeoutMs} ms`));
        end();
      };
      const begin = () => {
        if (timeoutMs === undefined) return;
        if (waits === undefined || waits.listens || timeoutMs <= SOON_MS) timer = setTimeout(late, timeoutMs);
        else timer = setTimeout(isNotSoon, SOON_MS);
      };
      const isNotSoon = () => {
        waits.listen();
        timer = setTimeout(late, timeoutMs - SOON_MS);
      };
      const over = () => {
        clearTimeout(timer);
        waits?.ends.delete(reject);
      };
      const settle = (how) => (what) => {
        over();
        how(what);
      };
      begin();
      waits?.ends.add(reject);
      asked.then(settle(resolve), settle(reject));
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
