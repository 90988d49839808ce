// The fair semaphore of the book *Redis in Action*, by Josiah Carlson (6.3.2), with its lock (6.3.4) against races (`fair_semaphore.py`).

import { piped } from "./clients.mjs";

export default {
  name: "fair_semaphore",
  what: "The fair semaphore of *Redis in Action*",
  told: "socket",
  server: "redis",
  limit: true,
  second: "nothing: each waiter asks Redis by itself",
  open: (env) => piped("fair_semaphore.py", env),
};
