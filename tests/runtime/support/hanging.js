// Baton's worker whose rooms hang as long as a test wants it: `/hang/on`, `/hang/off`. Calls that hung are answered then. Loaded in place of the
// worker's entry.

import inner, { RoomObject as Room } from "../../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, PorterObject } from "../../../src/edge/entry.js";

let hangs = false;

export class RoomObject extends Room {
  async fetch(request) {
    // A promise that nothing can resolve would be taken for a bug, and end.
    while (hangs) await scheduler.wait(50);
    return super.fetch(request);
  }
}

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/hang/")) return inner.fetch(request, env, ctx);
    hangs = pathname === "/hang/on";
    return new Response();
  },
};
