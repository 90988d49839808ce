"""The fence guard and the replay store on a real database, SQLite in a file, with several connections at once."""

import sqlite3
import tempfile
import threading
import unittest
from pathlib import Path

from baton_kit import FenceGuard, NoLease, SqlStore, StaleFence, Visit


def visit(ticket, fence, room="onsale", edition=0):
    return Visit(host="tickets.example.com", scheme="https", room=room, edition=edition, ticket=ticket, fence=fence)


class OnADatabase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "shop.sqlite3"
        shop = self.connect()
        shop.execute("PRAGMA journal_mode = WAL")
        shop.execute(FenceGuard.SCHEMA)
        shop.execute(SqlStore.SCHEMA)
        shop.execute("CREATE TABLE seats (id TEXT PRIMARY KEY, holder INTEGER)")
        shop.executemany("INSERT INTO seats VALUES (?, NULL)", [("4-12",), ("4-13",)])
        shop.commit()
        self.shop = shop

    def connect(self):
        connection = sqlite3.connect(self.file, timeout=20, check_same_thread=False)
        self.addCleanup(connection.close)
        return connection


class Fences(OnADatabase):
    def reserve(self, who, seat, holder=True, connection=None):
        """Reserves as a shop does: guard and seat in one transaction. Gives seat back with holder=False."""
        connection = connection or self.shop
        with connection:
            FenceGuard().hold(connection.cursor(), who, f"seat:{seat}")
            free = "holder IS NULL" if holder else f"holder = {who.ticket}"
            value = who.ticket if holder else None
            return connection.execute(f"UPDATE seats SET holder = ? WHERE id = ? AND {free}", (value, seat)).rowcount == 1

    def holder(self, seat):
        return self.shop.execute("SELECT holder FROM seats WHERE id = ?", (seat,)).fetchone()[0]

    def test_an_older_lease_of_the_same_ticket_changes_nothing(self):
        self.assertTrue(self.reserve(visit(7, fence=12), "4-12"))
        with self.assertRaisesRegex(StaleFence, "seat:4-12.*fence 11 of ticket 7"):
            self.reserve(visit(7, fence=11), "4-12", holder=False)
        self.assertEqual(self.holder("4-12"), 7)
        self.assertTrue(self.reserve(visit(7, fence=12), "4-12", holder=False), "the same lease may")
        self.assertTrue(self.reserve(visit(7, fence=13), "4-12"), "a newer one too")

    def test_visitors_beside_each_other_do_not_fence_each_other_off(self):
        # Keyed by resource alone, the smaller fence would be refused here, though its lease is as good.
        self.assertTrue(self.reserve(visit(8, fence=20), "4-12"))
        self.assertFalse(self.reserve(visit(7, fence=12), "4-12"), "the seat is taken, which is the shop's to say")
        self.assertTrue(self.reserve(visit(8, fence=20), "4-12", holder=False))
        self.assertTrue(self.reserve(visit(7, fence=12), "4-12"))

    def test_another_room_or_edition_is_another_ticket(self):
        self.assertTrue(self.reserve(visit(7, fence=12), "4-12"))
        for other in (visit(7, fence=11, room="presale"), visit(7, fence=11, edition=2)):
            self.assertFalse(self.reserve(other, "4-12"))

    def test_without_a_lease_nothing_is_reserved(self):
        for who in (None, visit(7, fence=None), Visit(host="tickets.example.com", scheme="https")):
            with self.assertRaisesRegex(NoLease, "seat:4-13"):
                self.reserve(who, "4-13")
        self.assertIsNone(self.holder("4-13"))

    def test_a_reservation_that_fails_leaves_no_fence(self):
        with self.assertRaises(sqlite3.OperationalError), self.shop:
            FenceGuard().hold(self.shop.cursor(), visit(7, fence=12), "seat:4-12")
            self.shop.execute("UPDATE no_such_table SET x = 1")
        self.assertTrue(self.reserve(visit(7, fence=11), "4-12"))

    def test_of_leases_at_once_none_comes_after_a_newer_one(self):
        order, lock = [], threading.Lock()

        def work(fence):
            connection = self.connect()
            try:
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    FenceGuard().hold(connection.cursor(), visit(7, fence), "seat:4-12")
                    with lock:
                        order.append(fence)
            except StaleFence:
                pass

        threads = [threading.Thread(target=work, args=(fence,)) for fence in (5, 3, 8, 1, 9, 2, 7, 4, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(order, sorted(order))
        self.assertIn(9, order)
        self.assertEqual(self.shop.execute("SELECT fence FROM baton_fences").fetchall(), [(9,)])


class Proofs(OnADatabase):
    def test_a_proof_counts_once_for_all_processes(self):
        stores = [SqlStore(self.connect), SqlStore(self.connect)]
        self.assertEqual([store.take("1:a", 0, 120_000) for store in stores], [True, False])
        self.assertTrue(stores[1].take("1:b", 0, 120_000))

    def test_of_many_at_once_one_is_first(self):
        store, told = SqlStore(self.connect), []
        threads = [threading.Thread(target=lambda: told.append(store.take("1:a", 0, 120_000))) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(told), [False] * 11 + [True])

    def test_what_is_over_is_swept(self):
        store = SqlStore(self.connect)
        store.SWEEP_EVERY = 3
        for now_ms, key in ((0, "a"), (1, "b"), (10, "c")):
            store.take(key, now_ms, now_ms + 5)
        self.assertEqual(self.shop.execute("SELECT proof FROM baton_proofs").fetchall(), [("c",)])

    def test_a_connection_that_broke_is_opened_anew(self):
        opened = []

        def connect():
            opened.append(self.connect())
            return opened[-1]

        store = SqlStore(connect)
        self.assertTrue(store.take("a", 0, 5))
        opened[0].close()
        with self.assertRaises(sqlite3.ProgrammingError):
            store.take("b", 0, 5)
        self.assertTrue(store.take("b", 0, 5))


if __name__ == "__main__":
    unittest.main()
