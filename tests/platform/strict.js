// Baton's worker on a platform that is stricter than `workerd serve`: loaded in place of the worker's entry, it does to
// each call between front and objects what Cloudflare does and workerd does not.
//
// - Depth: a chain of calls may be 16 deep. A stub takes the depth of the event that its maker began last; a call
//   over it is one deeper, and one that would be too deep fails.
// - Rate: an object takes a thousand requests a second. A request above that fails with `.overloaded`.
// - Time: work that outlives an answer must end within 30 s. This cannot cut it off, but it counts what took longer.
//
// `/platform/counts` tells what happened, `/platform/reset?100` begins to count anew, with a hundred requests
// a second for an object instead of a thousand, and from `/platform/away?PORTER` on nobody reaches a porter.
// `tests/platform/platform.mjs` starts it.

import { DEPTH, Limits, add } from "./limits.js";
import { wasmBytes } from "./wasm.js";
import inner, {
  HouseObject as House,
  LobbyObject as Lobby,
  OutboxObject as Outbox,
  PorterObject as Porter,
  RoomObject as Room,
} from "../../src/edge/entry.js";

const AFTER_ANSWER_MS_MAX = 30_000;
const limits = new Limits();

/** Counts what goes on too long after the event that began it. */
function timed(ctx) {
  const since = Date.now();
  const waitUntil = (work) => {
    const done = () => (limits.counts.too_long += Date.now() - since > AFTER_ANSWER_MS_MAX ? 1 : 0);
    work.then(done, done);
    ctx.waitUntil(work);
  };
  return { waitUntil, passThroughOnException: () => ctx.passThroughOnException?.(), props: ctx.props };
}

function own({ pathname, search }) {
  if (pathname === "/platform/counts" && search === "?collect") globalThis.gc();
  if (pathname === "/platform/counts")
    return Response.json({ ...limits.counts, wasm_bytes: wasmBytes(), entries: globalThis.__baton_watchdog.calls?.size ?? null });
  if (pathname === "/platform/away") {
    limits.away = search.slice(1);
    return new Response(null, { status: 204 });
  }
  if (pathname !== "/platform/reset") return null;
  limits.reset(...(search ? [Number(search.slice(1))] : []));
  return new Response(null, { status: 204 });
}

export default {
  fetch(request, env, ctx) {
    const answer = own(new URL(request.url));
    return (
      answer ??
      inner.fetch(
        request,
        limits.around(env, () => 1),
        timed(ctx),
      )
    );
  },
};

/** An object whose newest event says how deep its stubs are. */
const strict = (Inner, name) =>
  class extends Inner {
    #depth;

    constructor(ctx, env) {
      const depth = { now: 0 };
      super(
        ctx,
        limits.around(env, () => depth.now, name),
      );
      this.#depth = depth;
    }

    fetch(request) {
      const depth = Number(request.headers.get(DEPTH) ?? 0);
      this.#depth.now = depth;
      add(limits.counts.events, `${name} fetch`);
      return super.fetch(request);
    }

    alarm(...args) {
      this.#depth.now = 0;
      add(limits.counts.events, `${name} alarm`);
      return super.alarm(...args);
    }

    webSocketMessage(...args) {
      this.#depth.now = 0;
      return super.webSocketMessage(...args);
    }

    webSocketClose(...args) {
      this.#depth.now = 0;
      return super.webSocketClose(...args);
    }

    webSocketError(...args) {
      this.#depth.now = 0;
      return super.webSocketError(...args);
    }
  };

export const RoomObject = strict(Room, "room");
export const LobbyObject = strict(Lobby, "lobby");
export const HouseObject = strict(House, "house");
export const PorterObject = strict(Porter, "porter");
export const OutboxObject = strict(Outbox, "outbox");
