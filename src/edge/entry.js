// The worker's module, which the runtime loads first. It lays a watch around every handler of the wasm inside, so that a panic there, or an exhausted
// stack or memory, costs one answer and nothing else.
//
// One wasm instance serves a whole isolate: the front and many objects. When it dies, workers-rs makes a new one, but every promise of the old one
// stays pending for ever. So this module registers each call into wasm until it is over. After a death:
//
// - the call whose own code died fails, and so do those who wait for it: a 500, a closed socket, an alarm that comes again 1 s later;
// - every other call in flight is repeated on the new instance if a repeat is harmless: alarms and socket events, whose handlers are
//   idempotent, and GET and HEAD requests. The new instance answers any other request that is at the origin, with what the origin says; the rest
//   get a 503 and may be sent again;
// - an object builds itself anew from its storage before its next event. Its sockets, its storage and its alarm belong to the runtime,
//   not to the wasm, and stay.
//
// When a client goes away, the runtime drops whatever its request was doing. This module keeps every handler of the front running to its end, within
// a limit, so that it frees what it took in wasm's memory and hears what the origin is about to say of its permit.
//
// It must never touch what is inside a request or an answer. Its partner is watchdog.rs, which says whose code runs.

import { PROBE, answerProbe, probe } from "./probe.js";
import * as wasm from "../../build/index.js";
import settings from "../../build/settings.js";

/** What the deploy bundled with the code, for config/bindings.rs: rooms and operators need more than a variable holds. */
globalThis.__baton_settings = settings;

/** The record of workers-rs: `criticalError` is set when the wasm dies, `instanceId` counts the instances. */
const instance = globalThis.__worker_init_state;
/** The state of watchdog.js. In it watchdog.rs notes what the handler that is being polled right now was called with. */
const watch = globalThis.__baton_watchdog;

watch.probe = probe;

/** The most repeats of one call. A call that did nothing wrong is hit again only if yet another call panics. */
const REPEATS_MAX = 4;
const ALARM_AGAIN_MS = 1000;
/** How long a handler runs on after its client has gone. The platform would drop it after 30 s. */
const RUN_ON_MS = 25_000;
/** The same text as in src/facts/log.rs. */
const DEATH =
  "Baton's code panicked. That call got a 500, unless it sent something to the origin; `count` others are repeated, wait for the origin, or get a 503.";

/** Says why a call has to end: the wasm instance that ran it is gone. */
class Died extends Error {
  constructor(isCulprit) {
    super(isCulprit ? "the handler panicked" : "the handler's instance was lost to a panic elsewhere");
    this.isCulprit = isCulprit;
  }
}

/** Every call into wasm that is not over; see watchdog.js. */
const { calls } = watch;

/** Yields the call that died, then the one in this isolate that waits for it, and so on up. Repeating them would only repeat the death. */
function* guilty(ended) {
  let call = ended.find(({ who }) => who === watch.running);
  for (let left = ended.length; call && left > 0; left--) {
    yield call;
    const caller = call.who instanceof Request ? watch.callerOf(call.who) : null;
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

// workers-rs sets this flag in its panic hook and wherever it sees a trap, always while the call that died is still running.
let isDead = instance.criticalError;
Object.defineProperty(instance, "criticalError", {
  get: () => isDead,
  set(value) {
    const dies = value && !isDead;
    isDead = value;
    if (dies) endCalls();
  },
});

/** Notes a trap, or an exhausted stack, which workers-rs does not take for a death. */
function noteDeath(error) {
  const isStack = error instanceof RangeError && error.message.startsWith("Maximum call stack");
  if (isStack || error instanceof WebAssembly.RuntimeError) instance.criticalError = true;
}
addEventListener("error", ({ error }) => noteDeath(error));

// wasm-bindgen asks for a microtask each time a future goes on. The runtime's own `queueMicrotask` costs as much as a dozen promises. A promise that
// is already settled runs the task in the same turn and in the same order.
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

/** Runs one handler. Returns what `run` returns; a promise of it ends with `Died` as soon as the wasm dies. */
function watched(who, run) {
  let died;
  const call = { who, fail: (error) => (died = error) };
  calls.add(call);
  let answered;
  try {
    answered = run();
  } catch (error) {
    noteDeath(error);
    calls.delete(call);
    throw died ?? error;
  }
  if (!(answered instanceof Promise)) {
    calls.delete(call);
    return answered;
  }
  return new Promise((resolve, reject) => {
    call.fail = reject;
    const failed = (error) => {
      noteDeath(error);
      calls.delete(call);
      reject(error);
    };
    const done = (value) => {
      calls.delete(call);
      resolve(value);
    };
    answered.then(done, failed);
  });
}

/**
 * Runs a handler, and repeats it if it was lost through no fault of its own and `isRepeatable()`; else `onDeath(isCulprit)` answers. Returns the answer, or
 * a promise of it if the handler waits.
 */
function survive(who, isRepeatable, run, onDeath, repeats = 0) {
  const failed = (error) => {
    if (!(error instanceof Died)) throw error;
    if (error.isCulprit || !isRepeatable() || repeats === REPEATS_MAX) return onDeath(error.isCulprit);
    return survive(who, isRepeatable, run, onDeath, repeats + 1);
  };
  try {
    const answered = watched(who, run);
    return answered instanceof Promise ? answered.catch(failed) : answered;
  } catch (error) {
    return failed(error);
  }
}

const always = () => true;
const isBodiless = ({ method }) => method === "GET" || method === "HEAD";

function apology(isCulprit) {
  const headers = { "Cache-Control": "private, no-store", ...(isCulprit ? {} : { "Retry-After": "1" }) };
  return new Response("Something went wrong. Please try again.\n", { status: isCulprit ? 500 : 503, headers });
}

/** With this begins a text that names a call to an object (driven.rs). */
const CALLS = "?\n";

/** Brings up a new instance after a death. */
function bringUp() {
  if (!instance.criticalError) return;
  wasm.__wbg_reset_state();
  instance.criticalError = false;
  instance.instanceId += 1;
}

/** Holds what a handler of the front waits for. Once it listens and its client has gone, the handler is given up after some time. */
function waitsOf(request) {
  const left = () => setTimeout(() => watch.giveUp(request), RUN_ON_MS);
  return {
    ends: new Set(),
    isGivenUp: false,
    listens: false,
    /** From front/headers.js: the promise of the origin's answer, once the request was sent there, and when that was, Unix ms. */
    sent: undefined,
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

/** Calls into wasm for a handler, without a future. A death is noted while the handler's mark still stands, as in watchdog.rs. */
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

/** Answers a visitor's request on the current instance, in which `start` begins. Once that instance is gone, this asks nothing more of it. */
function answer(request, env, waits, start) {
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
    asPlain: (id, seen) => call(() => wasm.as_plain_answer(id, seen)),
    finish: (id, came, why) => call(() => follow(wasm.finish_front(id, came, why))),
  };
  /** Carries out what the wasm returned: a text says what to send. */
  const follow = (answered) => {
    if (typeof answered !== "string") return awaited(answered);
    if (!answered.startsWith(CALLS)) return watch.goStraight(request, env, answered, back);
    const at = answered.indexOf("\n", CALLS.length);
    const id = Number(answered.slice(CALLS.length, at));
    const resume = (came, why) => call(() => follow(wasm.resume_front(id, came, why)));
    return watch.post(env, answered.slice(at + 1)).then(resume, (error) => resume(undefined, error));
  };
  return inside(request, () => follow(start()));
}

/**
 * Answers after the death of the instance that served the request, which may not be sent again. If it was at the origin, what it asked for may be done: the
 * origin's answer is waited for, and the next instance goes on with it.
 */
function afterDeath(request, env, ctx, waits, isCulprit) {
  const { sent } = waits;
  if (sent === undefined || isBodiless(request)) return apology(isCulprit);
  waits.listen();
  const goOn = (came) =>
    survive(
      request,
      () => !came.bodyUsed,
      () => answer(request, env, waits, () => wasm.take_over(request, env, ctx, came, sent.atMs)),
      apology,
    );
  return sent.answer.then(
    (came) => (came.bodyUsed ? apology(isCulprit) : goOn(came)),
    () => apology(isCulprit),
  );
}

export default {
  fetch(request, env, ctx) {
    const waits = waitsOf(request);
    watch.waits.set(request, waits);
    const answered = survive(
      request,
      () => isBodiless(request),
      () => answer(request, env, waits, () => wasm.answer_front(request, env, ctx, Date.now())),
      (isCulprit) => afterDeath(request, env, ctx, waits, isCulprit),
    );
    if (!(answered instanceof Promise)) return answered;
    const over = () => waits.over();
    ctx.waitUntil(answered.then(over, over));
    return answered;
  },
};

/** Wraps an object's class. The inner object lives as long as its wasm instance, the wrapper as long as the object. */
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

    /** Notes that an event begins. `request` is undefined for an alarm or a socket event. Returns the request's headers as text. */
    #begun(request) {
      return watch.began(this.#ctx, request);
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
      const lines = this.#begun(request);
      const { url } = request;
      if (url.endsWith(PROBE)) return answerProbe(request, this.#env, watch.find);
      const answer = () => {
        const inner = this.#living();
        return inner.hear === undefined ? inner.fetch(request) : inside(request, () => inner.hear(request, url, lines));
      };
      return survive(request, () => isBodiless(request), answer, apology);
    }

    async alarm(how) {
      this.#begun();
      // For object.rs: while an alarm rings, the platform no longer says for when it was set.
      this.#ctx.batonRingsFor = how?.scheduledTime;
      // The runtime gives up an alarm that fails again and again; one that is set anew never ends.
      const again = async () => {
        const { storage } = this.#ctx;
        if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + ALARM_AGAIN_MS);
      };
      try {
        return await survive(this.#ctx, always, () => this.#living().alarm(), again);
      } finally {
        this.#ctx.batonRingsFor = undefined;
      }
    }

    webSocketMessage(socket, message) {
      // A client that ignores its close may send on without end. The object hears nothing of it, and does no work for it.
      if (socket.readyState !== WebSocket.OPEN) return;
      this.#begun();
      const close = () => socket.close(1011, "internal error");
      return survive(socket, always, () => this.#living().webSocketMessage(socket, message), close);
    }

    webSocketClose(socket, ...how) {
      this.#begun();
      return survive(
        socket,
        always,
        () => this.#living().webSocketClose(socket, ...how),
        () => {},
      );
    }

    webSocketError(socket, error) {
      this.#begun();
      return survive(
        socket,
        always,
        () => this.#living().webSocketError(socket, error),
        () => {},
      );
    }
  };
}

export const RoomObject = surviving(wasm.RoomObject);
export const LobbyObject = surviving(wasm.LobbyObject);
export const HouseObject = surviving(wasm.HouseObject);
export const PorterObject = surviving(wasm.PorterObject);
export const OutboxObject = surviving(wasm.OutboxObject);
