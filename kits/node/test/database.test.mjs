// The fence guard and the replay store on a real database, SQLite in a file, with several connections at once.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { FenceGuard, NoLease, SqlStore, StaleFence } from "baton-kit";

// Node 20 has no SQLite; the statements are the same wherever it has.
const { DatabaseSync } = await import("node:sqlite").catch(() => ({}));
const skip = DatabaseSync ? false : "this Node has no node:sqlite";
const visit = (ticket, fence, more = {}) => ({ room: "onsale", edition: 0, ticket, fence, ...more });
const runIn = (db) => (sql, values) => db.prepare(sql).run(...values).changes;

/** A shop's database in a file, with two seats. `connect()` opens it once more. */
function shop(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-kit-"));
  const opened = [];
  t.after(() => {
    opened.forEach((db) => db.close());
    rmSync(folder, { recursive: true, force: true });
  });
  const connect = () => {
    const db = new DatabaseSync(path.join(folder, "shop.sqlite3"));
    db.exec("PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL");
    opened.push(db);
    return db;
  };
  const db = connect();
  db.exec(
    `${FenceGuard.SCHEMA}; ${SqlStore.SCHEMA}; CREATE TABLE seats (id TEXT PRIMARY KEY, holder INTEGER); INSERT INTO seats VALUES ('4-12', NULL), ('4-13', NULL)`,
  );
  return { db, connect, holder: (seat) => db.prepare("SELECT holder FROM seats WHERE id = ?").get(seat).holder };
}

/** Reserves, or gives back with `to` null, as a shop does: guard and seat in one transaction. */
async function reserve(db, who, seat, to = who?.ticket) {
  db.exec("BEGIN IMMEDIATE");
  try {
    await new FenceGuard().hold(runIn(db), who, `seat:${seat}`);
    const changed = runIn(db)(`UPDATE seats SET holder = ? WHERE id = ? AND holder ${to === null ? "IS NOT NULL" : "IS NULL"}`, [to, seat]);
    db.exec("COMMIT");
    return Number(changed) === 1;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

test("an older lease of the same ticket changes nothing", { skip }, async (t) => {
  const { db, holder } = shop(t);
  assert.equal(await reserve(db, visit(7, 12), "4-12"), true);
  await assert.rejects(
    reserve(db, visit(7, 11), "4-12", null),
    (error) => error instanceof StaleFence && /seat:4-12.*fence 11 of ticket 7/.test(error.message),
  );
  assert.equal(holder("4-12"), 7);
  assert.equal(await reserve(db, visit(7, 12), "4-12", null), true, "the same lease may");
  assert.equal(await reserve(db, visit(7, 13), "4-12"), true, "a newer one too");
});

test("visitors beside each other do not fence each other off", { skip }, async (t) => {
  const { db } = shop(t);
  // Keyed by resource alone, the smaller fence would be refused here, though its lease is as good.
  assert.equal(await reserve(db, visit(8, 20), "4-12"), true);
  assert.equal(await reserve(db, visit(7, 12), "4-12"), false, "the seat is taken, which is the shop's to say");
  assert.equal(await reserve(db, visit(8, 20), "4-12", null), true);
  assert.equal(await reserve(db, visit(7, 12), "4-12"), true);
});

test("another room or edition is another ticket", { skip }, async (t) => {
  const { db } = shop(t);
  assert.equal(await reserve(db, visit(7, 12), "4-12"), true);
  for (const other of [visit(7, 11, { room: "presale" }), visit(7, 11, { edition: 2 })]) assert.equal(await reserve(db, other, "4-12"), false);
});

test("without a lease nothing is reserved", { skip }, async (t) => {
  const { db, holder } = shop(t);
  for (const who of [null, visit(7, null), visit(null, 12)]) await assert.rejects(reserve(db, who, "4-13", 1), NoLease);
  assert.equal(holder("4-13"), null);
});

test("a reservation that fails leaves no fence", { skip }, async (t) => {
  const { db } = shop(t);
  db.exec("BEGIN");
  await new FenceGuard().hold(runIn(db), visit(7, 12), "seat:4-12");
  db.exec("ROLLBACK");
  assert.equal(await reserve(db, visit(7, 11), "4-12"), true);
});

test("a proof counts once for all processes, and what is over is swept", { skip }, async (t) => {
  const { db, connect } = shop(t);
  const every = SqlStore.SWEEP_EVERY;
  t.after(() => {
    SqlStore.SWEEP_EVERY = every;
  });
  SqlStore.SWEEP_EVERY = 3;
  const stores = [connect(), connect()].map((other) => new SqlStore({ run: runIn(other) }));
  assert.deepEqual([await stores[0].take("a", 0, 5), await stores[1].take("a", 0, 5), await stores[1].take("b", 0, 50)], [true, false, true]);
  await stores[1].take("c", 10, 60);
  assert.deepEqual(
    db
      .prepare("SELECT proof FROM baton_proofs ORDER BY proof")
      .all()
      .map(({ proof }) => proof),
    ["b", "c"],
  );
});
