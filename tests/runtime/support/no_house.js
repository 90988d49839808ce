// Loaded in place of the worker's entry: a Baton whose house does not answer, from the start (`HOUSE_AWAY`) or for as long as
// `GET /no-house/true` says so.

import { env } from "cloudflare:workers";
import inner, { HouseObject as House } from "../../../src/edge/entry.js";

export { LobbyObject, OutboxObject, RoomObject } from "../../../src/edge/entry.js";

let isAway = Boolean(env.HOUSE_AWAY);

export class HouseObject extends House {
  fetch(request) {
    if (isAway) throw new Error("the house is away");
    return super.fetch(request);
  }
}

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/no-house/")) return inner.fetch(request, env, ctx);
    isAway = pathname.endsWith("true");
    return new Response();
  },
};
