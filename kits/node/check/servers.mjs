// The fence guard and the replay stores on PostgreSQL, MySQL or MariaDB, and Redis.
//
// BATON_TEST_SERVERS says in JSON how they are reached: `{ postgresql: { host, port, user, password, database }, mysql: the same,
// redis: { host, port } }`. The drivers `pg`, `mysql2` and `redis` are looked for beside the file BATON_TEST_MODULES.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { FenceGuard, NoLease, RedisStore, SqlStore, StaleFence } from "baton-kit";

const servers = JSON.parse(process.env.BATON_TEST_SERVERS);
const require = createRequire(process.env.BATON_TEST_MODULES ?? import.meta.url);
const visit = (ticket, fence, more = {}) => ({ room: "onsale", edition: 0, ticket, fence, ...more });

/** How each database is asked: `open()` gives a connection, `run(sql, values)` and `rows(sql)` on it are the same for both. */
const DATABASES = {
  postgresql: {
    waiting: "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    async open() {
      const client = new (require("pg").Client)(servers.postgresql);
      await client.connect();
      return {
        run: async (sql, values) => (await client.query(sql, values)).rowCount,
        rows: async (sql) => (await client.query(sql)).rows,
        close: () => client.end(),
      };
    },
  },
  mysql: {
    waiting: "SELECT COUNT(*) AS n FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
    async open() {
      const client = await require("mysql2/promise").createConnection(servers.mysql);
      return {
        run: async (sql, values) => (await client.query(sql, values))[0].affectedRows,
        rows: async (sql) => (await client.query(sql))[0],
        close: () => client.end(),
      };
    },
  },
};

/** Both tables, empty, and how to go at them. */
async function shop(t, database) {
  const { open, waiting } = DATABASES[database];
  const opened = [];
  t.after(() => Promise.all(opened.map((one) => one.close())));
  const connect = async () => {
    opened.push(await open());
    return opened.at(-1);
  };
  const db = await connect();
  for (const table of ["baton_fences", "baton_proofs"]) await db.run(`DROP TABLE IF EXISTS ${table}`);
  await db.run(FenceGuard.SCHEMA);
  await db.run(SqlStore.SCHEMA);
  const guard = new FenceGuard({ database });
  /** Holds in a transaction, which stays open unless the lease is stale. Whether it holds. */
  const hold = async (who, { resource = "seat:4-12", on = db } = {}) => {
    await on.run("BEGIN");
    try {
      await guard.hold(on.run, who, resource);
      return true;
    } catch (error) {
      await on.run("ROLLBACK");
      if (!(error instanceof StaleFence)) throw error;
      return false;
    }
  };
  const held = async (who, options = {}) => {
    const holds = await hold(who, options);
    if (holds) await (options.on ?? db).run("COMMIT");
    return holds;
  };
  const fences = async () =>
    (await db.rows("SELECT ticket, fence FROM baton_fences ORDER BY ticket, fence")).map(({ ticket, fence }) => [Number(ticket), Number(fence)]);
  const someoneWaits = async () => {
    const watcher = await connect();
    // InnoDB looks anew only when it was not asked for a tenth of a second.
    for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 150))) {
      if (Number((await watcher.rows(waiting))[0].n) === 1) return;
    }
    assert.fail("no connection waits for a lock");
  };
  return { db, connect, hold, held, fences, someoneWaits };
}

for (const database of Object.keys(DATABASES)) {
  test(`${database}: a lease may hold again, a newer one too, an older one not`, async (t) => {
    const { held, fences } = await shop(t, database);
    const said = [];
    for (const fence of [12, 12, 11, 13, 12, 13]) said.push(await held(visit(7, fence)));
    assert.deepEqual([said, await fences()], [[true, true, false, true, false, true], [[7, 13]]]);
  });

  test(`${database}: fences are compared within room, edition, ticket and resource`, async (t) => {
    const { db, hold, held, fences } = await shop(t, database);
    await held(visit(7, 12));
    for (const [other, resource] of [[visit(8, 3)], [visit(7, 3, { room: "presale" })], [visit(7, 3, { edition: 2 })], [visit(7, 3), "seat:4-13"]])
      assert.equal(await held(other, { resource }), true);
    assert.equal((await fences()).length, 5);
    await assert.rejects(hold(null), NoLease);
    await hold(visit(9, 12));
    await db.run("ROLLBACK");
    assert.equal(await held(visit(9, 11)), true, "a reservation that failed leaves no fence");
  });

  test(`${database}: of two leases at once the second waits, and an older one is refused`, async (t) => {
    const { connect, hold, held, fences, someoneWaits } = await shop(t, database);
    const [one, two] = [await connect(), await connect()];
    const second = {};
    for (const [first, then] of [
      [13, 12],
      [15, 14],
      [15, 16],
      [16, 16],
    ]) {
      await hold(visit(7, first), { on: one });
      const told = held(visit(7, then), { on: two });
      await someoneWaits();
      await one.run("COMMIT");
      second[`${then} after ${first}`] = await told;
    }
    assert.deepEqual(second, { "12 after 13": false, "14 after 15": false, "16 after 15": true, "16 after 16": true });
    assert.deepEqual(await fences(), [[7, 16]]);
  });

  test(`${database}: of many leases at once none comes after a newer one`, async (t) => {
    const { connect, hold, fences } = await shop(t, database);
    const order = [];
    await Promise.all(
      [5, 3, 8, 1, 9, 2, 7, 4, 6].map(async (fence) => {
        const on = await connect();
        if (!(await hold(visit(7, fence), { on }))) return;
        order.push(fence);
        await on.run("COMMIT");
      }),
    );
    assert.deepEqual([order, order.at(-1), await fences()], [order.toSorted((a, b) => a - b), 9, [[7, 9]]]);
  });

  test(`${database}: of a proof taken many times at once one is first`, async (t) => {
    const { connect } = await shop(t, database);
    const stores = await Promise.all(Array.from({ length: 8 }, async () => new SqlStore({ run: (await connect()).run, database })));
    const told = await Promise.all(stores.map((store) => store.take("a", 0, 5)));
    assert.deepEqual([told.filter(Boolean).length, await stores[0].take("b", 0, 5)], [1, true]);
  });
}

test("redis: of a proof taken many times at once one is first, and it is forgotten when its time is over", async (t) => {
  const client = await require("redis").createClient({ socket: servers.redis }).connect();
  t.after(() => client.close());
  await client.flushAll();
  const store = new RedisStore(client);
  const told = await Promise.all(Array.from({ length: 8 }, () => store.take("a", 5_000, 65_000)));
  assert.deepEqual([told.filter(Boolean).length, await store.take("b", 5_000, 65_000)], [1, true]);
  const left = await client.pTTL("baton:a");
  assert.ok(left > 50_000 && left <= 60_000, `${left} ms left`);
});
