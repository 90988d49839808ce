"""The fence guard and the replay stores on PostgreSQL, MySQL or MariaDB, and Redis.

BATON_TEST_SERVERS says in JSON how they are reached: `{"postgresql": {"host", "port", "user", "password", "database"}, "mysql":
the same, "redis": {"host", "port"}}`. Run with `python -m unittest tests.servers`.
"""

import json
import os
import threading
import time
import unittest

import psycopg
import pymysql
import redis
from pymysql.constants import CLIENT

from baton_kit import FenceGuard, NoLease, RedisStore, SqlStore, StaleFence, Visit

SERVERS = json.loads(os.environ["BATON_TEST_SERVERS"])


def visit(ticket, fence, room="onsale", edition=0):
    return Visit(host="tickets.example.com", scheme="https", room=room, edition=edition, ticket=ticket, fence=fence)


def at_once(work, items):
    """Runs `work(item)` for all at the same time; gives the results in the order of the items."""
    told = {}
    start = threading.Barrier(len(items))

    def one(item):
        start.wait()
        told[item] = work(item)

    threads = [threading.Thread(target=one, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [told[item] for item in items]


class OnAServer:
    """What must hold on each."""

    def setUp(self):
        self.shop = self.connect()
        cursor = self.shop.cursor()
        for table in ("baton_fences", "baton_proofs", "turns"):
            cursor.execute(f"DROP TABLE IF EXISTS {table}")
        cursor.execute(FenceGuard.SCHEMA)
        cursor.execute(SqlStore.SCHEMA)
        cursor.execute("CREATE TABLE turns (fence BIGINT NOT NULL)")
        self.shop.commit()
        self.guard = FenceGuard(self.database)

    def connect(self):
        connection = self.open()
        self.addCleanup(connection.close)
        return connection

    def hold(self, who, resource="seat:4-12", connection=None, done=True):
        """Holds in a transaction, and ends it unless `done` is False. True unless the lease is stale."""
        connection = connection or self.shop
        try:
            self.guard.hold(connection.cursor(), who, resource)
        except StaleFence:
            connection.rollback()
            return False
        if done:
            connection.commit()
        return True

    def fences(self):
        cursor = self.shop.cursor()
        cursor.execute("SELECT ticket, fence FROM baton_fences ORDER BY ticket, fence")
        found = [tuple(row) for row in cursor.fetchall()]
        self.shop.commit()
        return found

    def until_one_waits(self):
        watcher, deadline = self.connect(), time.monotonic() + 20
        while time.monotonic() < deadline:
            cursor = watcher.cursor()
            cursor.execute(self.waiting)
            if cursor.fetchone()[0] == 1:
                return
            watcher.commit()
            # InnoDB looks anew only when it was not asked for a tenth of a second.
            time.sleep(0.15)
        self.fail("no connection waits for a lock")

    def test_a_lease_may_hold_again_a_newer_one_too_an_older_one_not(self):
        said = [self.hold(visit(7, fence)) for fence in (12, 12, 11, 13, 12, 13)]
        self.assertEqual(said, [True, True, False, True, False, True])
        self.assertEqual(self.fences(), [(7, 13)])

    def test_fences_are_compared_within_room_edition_ticket_and_resource(self):
        self.assertTrue(self.hold(visit(7, 12)))
        for other, resource in ((visit(8, 3), "seat:4-12"), (visit(7, 3, room="presale"), "seat:4-12"), (visit(7, 3, edition=2), "seat:4-12"), (visit(7, 3), "seat:4-13")):
            self.assertTrue(self.hold(other, resource))
        self.assertEqual(len(self.fences()), 5)

    def test_without_a_lease_or_after_a_rollback_there_is_no_fence(self):
        with self.assertRaises(NoLease):
            self.hold(None)
        self.assertTrue(self.hold(visit(7, 12), done=False))
        self.shop.rollback()
        self.assertEqual(self.fences(), [])
        self.assertTrue(self.hold(visit(7, 11)))

    def race(self, first, second):
        """The second lease comes while the first one's transaction is open; gives what it was told."""
        one, two, told = self.connect(), self.connect(), []
        self.assertTrue(self.hold(visit(7, first), connection=one, done=False))
        thread = threading.Thread(target=lambda: told.append(self.hold(visit(7, second), connection=two)))
        thread.start()
        self.until_one_waits()
        one.commit()
        thread.join()
        return told[0]

    def test_an_older_lease_waits_for_a_newer_one_and_is_refused(self):
        self.assertFalse(self.race(13, 12), "also where the resource was new to both")
        self.assertFalse(self.race(15, 14))
        self.assertEqual(self.fences(), [(7, 15)])

    def test_a_newer_lease_waits_for_an_older_one_and_holds(self):
        self.assertTrue(self.race(12, 13))
        self.assertTrue(self.race(13, 13), "the same lease twice at once, as by a double click")
        self.assertEqual(self.fences(), [(7, 13)])

    def test_of_leases_at_once_none_comes_after_a_newer_one(self):
        order, lock = [], threading.Lock()

        def work(fence):
            connection = self.connect()
            if self.hold(visit(7, fence), connection=connection, done=False):
                with lock:
                    order.append(fence)
                connection.commit()

        at_once(work, [5, 3, 8, 1, 9, 2, 7, 4, 6])
        self.assertEqual(order, sorted(order))
        self.assertIn(9, order)
        self.assertEqual(self.fences(), [(7, 9)])

    def test_of_a_proof_taken_many_times_at_once_one_is_first(self):
        told = at_once(lambda _: SqlStore(self.connect, self.database).take("1:a", 0, 5), range(8))
        self.assertEqual(sorted(told), [False] * 7 + [True])
        store = SqlStore(self.connect, self.database)
        store.SWEEP_EVERY = 2
        self.assertTrue(store.take("1:b", 10, 15) and store.take("1:c", 11, 16))
        self.assertTrue(store.take("1:a", 12, 17), "it was swept when its time was over")


class OnPostgres(OnAServer, unittest.TestCase):
    database = "postgresql"
    waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"

    def open(self):
        server = SERVERS["postgresql"]
        return psycopg.connect(host=server["host"], port=server["port"], user=server["user"], password=server["password"], dbname=server["database"])


class OnMySql(OnAServer, unittest.TestCase):
    database = "mysql"
    waiting = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
    flags = 0

    def open(self):
        return pymysql.connect(**SERVERS["mysql"], client_flag=self.flags)


class OnMySqlAsDjangoAsksIt(OnMySql):
    """With the flag that makes it count rows that it found, though it did not change them."""

    flags = CLIENT.FOUND_ROWS


class OnRedis(unittest.TestCase):
    def setUp(self):
        self.client = redis.Redis(**SERVERS["redis"])
        self.client.flushall()

    def test_of_a_proof_taken_many_times_at_once_one_is_first(self):
        told = at_once(lambda _: RedisStore(redis.Redis(**SERVERS["redis"])).take("1:a", 0, 120_000), range(8))
        self.assertEqual(sorted(told), [False] * 7 + [True])
        self.assertTrue(RedisStore(self.client).take("1:b", 0, 120_000))

    def test_a_proof_is_forgotten_when_its_time_is_over(self):
        RedisStore(self.client).take("1:a", 5_000, 65_000)
        self.assertTrue(50_000 < self.client.pttl("baton:1:a") <= 60_000)
