// Loaded in place of the worker's entry: Baton on a host whose clock is `CLOCK_AHEAD_MS` ahead, as if so long had passed.

import { env } from "cloudflare:workers";

const now = Date.now.bind(Date);
Date.now = () => now() + Number(env.CLOCK_AHEAD_MS ?? 0);

export { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject, default } from "../../src/edge/entry.js";
