// Loaded in place of the worker's entry: to its lobbies each page without a number stands for a thousand, as if so many had come to
// other isolates. `GET /crowded` answers what lobbies said of their load, in order.

import inner, { LobbyObject as Lobby } from "../../../src/edge/entry.js";

export { HouseObject, OutboxObject, PorterObject, RoomObject } from "../../../src/edge/entry.js";

const loads = [];

export class LobbyObject extends Lobby {
  async fetch(request) {
    const pages = request.headers.get("Baton-Pages");
    if (pages === null) return super.fetch(request);
    const headers = new Headers(request.headers);
    headers.set("Baton-Pages", String(Number(pages) * 1_000));
    const answer = await super.fetch(new Request(request, { headers }));
    loads.push(answer.headers.get("Baton-Load"));
    return answer;
  }
}

export default {
  fetch: (request, env, ctx) => (new URL(request.url).pathname === "/crowded" ? Response.json(loads) : inner.fetch(request, env, ctx)),
};
