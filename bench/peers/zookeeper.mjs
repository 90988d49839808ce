// ZooKeeper with kazoo's Semaphore: sequential nodes that live as long as the front's session (`zookeeper.py`).

import { piped } from "./clients.mjs";

export default {
  name: "zookeeper",
  what: "ZooKeeper, kazoo's Semaphore",
  told: "socket",
  server: "zookeeper",
  limit: false,
  second: "nothing; three ZooKeepers survive the loss of one",
  open: (env) => piped("zookeeper.py", env),
};
