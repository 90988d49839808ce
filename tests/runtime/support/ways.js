// Baton's worker with a switch between its two ways to the origin. `/test/way/long`: from now on nothing goes straight; `/test/way/straight`:
// as it ships. Each answers how many requests went straight since the last time.

import inner, { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject } from "../../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject };

const SWITCH = "/test/way/";
const watch = globalThis.__baton_watchdog;
const { goStraight } = watch;
let way = "straight";
let straight = 0;

watch.goStraight = (request, env, text, back) => {
  if (way === "long") return back.finish(Number(text.split("\n", 1)[0]));
  straight += 1;
  return goStraight(request, env, text, back);
};

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith(SWITCH)) return inner.fetch(request, env, ctx);
    const told = Response.json(straight);
    [way, straight] = [pathname.slice(SWITCH.length), 0];
    return told;
  },
};
