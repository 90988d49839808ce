// Loaded in place of the worker's entry: lobbies and rooms of a build that knows nothing of messages in headers (src/edge/call.rs),
// as long as a test wants it. `GET /bodies/on` begins it, `GET /bodies/off` ends it; both answer how often objects were asked in
// the header, and how often by such callers in vain.

import inner, { LobbyObject as Lobby, RoomObject as Room } from "../../../src/edge/entry.js";

const SAID = "Baton-Said";
let isOld = false;
let counts = { asked: 0, vain: 0 };

const old = (Inner) =>
  class extends Inner {
    fetch(request) {
      if (request.headers.get(SAID)) counts[isOld ? "vain" : "asked"]++;
      if (!isOld || !request.headers.has(SAID)) return super.fetch(request);
      const headers = new Headers(request.headers);
      headers.delete(SAID);
      headers.delete("Baton-Call");
      return super.fetch(new Request(request, { headers }));
    }
  };

export const LobbyObject = old(Lobby);
export const RoomObject = old(Room);
export { HouseObject, OutboxObject } from "../../../src/edge/entry.js";

export default {
  fetch(request, env, ctx) {
    const [, path, wanted] = new URL(request.url).pathname.split("/");
    if (path !== "bodies") return inner.fetch(request, env, ctx);
    isOld = wanted === "on";
    const told = counts;
    counts = { asked: 0, vain: 0 };
    return Response.json(told);
  },
};
