// Keeps a late request of a visitor from undoing a newer one, in the shop's own database.
//
// A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
// within one ticket and one resource, never by resource alone. The guard is one statement of the transaction that reserves.

import { placeholders } from "./stores.js";

/** The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew. */
export class StaleFence extends Error {}

/** The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path. */
export class NoLease extends Error {}

/** The guard's table and its one statement, for databases with `INSERT … ON CONFLICT`: PostgreSQL, SQLite. */
export class FenceGuard {
  /** Creates the table, once. */
  static SCHEMA = `CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL,
    resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))`;
  #statement;

  /** `placeholder`: `"?"` for SQLite, `"$"` for PostgreSQL. */
  constructor({ placeholder = "?" } = {}) {
    this.#statement = `INSERT INTO baton_fences (room, edition, ticket, resource, fence) VALUES (${placeholders(placeholder, 5).join(", ")})
      ON CONFLICT (room, edition, ticket, resource) DO UPDATE SET fence = excluded.fence WHERE baton_fences.fence <= excluded.fence`;
  }

  /**
   * Notes that the visitor's lease touched `resource`. Call it in the transaction that reserves, before anything else;
   * `run(sql, values)` runs a statement in it and gives the number of rows that it changed, at once or by a promise.
   *
   * Rejects with `StaleFence` when a newer lease of the same ticket touched it, with `NoLease` when the visitor has none.
   */
  async hold(run, visit, resource) {
    if (visit?.fence == null || visit.ticket === null || visit.room === null) throw new NoLease(`${resource}: the request carries no lease of Baton's; reserve on a path that a room gates`);
    const { room, edition, ticket, fence } = visit;
    const changed = Number(await run(this.#statement, [room, edition, ticket, resource, fence]));
    if (changed !== 1) throw new StaleFence(`${resource}: a newer lease than fence ${fence} of ticket ${ticket} in ${room} holds it`);
  }
}
