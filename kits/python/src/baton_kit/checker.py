"""Tells whether a request came through Baton: the check of `Baton-Proof`, without any framework.

The order of the steps matters. The MAC is verified first, over `Baton-Target` as Baton sent it; only then is the target
compared with the path and query that the framework shows, which is decoded. docs/protocol.md of Baton has the form.
"""

import hashlib
import hmac
import logging
import re
import time
from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Optional
from urllib.parse import unquote_to_bytes

from .stores import MemoryStore, Store

SKEW_MAX_MS = 60_000
"""How far a proof's time may be from this machine's clock."""

REASONS = {
    "missing": "Baton-Proof or Baton-Target is missing: the request did not come through Baton, or Baton has no ORIGIN_SECRET",
    "malformed": "Baton-Proof is not of the form v1;t=…;n=…;mac=…: a proxy changed it, or somebody made it up",
    "host": "neither X-Forwarded-Host nor Host is one of the public hosts: add the visitors' host to the kit's hosts",
    "mac": "the proof is not of this request: compare the secret with Baton's ORIGIN_SECRET, and look for a proxy that changes "
    "the method or headers",
    "time": "the proof is more than a minute off: set this machine's clock by NTP",
    "target": "path, query or mount point are not those that Baton sent: look for a proxy that rewrites addresses, and for a header that "
    "names a mount point; if the shop is mounted below a path, set the kit's mount",
    "replay": "the proof was taken before, or the replay store could not tell",
    "room": "the path is another room's by the kit's rooms: compare them with the paths in Baton's configuration. A preflight has no "
    "room: see answers_preflights",
}
"""Why a request is refused, each with what to do about it. The keys are the words in `Baton-Checked`."""

_SLASHES = re.compile(rb"[/\\]{2,}(.*)", re.DOTALL)
_HOST = re.compile(rb"[^/\\]*[/\\]*")
_SHAPE = re.compile(r"v1;t=(0|[1-9][0-9]{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})")
_UNCHANGING = frozenset({"GET", "HEAD", "OPTIONS"})
_MODES = ("report", "enforce")

log = logging.getLogger("baton")


@dataclass(frozen=True)
class Visit:
    """What Baton says of a visitor, after the proof was found right."""

    host: str
    """The public host that the visitor asked for, in lower case."""
    scheme: str
    """`http` or `https`, as the visitor came."""
    room: Optional[str] = None
    """The room that gates the path; None: no room does."""
    edition: int = 0
    """The room's edition, in which the number is unique; 0 where no room gates the path."""
    ticket: Optional[int] = None
    """The visitor's number in the room's edition."""
    fence: Optional[int] = None
    """The lease's fence; None: the visitor holds no lease (a farewell page, an open path, the mode `bypass`)."""
    ends_at_ms: Optional[int] = None
    """Unix ms at which the lease ends unless it slides."""
    address: Optional[str] = None
    """The visitor's own address; None: Baton does not know it."""
    enforced: bool = True
    """Whether the kit's mode is `enforce`. In `report` nothing is refused."""

    @property
    def may_reserve(self) -> bool:
        """Whether the visitor holds a lease, or the room lets people in without one: its staff, and everybody in `observe` and `bypass`."""
        return self.fence is not None or (self.room is not None and self.ticket is None)


@dataclass(frozen=True)
class Verdict:
    """What the check found. One of `visit` and `reason` is None, and both are for a health check."""

    visit: Optional[Visit]
    reason: Optional[str]
    refused: bool
    """Whether the request must not go on: there is a reason, and the mode is `enforce`."""

    @property
    def checked(self) -> str:
        """The value of the response header `Baton-Checked`."""
        return "ok" if self.reason is None else f"no;{self.reason}"

    @property
    def refusal(self) -> str:
        """The text of the answer 403."""
        return f"Please come in by the front door. ({self.reason})\n"


class _Refused(Exception):
    """Ends the check with one of REASONS."""


class Checker:
    """Checks requests, and remembers nothing of them but their proofs.

    `secret` is Baton's ORIGIN_SECRET. `hosts` are the public hosts, with port if any, under which visitors reach Baton.
    `mode` is `report` (let everything through, and log what would be refused) or `enforce`. `rooms` maps the beginning of
    a path to the rooms that may gate it; the longest beginning counts. A preflight to such a path is refused, for a view
    that does not look at the method would run for it; with `answers_preflights` the shop answers preflights before, as
    django-cors-headers does, and they go on. `mount` is the path below which the server mounts the shop: some servers
    take it from a client's header, and then the rest of the path runs another view. `health` are paths that the platform's
    own health check asks without Baton, by GET or HEAD; what they show, everybody sees. `store` remembers proofs for all
    processes of the shop, and each then counts once. Without it this process remembers those of methods that change
    something.
    """

    def __init__(
        self,
        secret: str,
        hosts: Iterable[str],
        mode: str = "report",
        rooms: Optional[Mapping[str, Iterable[str]]] = None,
        store: Optional[Store] = None,
        mount: str = "",
        answers_preflights: bool = False,
        health: Iterable[str] = (),
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ):
        self._secret = _secret(secret).encode()
        self._hosts = _hosts(hosts)
        if mode not in _MODES:
            raise ValueError(f"Baton's mode {mode!r} is unknown; set it to 'report' or 'enforce'")
        self._enforces = mode == "enforce"
        named = {_folded(beginning): frozenset(names) for beginning, names in (rooms or {}).items()}
        self._rooms = sorted(named.items(), key=lambda entry: len(entry[0]), reverse=True)
        self._mount = mount.rstrip("/")
        self._answers_preflights = answers_preflights
        self._health = _health(health)
        self._store = store
        self._is_tried = False
        self._memory = MemoryStore()
        self._now_ms = now_ms

    @property
    def may_block(self) -> bool:
        """Whether `check` may wait for a store. An event loop calls it in a thread then."""
        return self._store is not None

    def check(
        self,
        method: str,
        path: bytes,
        query: str,
        header: Callable[[str], Optional[str]],
        shown: Callable[[bytes], bytes] = lambda decoded: decoded,
        mount: Optional[str] = None,
    ) -> Verdict:
        """Checks one request and logs what is refused.

        `path` is the whole decoded path, a mount point included; `query` the raw query without `?`. `header` gives a header
        by its lower-case name, or None. `shown` does to decoded bytes what the framework did to `path`, where it changes
        bytes that are no UTF-8. `mount` is the mount point as the server gave it; None: there is none to look at. Never
        raises: a store that fails refuses the request.
        """
        if path in self._health and method in ("GET", "HEAD") and not header("baton-proof"):
            return Verdict(None, None, False)
        try:
            return Verdict(self._judge(method, path, query, header, shown, mount), None, False)
        except _Refused as why:
            reason = str(why)
        verb = "refused" if self._enforces else "would refuse"
        log.warning("baton: %s %s %r (%s): %s", verb, method, path.decode("utf-8", "backslashreplace"), reason, REASONS[reason])
        return Verdict(None, reason, self._enforces)

    def _judge(self, method, path, query, header, shown, mount) -> Visit:
        proof, target = header("baton-proof"), header("baton-target")
        if not proof or not target:
            raise _Refused("missing")
        shape = _SHAPE.fullmatch(proof)
        if not shape:
            raise _Refused("malformed")
        t, nonce, mac = shape.groups()
        room, fence = header("baton-room") or "", header("baton-fence") or "0"
        host = self._signed_host(mac, [t, nonce, method, None, target, room, fence], header)
        now_ms = self._now_ms()
        if abs(now_ms - int(t)) > SKEW_MAX_MS:
            raise _Refused("time")
        signed_path, _, signed_query = target.partition("?")
        if shown(unquote_to_bytes(signed_path)) != path or signed_query != query:
            raise _Refused("target")
        if mount is not None and mount.rstrip("/") != self._mount:
            raise _Refused("target")
        self._take(f"{t}:{nonce}", method, now_ms)
        self._expect(room, method, path)
        return _visit(host, room, fence, header, self._enforces)

    def _signed_host(self, mac, lines, header) -> str:
        """The public host that the proof was made for. Who sends the request chooses among the shop's own hosts only."""
        named = [*(header("x-forwarded-host") or "").split(","), header("host") or ""]
        hosts = [host for host in (name.strip().lower() for name in named) if host in self._hosts]
        if not hosts:
            raise _Refused("host")
        for host in hosts:
            text = "\n".join(["baton-proof-v1", *(host if line is None else line for line in lines)])
            made = hmac.new(self._secret, text.encode("latin-1", "replace"), hashlib.sha256).hexdigest()
            if hmac.compare_digest(mac, made):
                return host
        raise _Refused("mac")

    def _take(self, key, method, now_ms):
        store = self._store or (None if method in _UNCHANGING else self._memory)
        if store is None:
            return
        try:
            # A proof may be a minute ahead, and then lives for another minute.
            until_ms = now_ms + 2 * SKEW_MAX_MS
            is_new = store.take(key, now_ms, until_ms)
            # Once: a store that remembers nothing calls each replay the first.
            if is_new and not self._is_tried and store.take(key, now_ms, until_ms):
                log.error("baton: the replay store remembers nothing: name one that all processes share, or take it out of the kit's settings")
            self._is_tried = True
        except Exception:
            log.exception("baton: the replay store failed; see to it, or take it out of the kit's settings")
            is_new = False
        if not is_new:
            raise _Refused("replay")

    def _expect(self, room, method, path):
        # A preflight carries no cookies, so it has no room.
        if method == "OPTIONS" and not room and self._answers_preflights:
            return
        for reading in _readings(path):
            text = _folded(reading.decode("utf-8", "replace"))
            names = next((names for beginning, names in self._rooms if text.startswith(beginning)), None)
            if names is not None and room not in names:
                raise _Refused("room")


def _folded(path):
    """A path with upper case and lower case alike, as Baton takes them, and with it routers that do not tell them apart: by way
    of upper case."""
    return path.lower().upper().lower().replace("i\u0307", "i")


def _readings(path):
    """A path as a shop may read it. One that begins with several slashes is to some the same with one, and to some what stands
    behind its first segment, which they take for a host."""
    slashes = _SLASHES.fullmatch(path)
    if not slashes:
        return [path]
    return [path, b"/" + slashes[1], b"/" + _HOST.sub(b"", slashes[1], count=1)]


def _visit(host, room, fence, header, enforced) -> Visit:
    def number(name):
        value = header(name) or ""
        return int(value) if value.isascii() and value.isdigit() else None

    return Visit(
        host=host,
        scheme="http" if header("x-forwarded-proto") == "http" else "https",
        room=room or None,
        edition=number("baton-edition") or 0,
        ticket=number("baton-ticket"),
        fence=int(fence) or None,
        ends_at_ms=number("baton-ends-at-ms"),
        # Baton writes one address; a proxy behind it adds its own at the end.
        address=(header("x-forwarded-for") or "").split(",")[0].strip() or None,
        enforced=enforced,
    )


def _secret(secret):
    if not secret:
        raise ValueError("Baton's secret is empty: without it nobody can be told from anybody else. Set it to Baton's ORIGIN_SECRET")
    return secret


def _health(paths):
    if isinstance(paths, str) or any(not path.startswith("/") for path in paths):
        raise ValueError(f"Baton's health is no list of paths: {paths!r}; write it as in ['/healthz']")
    return frozenset(path.encode() for path in paths)


def _hosts(hosts):
    if isinstance(hosts, str):
        raise ValueError(f"Baton's hosts are one text, {hosts!r}; make them a list: [{hosts!r}]")
    named = frozenset(host.lower() for host in hosts)
    if not named:
        raise ValueError("Baton's hosts are empty; name the hosts under which visitors reach Baton, as in ['tickets.example.com']")
    odd = sorted(host for host in named if not host or "/" in host or "," in host)
    if odd:
        raise ValueError(f"Baton's host {odd[0]!r} is no host; write it as visitors' browsers send it, as in 'tickets.example.com'")
    return named
