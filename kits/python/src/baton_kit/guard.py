"""Keeps a late request of a visitor from undoing a newer one, in the shop's own database.

A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
within one ticket and one resource, never by resource alone. The guard is part of the transaction that reserves:

    guard = FenceGuard("sqlite")
    with connection:
        guard.hold(connection.cursor(), visit, f"seat:{seat}")
        connection.execute("UPDATE seats SET holder = ? WHERE id = ? AND holder IS NULL", (visit.ticket, seat))
"""

import logging

from .databases import placeholder_of

log = logging.getLogger("baton")


class StaleFence(Exception):
    """The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew."""


class NoLease(Exception):
    """The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path."""


def require_lease(visit) -> None:
    """Refuses whoever may reserve nothing. Call it first in each view that reserves: a view may have more addresses than its paths say.

    Raises `NoLease`, but in the kit's mode `report` it only logs. It lets through whom the room lets through without a lease: staff,
    and everybody in the modes `observe` and `bypass`.
    """
    # Without a right proof a request comes so far in the mode `report` alone.
    if visit is None or visit.may_reserve:
        return
    why = "the request carries no lease of Baton's: the room does not gate this path, or the visit is over"
    if visit.enforced:
        raise NoLease(why)
    log.warning("baton: would refuse: %s", why)


class FenceGuard:
    """The guard's table, and the one conditional update of it, for PostgreSQL, SQLite, MySQL and MariaDB.

    `database` is `"sqlite"`, `"postgresql"` or `"mysql"` (MariaDB too); `placeholder` is the driver's, if it has another than the
    usual one. Create the table once with `SCHEMA`.
    """

    # `holds` grows with each hold: MySQL counts only rows that change, and a lease may hold twice.
    SCHEMA = (
        "CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL, "
        "resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, holds BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))"
    )

    def __init__(self, database: str = "sqlite", placeholder: str | None = None):
        mark = placeholder_of(database, placeholder)
        insert = f"INSERT INTO baton_fences (room, edition, ticket, resource, fence, holds) VALUES ({', '.join([mark] * 5)}, 0) "
        if database == "mysql":
            # Its insert cannot say "only if", so it comes first and leaves a row that is there as it is, but locks it.
            self._first = insert + "ON DUPLICATE KEY UPDATE holds = holds"
            self._statement = (
                f"UPDATE baton_fences SET holds = holds + 1, fence = {mark} "
                f"WHERE room = {mark} AND edition = {mark} AND ticket = {mark} AND resource = {mark} AND fence <= {mark}"
            )
        else:
            self._first = None
            self._statement = insert + (
                "ON CONFLICT (room, edition, ticket, resource) DO UPDATE SET fence = excluded.fence, holds = baton_fences.holds + 1 "
                "WHERE baton_fences.fence <= excluded.fence"
            )

    def hold(self, cursor, visit, resource: str) -> None:
        """Notes that the visitor's lease touched `resource`. Call it in the transaction that reserves, before anything else.

        Raises `StaleFence` when a newer lease of the same ticket touched it, `NoLease` when the visitor has none.
        """
        if visit is None or visit.fence is None or visit.ticket is None or visit.room is None:
            raise NoLease(f"{resource}: the request carries no lease of Baton's; reserve on a path that a room gates")
        key, fence = (visit.room, visit.edition, visit.ticket, resource), visit.fence
        if self._first:
            cursor.execute(self._first, (*key, fence))
            cursor.execute(self._statement, (fence, *key, fence))
        else:
            cursor.execute(self._statement, (*key, fence))
        if cursor.rowcount != 1:
            raise StaleFence(f"{resource}: a newer lease than fence {visit.fence} of ticket {visit.ticket} in {visit.room} holds it")
