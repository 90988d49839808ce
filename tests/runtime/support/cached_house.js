// Loaded in place of the worker's entry: a Baton with the data centre's cache that local runtimes lack. `GET /cached-house/away` takes the
// house away, `GET /cached-house/asked` says how often it was asked for a picture.

import inner, { HouseObject as House } from "../../../src/edge/entry.js";

export { LobbyObject, RoomObject } from "../../../src/edge/entry.js";

let asked = 0;
let isAway = false;
const shelf = new Map();

Object.defineProperty(globalThis, "caches", {
  value: {
    default: {
      async match(key) {
        const kept = shelf.get(key);
        return kept && new Response(kept.body, { headers: kept.headers });
      },
      async put(key, answer) {
        // As the platform does: what may not be kept is not.
        const headers = [...answer.headers];
        const body = await answer.arrayBuffer();
        if (!key.includes("/table/") && /max-age=[1-9]/.test(new Headers(headers).get("cache-control"))) shelf.set(key, { body, headers });
      },
    },
  },
});

export class HouseObject extends House {
  fetch(request) {
    if (isAway) throw new Error("the house is away");
    if (new URL(request.url).pathname === "/picture") asked += 1;
    return super.fetch(request);
  }
}

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/cached-house/asked") return Response.json(asked);
    if (pathname !== "/cached-house/away") return inner.fetch(request, env, ctx);
    isAway = true;
    return new Response();
  },
};
