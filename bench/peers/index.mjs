// What somebody would build or pick in place of Baton: one file each, as its own documentation or the usual recipe does it. All stand behind `front.mjs`.
//
// A peer is `{ name, what, told, server?, limit, second, open(env) }`. `told` says how people learn that they are called: by a `socket`, or when they `poll`.
// `server` is what runs behind the front. `limit` is false if the recipe never takes a permit from a holder who does not come back. `second` says
// what a second server needs. `open({ port, room, permits, limitMs })` runs in the front, resolves once it is connected, and resolves to the recipe:
//
//   join(id, called)   takes somebody in; `called()` once the recipe has given them a permit
//   leave(id)          gives the permit back, or the place up
//   gone(id)           the socket of somebody who waits is closed
//   poll(id)           resolves to whether that person has a permit now (only where `told` is `poll`)

import advisory from "./advisory.mjs";
import blpop from "./blpop.mjs";
import counter from "./counter.mjs";
import fairSemaphore from "./fair_semaphore.mjs";
import homemade from "./homemade.mjs";
import namedLocks from "./named_locks.mjs";
import redisLock from "./redis_lock.mjs";
import zookeeper from "./zookeeper.mjs";

export const peers = [homemade, redisLock, fairSemaphore, blpop, namedLocks, advisory, zookeeper, counter];
