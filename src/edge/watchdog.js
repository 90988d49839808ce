// What watchdog.rs keeps on this side, where it outlives the wasm instance. entry.js reads it.

/** `running`: what the handler that is being polled was called with. `names`: the names given to such, for `sign`. */
const watch = (globalThis.__baton_watchdog = { running: null, names: new WeakMap() });

/** The handler that was called with `who` is polled from here … */
export const enter = (who) => {
  watch.running = who;
};
/** … to here. A handler that dies in between leaves its name. */
export const leave = () => {
  watch.running = null;
};

/** Names the running handler in the headers of a request to an object, so that both are known to belong together. */
export const sign = (headers) => {
  if (watch.running === null) return;
  if (!watch.names.has(watch.running)) watch.names.set(watch.running, crypto.randomUUID());
  headers.set("Baton-Caller", watch.names.get(watch.running));
};

/** workers-rs does not bind it. What `write` throws undoes its writes and goes on to the caller. */
export const transact = (storage, write) => storage.transactionSync(write);

// For tests, in a build with the feature `fault-injection`: the deaths that were ordered, place -> kind.
const faults = new Map();
export const orderFault = (place, kind) => {
  faults.set(place, kind);
};
export const takeFault = (place) => {
  const kind = faults.get(place);
  faults.delete(place);
  return kind;
};
