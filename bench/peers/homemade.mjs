// The usual home-made waiting room: a sorted set in Redis, scored by when people came, and a page that asks every five seconds. A script in Redis lets in
// whoever is within as many from the front as permits are free. Who has not asked for three polls is taken for gone.

import { fetched } from "./clients.mjs";

const SILENT_MS_MAX = 15_000;
/** Keys: the line, the last poll of each in it, those inside with the end of each permit. Arguments: id, now, permits, limit, silence. */
const POLL = `
local now = tonumber(ARGV[2])
redis.call("ZREMRANGEBYSCORE", KEYS[3], "-inf", now)
if redis.call("ZSCORE", KEYS[3], ARGV[1]) then return 1 end
for _, gone in ipairs(redis.call("ZRANGEBYSCORE", KEYS[2], "-inf", now - ARGV[5])) do
  redis.call("ZREM", KEYS[1], gone)
  redis.call("ZREM", KEYS[2], gone)
end
redis.call("ZADD", KEYS[1], "NX", now, ARGV[1])
redis.call("ZADD", KEYS[2], now, ARGV[1])
if redis.call("ZRANK", KEYS[1], ARGV[1]) >= ARGV[3] - redis.call("ZCARD", KEYS[3]) then return 0 end
redis.call("ZREM", KEYS[1], ARGV[1])
redis.call("ZREM", KEYS[2], ARGV[1])
redis.call("ZADD", KEYS[3], now + ARGV[4], ARGV[1])
return 1`;

export default {
  name: "homemade",
  what: "Redis sorted set, the page polls every 5 s",
  told: "poll",
  server: "redis",
  limit: true,
  second: "nothing: all state is in Redis, which is one server",
  async open({ port, room, permits, limitMs }) {
    const redis = new (fetched("ioredis").Redis)({ port, host: "127.0.0.1" });
    redis.on("error", () => {});
    redis.defineCommand("poll", { numberOfKeys: 3, lua: POLL });
    const keys = ["line", "seen", "inside"].map((name) => `${room}:${name}`);
    await redis.ping();
    return {
      // The first poll joins, so the front's own answer to a join does it all.
      async join() {},
      poll: async (id) => (await redis.poll(...keys, id, Date.now(), permits, limitMs, SILENT_MS_MAX)) === 1,
      leave: (id) => redis.multi(keys.map((key) => ["zrem", key, id])).exec(),
      gone() {},
    };
  },
};
