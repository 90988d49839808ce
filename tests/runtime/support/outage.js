// Baton's worker whose lobbies can be taken away and given back: `/outage/on`, `/outage/off`. Loaded in place of the
// worker's entry.

import inner from "../../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, RoomObject } from "../../../src/edge/entry.js";

let away = false;

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/outage/")) {
      away = pathname === "/outage/on";
      return new Response();
    }
    return inner.fetch(request, away ? { ...env, LOBBY: undefined } : env, ctx);
  },
};
