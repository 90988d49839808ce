// Baton's worker, where the real lobbies of fed rooms do not answer: there the feeder plays the lobbies (bench/ceilings/src/feed.rs). Otherwise the
// room's pushes would reach real lobbies, which know nothing of the feeder's lives, and the room would forget those lives. The names of fed rooms
// begin with `fed-`. Only the benchmarks load this.

import inner, { HouseObject, LobbyObject as Lobby, OutboxObject, RoomObject } from "../../src/edge/entry.js";

export { HouseObject, OutboxObject, RoomObject };

export class LobbyObject extends Lobby {
  fetch(request) {
    if (request.headers.get("Baton-Room")?.startsWith("fed-")) return new Response("nobody is here", { status: 503 });
    return super.fetch(request);
  }
}

export default inner;
