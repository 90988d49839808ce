// Baton's worker with its objects counted: what reaches them, and whether an alarm is armed. The worker itself is the one
// that ships, loaded as it is. Only the benchmarks load this.

import inner, { LobbyObject as Lobby, RoomObject as Room } from "../../src/edge/entry.js";

const counts = { requests: 0, alarms: 0, messages: 0 };
const ALARM = "https://bench/alarm";

const counted = (Inner) => class extends Inner {
  #storage;

  constructor(ctx, env) {
    super(ctx, env);
    this.#storage = ctx.storage;
  }

  async fetch(request) {
    if (request.url === ALARM) return new Response(String(await this.#storage.getAlarm()));
    counts.requests++;
    return super.fetch(request);
  }

  alarm() {
    counts.alarms++;
    return super.alarm();
  }

  webSocketMessage(...how) {
    counts.messages++;
    return super.webSocketMessage(...how);
  }
};

export const RoomObject = counted(Room);
export const LobbyObject = counted(Lobby);

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/counts") return Response.json(counts);
    if (pathname.startsWith("/bench/alarms/")) {
      const room = pathname.split("/")[3];
      const stubs = [env.ROOM.getByName(room), env.LOBBY.getByName(`${room}/0`)];
      return Response.json(await Promise.all(stubs.map(async (stub) => (await stub.fetch(ALARM)).text())));
    }
    return inner.fetch(request, env, ctx);
  },
};
