// What watchdog.rs keeps in JavaScript, where it outlives the wasm instance. entry.js reads it. It is one object and not many
// functions, so that wasm-bindgen imports one thing from here.

/** A wait longer than this listens from then on for its client to leave. Listening costs as much as all of wasm's work. */
const SOON_MS = 1_000;

/** Says why a wait has to end: nobody is there any more to hear the answer. */
class ClientGone extends Error {
  constructor() {
    super("the client has gone, and the time is over that its request may still take");
  }
}

export const watch = {
  /** What the handler that is being polled was called with. A handler that dies leaves it here. */
  running: null,
  /** The names that `caller` has given to handlers, by what they were called with. */
  names: new WeakMap(),
  /** The name of this isolate, and how many names it has given. */
  isolate: undefined,
  named: 0,
  /** Every call into wasm that is not over: `{ who, fail }`; `who` is what it was called with. */
  calls: new Set(),
  /** What each handler of the front waits for, by what it was called with: `{ ends, isGivenUp, listens, listen, over, sent }`. */
  waits: new WeakMap(),
  /** `find(env, to)` of peers.js makes a stub, for entry.js; `probe(…)` of probe.js measures the way to a room, for peers.js. */
  find: null,
  probe: null,
  /** From front/headers.js for entry.js: sends what front/straight.rs says. */
  goStraight: null,
  /** From peers.js for entry.js: makes a call to an object for the front. */
  post: null,
  /** From peers.js for entry.js: `began(object, request)` notes that an event of an object begins; `callerOf(request)` says who sent it. */
  began: null,
  callerOf: null,
  /** For tests: the deaths that were ordered, place -> kind. Only a build with `fault-injection` reads them. */
  faults: new Map(),

  enter(who) {
    this.running = who;
  },

  leave() {
    this.running = null;
  },

  /**
   * Returns the name of the running handler, or null if none runs. Its request to an object carries the name: if the object's handler panics in this
   * very isolate, the caller gets its 500 at once instead of being repeated.
   */
  caller() {
    if (this.running === null) return null;
    let name = this.names.get(this.running);
    if (name === undefined) {
      this.isolate ??= crypto.randomUUID();
      this.names.set(this.running, (name = `${this.isolate}-${++this.named}`));
    }
    return name;
  },

  /**
   * Resolves to what `asked` resolves to, or rejects as soon as the running handler is given up. The platform drops a handler some time after its
   * client has gone: every wait that may last longer must go through this. With `timeoutMs` it waits no longer than that, fails with what `tooLate` makes,
   * and then calls `end`.
   */
  wanted(asked, timeoutMs, end, tooLate = () => new Error(`no answer within ${timeoutMs} ms`)) {
    const waits = this.waits.get(this.running);
    if (waits?.isGivenUp) {
      asked.catch(() => {});
      return Promise.reject(new ClientGone());
    }
    if (waits === undefined && timeoutMs === undefined) return asked;
    return new Promise((resolve, reject) => {
      let timer;
      const late = () => {
        over();
        reject(tooLate());
        end?.();
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

  /** Gives up the handler that was called with `who`: whatever it waits for fails, now and from now on. */
  giveUp(who) {
    const waits = this.waits.get(who);
    if (waits === undefined) return;
    waits.isGivenUp = true;
    for (const end of waits.ends) end(new ClientGone());
  },

  /** Runs `transactionSync`, which workers-rs does not bind. If `write` throws, its writes are undone and the error goes on to the caller. */
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
