"""The shop's side of Baton, a waiting room in front of web sites.

`Checker` tells which requests came through Baton. `wsgi.ThroughBaton`, `asgi.ThroughBaton` and the middleware in
`baton_kit.django` put it in front of an application. `FenceGuard` keeps a late request of a visitor from undoing a newer
one. `release`, `extend` and `stock` make the headers by which a shop speaks to Baton.

Only the standard library is needed. Nothing here believes a header before the proof was found right.
"""

from .checker import REASONS, Checker, Verdict, Visit
from .guard import FenceGuard, NoLease, StaleFence, require_lease
from .headers import extend, release, stock
from .stores import MemoryStore, RedisStore, SqlStore

__all__ = [
    "REASONS",
    "Checker",
    "FenceGuard",
    "MemoryStore",
    "NoLease",
    "RedisStore",
    "SqlStore",
    "StaleFence",
    "Verdict",
    "Visit",
    "extend",
    "release",
    "require_lease",
    "stock",
]
