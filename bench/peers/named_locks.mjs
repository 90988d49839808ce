// MariaDB's named locks: `GET_LOCK` waits, `RELEASE_LOCK` or the end of the connection releases. A lock is one permit, so people are spread over as many
// names as there are permits, and each waits on a connection of its own.

import { fetched, inTurn } from "./clients.mjs";

const PATIENCE_S = 86_400;

export default {
  name: "named_locks",
  what: "MariaDB named locks (GET_LOCK)",
  told: "socket",
  server: "mariadb",
  limit: false,
  second: "nothing, but all must use the same server: GET_LOCK is not replicated",
  async open({ port, room, permits }) {
    const mysql = fetched("mysql2");
    const connect = () => mysql.createConnection({ port, host: "127.0.0.1", user: "root" }).on("error", () => {});
    const held = new Map();
    const turn = inTurn(permits);
    return {
      async join(id, called) {
        const own = connect();
        held.set(id, own);
        await new Promise((resolve, reject) => own.connect((error) => (error ? reject(error) : resolve())));
        own.query("SELECT GET_LOCK(?, ?) AS got", [`${room}:${turn()}`, PATIENCE_S], (error, rows) => !error && rows[0].got === 1 && called());
      },
      // The end of the connection releases; the goodbye is answered by the close.
      leave: (id) =>
        new Promise((resolve) => {
          const own = held.get(id);
          held.delete(id);
          if (!own) return resolve();
          own.query("SELECT RELEASE_ALL_LOCKS()", () => {
            own.destroy();
            resolve();
          });
        }),
      gone(id) {
        held.get(id)?.destroy();
        held.delete(id);
      },
    };
  },
};
