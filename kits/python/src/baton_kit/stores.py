"""Where proofs are remembered, so that each counts once.

A store has one method, `take(key, now_ms, until_ms)`. It notes the key until `until_ms` (Unix ms) and returns True if the key
was not there. Of two callers at once exactly one must be told True.
"""

import threading
from collections import OrderedDict
from typing import Callable, Protocol

from .databases import placeholder_of


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


class RedisStore:
    """Remembers in Redis, for all processes that share it. `client` is one of the package `redis`: `redis.Redis(…)`."""

    def __init__(self, client):
        self._client = client

    def take(self, key, now_ms, until_ms):
        return bool(self._client.set(f"baton:{key}", 1, nx=True, px=until_ms - now_ms))


class SqlStore:
    """Remembers in a database, for all processes that share it: PostgreSQL, SQLite, MySQL, MariaDB.

    `connect` opens a connection (DB-API 2); each thread gets one of its own, apart from the shop's transactions. `database` is
    `"sqlite"`, `"postgresql"` or `"mysql"` (MariaDB too); `placeholder` is the driver's, if it has another than the usual one.
    Create the table once with `SCHEMA`.
    """

    SCHEMA = "CREATE TABLE IF NOT EXISTS baton_proofs (proof VARCHAR(40) PRIMARY KEY, until_ms BIGINT NOT NULL)"
    SWEEP_EVERY = 1_000
    """How many proofs a thread takes before it removes those whose time is over."""

    def __init__(self, connect: Callable, database: str = "sqlite", placeholder: str | None = None):
        mark = placeholder_of(database, placeholder)
        insert, unless = ("INSERT IGNORE", "") if database == "mysql" else ("INSERT", " ON CONFLICT (proof) DO NOTHING")
        self._connect = connect
        self._insert = f"{insert} INTO baton_proofs (proof, until_ms) VALUES ({mark}, {mark}){unless}"
        self._sweep = f"DELETE FROM baton_proofs WHERE until_ms <= {mark}"
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
