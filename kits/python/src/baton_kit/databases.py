"""What differs between databases: how a statement marks its values, and what a row that is there already makes of an insert.

`database` is `"sqlite"`, `"postgresql"` or `"mysql"`, which MariaDB is too. Any other name is refused.
"""

_PLACEHOLDERS = {"sqlite": "?", "postgresql": "%s", "mysql": "%s"}


def placeholder_of(database: str, said: str | None) -> str:
    """How the database's usual drivers mark a value, unless it is said."""
    if database not in _PLACEHOLDERS:
        raise ValueError(f"the database {database!r} is none of {', '.join(_PLACEHOLDERS)}; name one of them")
    return said or _PLACEHOLDERS[database]
