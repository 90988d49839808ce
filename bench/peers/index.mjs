// What somebody would build or pick in place of Baton: one file each, as its own documentation or the usual recipe does it. All stand behind `front.mjs`.
//
// A peer is `{ name, what, told, server?, limit, second, open(env) }`. `told` says how people learn that they are called: by a `socket`, or when they `poll`.
// `server` is what runs behind the front. `limit` is false if the recipe never takes a permit from a holder who does not come back. `second` says
// what a second server needs. `open({ port, room, permits, limitMs })` runs in the front, resolves once it is connected, and resolves to the recipe:
// (`Recipe`).

import advisory from "./advisory.mjs";
import blpop from "./blpop.mjs";
import counter from "./counter.mjs";
import fairSemaphore from "./fair_semaphore.mjs";
import homemade from "./homemade.mjs";
import namedLocks from "./named_locks.mjs";
import redisLock from "./redis_lock.mjs";
import zookeeper from "./zookeeper.mjs";

/**
 * @typedef {object} Recipe
 * @property {(id: string, called?: () => void) => Promise<unknown>} join takes somebody in; `called()` once the recipe has given them a permit
 * @property {(id: string) => Promise<unknown>} leave gives the permit back, or the place up
 * @property {(id: string) => unknown} gone the socket of somebody who waits is closed
 * @property {(id: string) => Promise<boolean>} [poll] resolves to whether that person has a permit now (only where `told` is `poll`)
 */

export const peers = [homemade, redisLock, fairSemaphore, blpop, namedLocks, advisory, zookeeper, counter];
