// The worker's module: what the runtime loads first. It lays a watch around every handler of the wasm inside, so
// that a panic there (or an exhausted stack or memory) costs one answer and nothing else.
//
// One wasm instance serves a whole isolate: the front and many objects. When it dies, workers-rs makes a new one, but
// every promise of the old one stays pending for ever. So each call into wasm is registered here until it is over:
//
// - the call whose own code died fails, and who waits for it: a 500, a closed socket, an alarm that comes again a second later;
// - all other calls in flight are repeated on the new instance, as far as a repeat is harmless (alarms and socket
//   events: the handlers are idempotent; requests: GET and HEAD). The rest get a 503 and may be sent again;
// - an object builds itself anew from its storage before its next event. Its sockets, its storage and its alarm are
//   the runtime's, not the wasm's, and stay.
//
// A client that goes away ends its request, and the runtime drops whatever that was doing. Here every handler of the
// front runs to its end all the same, within a limit: what it has taken in wasm's memory is given back, and what the origin
// is about to say of its permit is heard.
//
// It must never touch what is inside a request or an answer. Its partner is watchdog.rs, which says whose code runs.

import { PROBE, answerProbe, probe } from "./probe.js";
import * as wasm from "../../build/index.js";
import settings from "../../build/settings.js";

/** What a deploy put beside the code, for config.rs: rooms and operators are more than a variable takes. */
globalThis.__baton_settings = settings;

/** workers-rs's own record: `criticalError` is set when wasm dies, `instanceId` counts the instances. */
const instance = globalThis.__worker_init_state;
/** Written by watchdog.rs: what the handler that is being polled right now was called with. */
const watch = globalThis.__baton_watchdog;

watch.probe = probe;

/** A call is repeated at most this often; an innocent one is hit again only by a second panic of another. */
const REPEATS_MAX = 4;
const ALARM_AGAIN_MS = 1000;
/** For so long a handler goes on whose client has gone. The platform would drop it after 30 s. */
const RUN_ON_MS = 25_000;
/** As src/log.rs has it. */
const DEATH = "Baton's code panicked. That call got a 500. The count says how many other calls are repeated or get a 503.";

/** Why a call has to end: the wasm instance that ran it is gone. */
class Died extends Error {
  constructor(isCulprit) {
    super(isCulprit ? "the handler panicked" : "the handler's instance was lost to a panic elsewhere");
    this.isCulprit = isCulprit;
  }
}

/** Every call into wasm that is not over, see watchdog.js. */
const { calls } = watch;

/** The call that died, the one that waits for it in this isolate, and so on up: repeating them would only repeat it. */
function* guilty(ended) {
  let call = ended.find(({ who }) => who === watch.running);
  for (let left = ended.length; call && left > 0; left--) {
    yield call;
    const caller = call.who instanceof Request ? call.who.headers.get("Baton-Caller") : null;
    call = caller && ended.find(({ who }) => watch.names.get(who) === caller);
  }
}

function endCalls() {
  const ended = [...calls];
  const culprits = new Set(guilty(ended));
  watch.running = null;
  calls.clear();
  console.error(JSON.stringify({ level: "error", code: "instance_died", part: "isolate", count: ended.length, message: DEATH }));
  for (const call of ended) call.fail(new Died(culprits.has(call)));
}

// workers-rs sets this flag in its panic hook and wherever it sees a trap, always within the call that died.
let isDead = instance.criticalError;
Object.defineProperty(instance, "criticalError", {
  get: () => isDead,
  set(value) {
    const dies = value && !isDead;
    isDead = value;
    if (dies) endCalls();
  },
});

/** A trap, or an exhausted stack, which workers-rs does not take for a death. */
function noteDeath(error) {
  const isStack = error instanceof RangeError && error.message.startsWith("Maximum call stack");
  if (isStack || error instanceof WebAssembly.RuntimeError) instance.criticalError = true;
}
addEventListener("error", ({ error }) => noteDeath(error));

// Each time a future goes on, wasm-bindgen asks for a microtask. This runtime's own way to one costs as much as a dozen
// promises; a promise that is settled already gives the same turn, in the same order.
const settled = Promise.resolve();
globalThis.queueMicrotask = (run) => {
  settled.then(() => {
    try {
      run();
    } catch (error) {
      noteDeath(error);
      throw error;
    }
  });
};

/** Runs one handler; the promise ends when the handler does, or with `Died` as soon as wasm dies. */
function watched(who, run) {
  return new Promise((resolve, reject) => {
    const call = { who, fail: reject };
    calls.add(call);
    const failed = (error) => {
      noteDeath(error);
      calls.delete(call);
      reject(error);
    };
    const done = (value) => {
      calls.delete(call);
      resolve(value);
    };
    try {
      run().then(done, failed);
    } catch (error) {
      failed(error);
    }
  });
}

/** Runs a handler, again if it was lost without any fault of its own and `isRepeatable()`; `onDeath(isCulprit)` answers when it can't be. */
async function survive(who, isRepeatable, run, onDeath) {
  for (let repeats = 0; ; repeats++) {
    try {
      return await watched(who, run);
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      if (error.isCulprit || !isRepeatable() || repeats === REPEATS_MAX) return onDeath(error.isCulprit);
    }
  }
}

const always = () => true;
const isBodiless = ({ method }) => method === "GET" || method === "HEAD";

function apology(isCulprit) {
  const headers = { "Cache-Control": "private, no-store", ...(isCulprit ? {} : { "Retry-After": "1" }) };
  return new Response("Something went wrong. Please try again.\n", { status: isCulprit ? 500 : 503, headers });
}

/** After a death: brings up a new instance. */
function bringUp() {
  if (!instance.criticalError) return;
  wasm.__wbg_reset_state();
  instance.criticalError = false;
  instance.instanceId += 1;
}

/** Of a handler of the front: what it waits for, and whether its client is listened for. Some time after that has gone it is given up. */
function waitsOf(request) {
  const left = () => setTimeout(() => watch.giveUp(request), RUN_ON_MS);
  return {
    ends: new Set(),
    isGivenUp: false,
    listens: false,
    listen() {
      if (this.listens) return;
      this.listens = true;
      if (request.signal.aborted) left();
      else request.signal.addEventListener("abort", left, { once: true });
    },
    over() {
      if (this.listens) request.signal.removeEventListener("abort", left);
    },
  };
}

/** Calls into wasm for a handler, without a future. One that dies leaves its mark, as in watchdog.rs. */
function inside(who, run) {
  watch.enter(who);
  try {
    return run();
  } catch (error) {
    noteDeath(error);
    throw error;
  } finally {
    watch.leave();
  }
}

/** Answers a request of a visitor, in the instance that there is now. Of one that is gone by then nothing is asked any more. */
function answer(request, env, ctx, waits) {
  bringUp();
  const { instanceId } = instance;
  const call = (run) => {
    if (instance.criticalError || instance.instanceId !== instanceId) throw new Died(false);
    return inside(request, run);
  };
  const awaited = (answered) => {
    if (answered instanceof Promise) waits.listen();
    return answered;
  };
  const back = {
    isPlain: (id, seen) => call(() => wasm.is_plain_answer(id, seen)),
    finish: (id, came, why) => awaited(call(() => wasm.finish_front(id, came, why))),
  };
  const begin = () => {
    const answered = wasm.answer_front(request, env, ctx, Date.now());
    return typeof answered === "string" ? watch.goStraight(request, env, answered, back) : awaited(answered);
  };
  return Promise.resolve(inside(request, begin));
}

export default {
  fetch(request, env, ctx) {
    const waits = waitsOf(request);
    watch.waits.set(request, waits);
    const answered = survive(request, () => isBodiless(request), () => answer(request, env, ctx, waits), apology);
    const over = () => waits.over();
    ctx.waitUntil(answered.then(over, over));
    return answered;
  },
};

/** Wraps an object's class. The inner object lives as long as its wasm instance; this one as long as the object. */
function surviving(Inner) {
  return class {
    #ctx;
    #env;
    #inner;
    #instanceId;

    constructor(ctx, env) {
      this.#ctx = ctx;
      this.#env = env;
    }

    /** An event begins: of a request, or of an alarm or a socket. */
    #begun(request) {
      watch.began(this.#ctx, request);
    }

    #living() {
      bringUp();
      if (this.#instanceId !== instance.instanceId) {
        this.#inner = new Inner(this.#ctx, this.#env);
        this.#instanceId = instance.instanceId;
      }
      return this.#inner;
    }

    fetch(request) {
      this.#begun(request);
      if (request.url.endsWith(PROBE)) return answerProbe(request, this.#env, watch.find);
      return survive(request, () => isBodiless(request), () => this.#living().fetch(request), apology);
    }

    alarm() {
      this.#begun();
      // The runtime gives up an alarm that fails again and again; one that is set anew never ends.
      const again = async () => {
        const { storage } = this.#ctx;
        if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + ALARM_AGAIN_MS);
      };
      return survive(this.#ctx, always, () => this.#living().alarm(), again);
    }

    webSocketMessage(socket, message) {
      this.#begun();
      const close = () => socket.close(1011, "internal error");
      return survive(socket, always, () => this.#living().webSocketMessage(socket, message), close);
    }

    webSocketClose(socket, ...how) {
      this.#begun();
      return survive(socket, always, () => this.#living().webSocketClose(socket, ...how), () => {});
    }

    webSocketError(socket, error) {
      this.#begun();
      return survive(socket, always, () => this.#living().webSocketError(socket, error), () => {});
    }
  };
}

export const RoomObject = surviving(wasm.RoomObject);
export const LobbyObject = surviving(wasm.LobbyObject);
export const HouseObject = surviving(wasm.HouseObject);
export const PorterObject = surviving(wasm.PorterObject);
export const OutboxObject = surviving(wasm.OutboxObject);
