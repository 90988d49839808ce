"""What a shop says to Baton: response headers, each as a pair of name and value. Baton takes them off the answer."""

import hashlib
import hmac
import time
from typing import Optional, Tuple

LEFT_MAX = 10_000_000
"""The most seats that Baton counts."""


def release() -> Tuple[str, str]:
    """The visitor is done: the lease ends and the next in line is called."""
    return ("Baton-Release", "1")


def extend(seconds: int) -> Tuple[str, str]:
    """The visitor needs `seconds` more before the hard end, for a slow payment. Baton's `lease_extend_max_s` bounds it."""
    if not isinstance(seconds, int) or seconds < 1:
        raise ValueError(f"extend: {seconds!r} is no number of seconds; give a whole number of 1 or more")
    return ("Baton-Extend", str(seconds))


def stock(secret: str, room: str, left: int, now_ms: Optional[int] = None) -> Tuple[str, str]:
    """The shop has `left` seats. Signed with ORIGIN_SECRET, for it concerns everybody in line."""
    if not isinstance(left, int) or not 0 <= left <= LEFT_MAX:
        raise ValueError(f"stock: {left!r} is no number of seats; give a whole number from 0 to {LEFT_MAX}")
    t = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    mac = hmac.new(secret.encode(), f"baton-stock-v1\n{t}\n{room}\n{left}".encode(), hashlib.sha256).hexdigest()
    return ("Baton-Stock", f"v1;left={left};t={t};mac={mac}")
