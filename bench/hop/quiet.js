// Baton's worker, where the room of the hop pushes nothing to Baton's own lobby: visitors join there, and then the hop's lobby takes its place. A push
// would make the two take the place from each other again and again. Only the benchmarks load this.

import inner, { HouseObject, LobbyObject as Lobby, OutboxObject, PorterObject, RoomObject } from "../../src/edge/entry.js";

export { HouseObject, OutboxObject, PorterObject, RoomObject };

export class LobbyObject extends Lobby {
  fetch(request) {
    if (request.url.endsWith("/push") && request.headers.get("Baton-Room") === "hops") return new Response("nobody is here", { status: 503 });
    return super.fetch(request);
  }
}

export default inner;
