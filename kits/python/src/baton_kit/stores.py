"""Where proofs are remembered, so that each counts once.

A store has one method, `take(key, now_ms, until_ms)`. It notes the key until `until_ms` (Unix ms) and returns True if the key
was not there. Of two callers at once exactly one must be told True. With Redis that is one command:

    class RedisStore:
        def __init__(self, client):
            self._client = client

        def take(self, key, now_ms, until_ms):
            return bool(self._client.set(f"baton:{key}", 1, nx=True, px=until_ms - now_ms))
"""

import threading
from collections import OrderedDict
from typing import Callable, Protocol


class Store(Protocol):
    """Remembers proofs."""

    def take(self, key: str, now_ms: int, until_ms: int) -> bool:
        """Notes `key`; True if it was not there. May raise: the request is refused then."""


class MemoryStore:
    """Remembers in this process alone. Safe for threads."""

    KEYS_MAX = 100_000
    """About 800 a second for the two minutes that a proof can matter. Beyond that requests are refused."""

    def __init__(self):
        self._until = OrderedDict()  # in the order of time
        self._lock = threading.Lock()

    def take(self, key, now_ms, until_ms):
        with self._lock:
            while self._until and next(iter(self._until.values())) <= now_ms:
                self._until.popitem(last=False)
            if key in self._until or len(self._until) >= self.KEYS_MAX:
                return False
            self._until[key] = until_ms
            return True


class SqlStore:
    """Remembers in a database with `INSERT … ON CONFLICT`: PostgreSQL, SQLite.

    `connect` opens a connection (DB-API 2); each thread gets one of its own, apart from the shop's transactions.
    `placeholder` is the driver's: `?` for sqlite3, `%s` for psycopg. Create the table once with `SCHEMA`.
    """

    SCHEMA = "CREATE TABLE IF NOT EXISTS baton_proofs (proof VARCHAR(40) PRIMARY KEY, until_ms BIGINT NOT NULL)"
    SWEEP_EVERY = 1_000
    """How many proofs a thread takes before it removes those whose time is over."""

    def __init__(self, connect: Callable, placeholder: str = "?"):
        self._connect = connect
        self._insert = f"INSERT INTO baton_proofs (proof, until_ms) VALUES ({placeholder}, {placeholder}) ON CONFLICT (proof) DO NOTHING"
        self._sweep = f"DELETE FROM baton_proofs WHERE until_ms <= {placeholder}"
        self._own = threading.local()

    def take(self, key, now_ms, until_ms):
        connection = self._connection()
        try:
            cursor = connection.cursor()
            self._own.taken = getattr(self._own, "taken", 0) + 1
            if self._own.taken % self.SWEEP_EVERY == 0:
                cursor.execute(self._sweep, (now_ms,))
            cursor.execute(self._insert, (key, until_ms))
            is_new = cursor.rowcount == 1
            connection.commit()
            return is_new
        except Exception:
            # The connection may be what failed: the next request opens another.
            self._own.connection = None
            connection.close()
            raise

    def _connection(self):
        if getattr(self._own, "connection", None) is None:
            self._own.connection = self._connect()
        return self._own.connection
