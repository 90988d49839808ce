"""Keeps a late request of a visitor from undoing a newer one, in the shop's own database.

A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
within one ticket and one resource, never by resource alone. The guard is one statement of the transaction that reserves:

    guard = FenceGuard(placeholder="?")
    with connection:
        guard.hold(connection.cursor(), visit, f"seat:{seat}")
        connection.execute("UPDATE seats SET holder = ? WHERE id = ? AND holder IS NULL", (visit.ticket, seat))
"""


class StaleFence(Exception):
    """The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew."""


class NoLease(Exception):
    """The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path."""


class FenceGuard:
    """The guard's table and its one statement, for databases with `INSERT … ON CONFLICT`: PostgreSQL, SQLite.

    `placeholder` is the driver's: `?` for sqlite3, `%s` for psycopg. Create the table once with `SCHEMA`.
    """

    SCHEMA = (
        "CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL, "
        "resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))"
    )

    def __init__(self, placeholder: str = "?"):
        values = ", ".join([placeholder] * 5)
        self._statement = (
            f"INSERT INTO baton_fences (room, edition, ticket, resource, fence) VALUES ({values}) "
            "ON CONFLICT (room, edition, ticket, resource) DO UPDATE SET fence = excluded.fence "
            "WHERE baton_fences.fence <= excluded.fence"
        )

    def hold(self, cursor, visit, resource: str) -> None:
        """Notes that the visitor's lease touched `resource`. Call it in the transaction that reserves, before anything else.

        Raises `StaleFence` when a newer lease of the same ticket touched it, `NoLease` when the visitor has none.
        """
        if visit is None or visit.fence is None or visit.ticket is None or visit.room is None:
            raise NoLease(f"{resource}: the request carries no lease of Baton's; reserve on a path that a room gates")
        cursor.execute(self._statement, (visit.room, visit.edition, visit.ticket, resource, visit.fence))
        if cursor.rowcount != 1:
            raise StaleFence(f"{resource}: a newer lease than fence {visit.fence} of ticket {visit.ticket} in {visit.room} holds it")
