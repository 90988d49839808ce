// Where proofs are remembered, so that each counts once.
//
// A store has one method, `take(key, nowMs, untilMs)`. It notes the key until `untilMs` and says true if the key was not there, at
// once or by a promise. If two call at once, it must tell true to exactly one.

import { marksOf } from "./databases.js";

/** Remembers in this process alone. */
export class MemoryStore {
  /** About 800 a second for the two minutes that a proof can matter. Beyond that requests are refused. */
  static KEYS_MAX = 100_000;
  #until = new Map(); // in the order of time

  take(key, nowMs, untilMs) {
    for (const [old, until] of this.#until) {
      if (until > nowMs) break;
      this.#until.delete(old);
    }
    if (this.#until.has(key) || this.#until.size >= MemoryStore.KEYS_MAX) return false;
    this.#until.set(key, untilMs);
    return true;
  }
}

/** Remembers in Redis, for all processes that share it. `client` is one of the package `redis`, connected. */
export class RedisStore {
  #client;

  constructor(client) {
    this.#client = client;
  }

  async take(key, nowMs, untilMs) {
    return (await this.#client.set(`baton:${key}`, "1", { NX: true, PX: untilMs - nowMs })) === "OK";
  }
}

/**
 * Remembers in a database, for all processes that share it. `database` is `"sqlite"`, `"postgresql"` or `"mysql"` (MariaDB too).
 * `run(sql, values)` runs one statement apart from the shop's transactions and gives the number of rows that it changed:
 *
 *   (sql, values) => sqlite.prepare(sql).run(...values).changes                         node:sqlite, better-sqlite3
 *   async (sql, values) => (await pool.query(sql, values)).rowCount                     pg
 *   async (sql, values) => (await pool.execute(sql, values))[0].affectedRows            mysql2/promise
 *
 * Create the table once with `SqlStore.SCHEMA`.
 */
export class SqlStore {
  static SCHEMA = "CREATE TABLE IF NOT EXISTS baton_proofs (proof VARCHAR(40) PRIMARY KEY, until_ms BIGINT NOT NULL)";
  /** How many proofs this process takes before it removes those whose time is over. */
  static SWEEP_EVERY = 1_000;
  #run;
  #insert;
  #sweep;
  #taken = 0;

  constructor({ run, database = "sqlite" }) {
    const mark = marksOf(database);
    const [insert, unless] = database === "mysql" ? ["INSERT IGNORE", ""] : ["INSERT", " ON CONFLICT (proof) DO NOTHING"];
    this.#run = run;
    this.#insert = `${insert} INTO baton_proofs (proof, until_ms) VALUES (${mark(1)}, ${mark(2)})${unless}`;
    this.#sweep = `DELETE FROM baton_proofs WHERE until_ms <= ${mark(1)}`;
  }

  async take(key, nowMs, untilMs) {
    this.#taken += 1;
    if (this.#taken % SqlStore.SWEEP_EVERY === 0) await this.#run(this.#sweep, [nowMs]);
    return Number(await this.#run(this.#insert, [key, untilMs])) === 1;
  }
}
