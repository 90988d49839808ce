// redis-py's Lock, with its own default of asking every 0.1 s (`redis_lock.py`).

import { piped } from "./clients.mjs";

export default {
  name: "redis_lock",
  what: "redis-py's Lock",
  told: "socket",
  server: "redis",
  limit: true,
  second: "nothing: each waiter asks Redis by itself",
  open: (env) => piped("redis_lock.py", env),
};
