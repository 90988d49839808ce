// PostgreSQL's advisory locks, of the session: `pg_advisory_lock` waits, and the end of the session releases. A lock is one permit, so people are spread over
// as many as there are permits, and each waits on a connection of its own.

import { fetched, inTurn } from "./clients.mjs";

export default {
  name: "advisory",
  what: "PostgreSQL advisory locks",
  told: "socket",
  server: "postgres",
  limit: false,
  second: "nothing, but all must use the same primary",
  async open({ port, room, permits }) {
    const { Client } = fetched("pg");
    const held = new Map();
    const turn = inTurn(permits);
    return {
      async join(id, called) {
        const own = new Client({ port, host: "127.0.0.1", user: "baton", database: "postgres" });
        own.on("error", () => {});
        held.set(id, own);
        await own.connect();
        own.query("SELECT pg_advisory_lock(hashtext($1), $2)", [room, turn()]).then(called, () => {});
      },
      async leave(id) {
        const own = held.get(id);
        held.delete(id);
        await own?.query("SELECT pg_advisory_unlock_all()");
        await own?.end();
      },
      gone(id) {
        held.get(id)?.connection.stream.destroy();
        held.delete(id);
      },
    };
  },
};
