// Baton's worker with a switch between its two ways to the origin, and to objects. `/test/way/long`: from now on nothing goes straight, and JavaScript makes
// no call to an object; `/test/way/straight`: as it ships. Each answers how many requests went straight since the last time, and `/test/asked` how many
// calls JavaScript made.

import inner, { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject } from "../../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject };

const SWITCH = "/test/way/";
const watch = globalThis.__baton_watchdog;
const { goStraight, post } = watch;
let way = "straight";
let [straight, asked] = [0, 0];

watch.goStraight = (request, env, text, back) => {
  if (way === "long") return back.finish(Number(text.split("\n", 1)[0]));
  straight += 1;
  return goStraight(request, env, text, back);
};

watch.post = (env, call) => {
  // Nothing: it was not sent.
  if (way === "long") return Promise.resolve();
  asked += 1;
  return post(env, call);
};

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/asked") return Response.json(asked);
    if (!pathname.startsWith(SWITCH)) return inner.fetch(request, env, ctx);
    const told = Response.json(straight);
    [way, straight, asked] = [pathname.slice(SWITCH.length), 0, 0];
    return told;
  },
};
