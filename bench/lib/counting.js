// Baton's worker with everything counted that Cloudflare bills or that loads an object: requests to the worker and to each kind of object, rows
// written, alarms set, messages sent. The worker itself is the one that ships, loaded as it is. Only the benchmarks load this.
//
// `/bench/counts` answers with the counts, `/bench/most/forget` starts a new search for the busiest second, `/bench/alarms/ROOM`
// says whether alarms are armed.

import inner, {
  HouseObject as House,
  LobbyObject as Lobby,
  OutboxObject as Outbox,
  PorterObject as Porter,
  RoomObject as Room,
} from "../../src/edge/entry.js";

/**
 * `by`: how often, by name; `rows`: rows written, by the statement. Both are flat: "lobby /ask claim" -> 12. `most`: the most requests that one
 * object of a kind had in one second.
 */
const counts = { worker: 0, operator: 0, requests: 0, alarms: 0, messages: 0, by: {}, rows: {}, sent: {}, awake_ms: {}, most: {} };
const ALARM = "https://bench/alarm";
/** The kind of object that a storage belongs to. */
const kinds = new WeakMap();
const patched = new WeakSet();

function add(where, what, count = 1) {
  where[what] = (where[what] ?? 0) + count;
}

/** Replaces a method of a native class. `around(self, result, args)` is called after every call. */
function watch(prototype, method, around) {
  const native = prototype[method];
  prototype[method] = function (...args) {
    const result = native.apply(this, args);
    around(this, result, args);
    return result;
  };
}

/** Returns what a statement does, in two words: `insert journal`. */
const verb = (query) =>
  /^\s*(\w+)(?:\s+OR\s+\w+)?(?:\s+(?:INTO|FROM|TABLE|IF NOT EXISTS))*\s+(\w+)/i.exec(query)?.slice(1).join(" ").toLowerCase() ?? "else";

/** Counts what this object asks of its storage from now on. */
function observe({ storage }, kind) {
  kinds.set(storage, kind).set(storage.sql, kind);
  const [ofStorage, ofSql] = [storage, storage.sql].map(Object.getPrototypeOf);
  if (patched.has(ofStorage)) return;
  patched.add(ofStorage);
  watch(ofStorage, "setAlarm", (self) => add(counts.by, `${kinds.get(self)} alarm set`));
  watch(ofSql, "exec", (self, cursor, [query]) => {
    if (cursor.rowsWritten > 0) add(counts.rows, `${kinds.get(self)} ${verb(query)}`, cursor.rowsWritten);
  });
  watch(WebSocket.prototype, "send", (_, __, [message]) => {
    const kind = typeof message === "string" ? "statuses" : "frames";
    add(counts.sent, kind);
    add(counts.sent, `${kind}, bytes`, message.length ?? message.byteLength);
  });
}

/** Returns the name of a request. What a visitor wants of a lobby is in the header or in the body (src/edge/call.rs). */
async function nameOf(kind, request) {
  const { pathname } = new URL(request.url);
  if (pathname !== "/ask") return `${kind} ${pathname}`;
  const said = request.headers.get("Baton-Said");
  const wish = /"wish":\{?"?(\w+)/.exec(said ? atob(said) : await request.clone().text())?.[1] ?? "?";
  return `${kind} ${pathname} ${wish}`;
}

const counted = (Inner, kind) =>
  class extends Inner {
    #storage;
    #second = { at: 0, requests: 0 };
    #busy = 0;
    #since = 0;

    constructor(ctx, env) {
      observe(ctx, kind);
      super(ctx, env);
      this.#storage = ctx.storage;
    }

    /** Adds up the time during which at least one handler of this object runs or waits. */
    async #awake(handle) {
      if (this.#busy++ === 0) this.#since = Date.now();
      try {
        return await handle();
      } finally {
        if (--this.#busy === 0) add(counts.awake_ms, kind, Date.now() - this.#since);
      }
    }

    #count() {
      const at = Math.floor(Date.now() / 1_000);
      if (this.#second.at !== at) this.#second = { at, requests: 0 };
      counts.most[kind] = Math.max(counts.most[kind] ?? 0, ++this.#second.requests);
    }

    async fetch(request) {
      if (request.url === ALARM) return new Response(String(await this.#storage.getAlarm()));
      counts.requests++;
      this.#count();
      add(counts.by, await nameOf(kind, request));
      return this.#awake(() => super.fetch(request));
    }

    alarm() {
      counts.alarms++;
      add(counts.by, `${kind} alarm`);
      return this.#awake(() => super.alarm());
    }

    webSocketMessage(...how) {
      counts.messages++;
      add(counts.by, `${kind} message`);
      return this.#awake(() => super.webSocketMessage(...how));
    }

    webSocketClose(...how) {
      add(counts.by, `${kind} close`);
      return this.#awake(() => super.webSocketClose(...how));
    }
  };

export const RoomObject = counted(Room, "room");
export const HouseObject = counted(House, "house");
export const PorterObject = counted(Porter, "porter");
export const OutboxObject = counted(Outbox, "outbox");
export const LobbyObject = counted(Lobby, "lobby");

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/counts") return Response.json(counts);
    if (pathname === "/bench/most/forget") {
      counts.most = {};
      return new Response("forgotten");
    }
    if (pathname.startsWith("/bench/alarms/")) {
      const room = pathname.split("/")[3];
      const stubs = [env.ROOM.getByName(`${room}@auto.1`), env.LOBBY.getByName(`${room}@auto.1/0`)];
      return Response.json(await Promise.all(stubs.map(async (stub) => (await stub.fetch(ALARM)).text())));
    }
    counts.worker++;
    if (pathname.startsWith("/__baton/admin/")) counts.operator++;
    return inner.fetch(request, env, ctx);
  },
};
