// Baton's worker with a rate limit bound to it as Cloudflare binds one: it lets a key through `LIMITER_MAX` times and
// then no more. Loaded in place of the worker's entry.

import inner from "../../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, RoomObject } from "../../../src/edge/entry.js";

const taken = new Map();

const limiterOf = (env) => ({
  async limit({ key }) {
    if (env.LIMITER_FAILS) throw new Error("the limiter is away");
    taken.set(key, (taken.get(key) ?? 0) + 1);
    return { success: taken.get(key) <= Number(env.LIMITER_MAX) };
  },
});

export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/limiter-keys") return Response.json([...taken.keys()]);
    return inner.fetch(request, { ...env, JOIN_LIMITER: limiterOf(env) }, ctx);
  },
};
