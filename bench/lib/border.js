// Baton's worker with each call across the border of its wasm counted by the function's name. The worker itself is the one that ships. Only the
// benchmarks load this. `/bench/border` answers with the counts and sets them to zero.

import { taken } from "./border_counts.js";
import inner, { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject } from "../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject };

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/bench/border") return Response.json(taken());
    return inner.fetch(request, env, ctx);
  },
};
