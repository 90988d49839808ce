// A list in Redis that holds the permits: `BLPOP` takes one or waits, `RPUSH` brings it back. Redis serves those who wait in the order in which they began.
// Each waits on a connection of its own. A set says who is inside, so that nobody brings a permit back twice.

import { fetched } from "./clients.mjs";

const LEAVE = `if redis.call("SREM", KEYS[1], ARGV[1]) == 1 then return redis.call("RPUSH", KEYS[2], "permit") end`;

export default {
  name: "blpop",
  what: "Redis list, popped with a wait (BLPOP)",
  told: "socket",
  server: "redis",
  limit: false,
  second: "nothing: Redis orders the waits of all fronts",
  async open({ port, room, permits }) {
    const { Redis } = fetched("ioredis");
    // A command that was cut off must not be sent again: it may have taken a permit.
    const connect = () =>
      new Redis({ port, host: "127.0.0.1", retryStrategy: null, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }).on(
        "error",
        () => {},
      );
    const main = connect();
    main.defineCommand("leaves", { numberOfKeys: 2, lua: LEAVE });
    if (await main.setnx(`${room}:made`, 1)) await main.rpush(`${room}:permits`, ...Array(permits).fill("permit"));
    const waits = new Map();
    return {
      async join(id, called) {
        const own = connect();
        waits.set(id, own);
        await own.ping();
        own.blpop(`${room}:permits`, 0).then(
          (permit) => {
            waits.delete(id);
            own.disconnect();
            if (permit) main.sadd(`${room}:inside`, id).catch(() => {});
            if (permit) called();
          },
          () => {},
        );
      },
      leave: (id) => main.leaves(`${room}:inside`, `${room}:permits`, id),
      gone(id) {
        waits.get(id)?.disconnect();
        waits.delete(id);
      },
    };
  },
};
