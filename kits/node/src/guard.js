// Keeps a late request of a visitor from undoing a newer one, in the shop's own database.
//
// A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
// within one ticket and one resource, never by resource alone. The guard is part of the transaction that reserves.

import { marksOf } from "./databases.js";

/** The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew. */
export class StaleFence extends Error {}

/** The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path. */
export class NoLease extends Error {}

/**
 * Refuses whoever may reserve nothing. Call it first wherever something is reserved: a handler may have more addresses than its paths say. `visit` is
 * `request.baton`, or what `visitIn` gives.
 *
 * Throws `NoLease`, but in the kit's mode `report` it only logs. It lets through whom the room lets through without a lease: staff, and everybody in the
 * modes `observe` and `bypass`.
 */
export function requireLease(visit, log = console.warn) {
  if (visit === undefined) throw new TypeError("requireLease: there is no visit; put the kit's check in front");
  // Without a right proof a request comes so far in the mode `report` alone.
  if (visit === null || visit.mayReserve) return;
  const why = "the request carries no lease of Baton's: the room does not gate this path, or the visit is over";
  if (visit.isEnforced) throw new NoLease(why);
  log(`baton: would refuse: ${why}`);
}

/**
 * The guard's table, and the one conditional update of it. `database` is `"sqlite"`, `"postgresql"` or `"mysql"` (MariaDB too).
 *
 * `holds` grows with each hold: MySQL counts only rows that change, and a lease may hold twice.
 */
export class FenceGuard {
  /** Creates the table, once. */
  static SCHEMA = `CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL,
    resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, holds BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))`;
  #first;
  #statement;

  constructor({ database = "sqlite" } = {}) {
    const mark = marksOf(database);
    const insert = `INSERT INTO baton_fences (room, edition, ticket, resource, fence, holds) VALUES (${[1, 2, 3, 4, 5].map(mark).join(", ")}, 0)`;
    if (database === "mysql") {
      // Its insert cannot say "only if", so it comes first and leaves a row that is there as it is, but locks it.
      this.#first = `${insert} ON DUPLICATE KEY UPDATE holds = holds`;
      this.#statement = `UPDATE baton_fences SET holds = holds + 1, fence = ?
        WHERE room = ? AND edition = ? AND ticket = ? AND resource = ? AND fence <= ?`;
    } else {
      this.#statement = `${insert} ON CONFLICT (room, edition, ticket, resource)
        DO UPDATE SET fence = excluded.fence, holds = baton_fences.holds + 1 WHERE baton_fences.fence <= excluded.fence`;
    }
  }

  /**
   * Notes that the visitor's lease touched `resource`. Call it in the transaction that reserves, before anything else;
   * `run(sql, values)` runs a statement in it and gives the number of rows that it changed, at once or by a promise.
   *
   * Rejects with `StaleFence` when a newer lease of the same ticket touched it, with `NoLease` when the visitor has none.
   */
  async hold(run, visit, resource) {
    if (visit?.fence == null || visit.ticket === null || visit.room === null)
      throw new NoLease(`${resource}: the request carries no lease of Baton's; reserve on a path that a room gates`);
    const { room, edition, ticket, fence } = visit;
    const key = [room, edition, ticket, resource];
    if (this.#first) await run(this.#first, [...key, fence]);
    const changed = await run(this.#statement, this.#first ? [fence, ...key, fence] : [...key, fence]);
    if (Number(changed) !== 1) throw new StaleFence(`${resource}: a newer lease than fence ${fence} of ticket ${ticket} in ${room} holds it`);
  }
}
