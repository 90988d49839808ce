// Loaded in place of the worker's entry: Baton on a host whose clock is `CLOCK_AHEAD_MS` ahead, as if so long had passed.

import { env } from "cloudflare:workers";

import * as worker from "../../src/edge/entry.js";

const aheadMs = () => Number(env.CLOCK_AHEAD_MS ?? 0);
const now = Date.now.bind(Date);
Date.now = () => now() + aheadMs();

/** The platform tells an alarm for when it was set by its own clock. */
const told = (Inner) =>
  class extends Inner {
    alarm(how) {
      return super.alarm({ ...how, scheduledTime: Number(how.scheduledTime) + aheadMs() });
    }
  };
export const LobbyObject = told(worker.LobbyObject);
export const RoomObject = told(worker.RoomObject);
export { HouseObject, OutboxObject, PorterObject, default } from "../../src/edge/entry.js";
