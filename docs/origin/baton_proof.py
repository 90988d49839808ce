"""Tells whether a request really came through Baton: the check of Baton-Proof for an origin in Python.

One file, the standard library only. Three ways to use it:

    checker = ProofChecker(os.environ["ORIGIN_SECRET"], public_hosts=["tickets.example.com"])
    why = checker.check(method, raw_path_with_query, proof, fence, room)    # the headers, or None; None: genuine

    application = OnlyThroughBaton(application, checker)                                  # WSGI

    ORIGIN_SECRET=… python3 baton_proof.py --listen 127.0.0.1:9101 --host tickets.example.com
                                                    # answers nginx's auth_request: see nginx-auth-request.conf

Before Baton's route exists, `OnlyThroughBaton(application, checker, report_only=True)` and `--report-only` let everything through
and say what they would have refused.

The proof binds time, method, host, path, room and fence, but no body. A copied proof could be sent again within its minute:
for methods that change something, each proof counts once. That memory is this process's own. Several processes of one shop
share a `store`; with one, each proof counts once for every method (see README.md).
"""

import argparse
import hashlib
import hmac
import os
import re
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SKEW_MAX_MS = 60_000
# About 800 unsafe requests a second for the two minutes that a proof can matter. Beyond that: refused.
REMEMBERED_MAX = 100_000
SAFE = {"GET", "HEAD", "OPTIONS"}
SHAPE = re.compile(r"v1;t=(0|[1-9][0-9]{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})")


class ProofChecker:
    """`public_hosts`: the hosts (with port, if any) under which visitors reach Baton. Only these count, and not the request's own
    `Host`: whoever finds the origin chooses that.

    `store`: `store(mac, until_ms)` notes a proof and says True if it was not there yet. With it each proof counts once, whatever
    the method.
    """

    def __init__(self, secret, public_hosts, now_ms=lambda: time.time_ns() // 1_000_000, store=None):
        if not secret:
            raise ValueError("ORIGIN_SECRET is not set: without it nobody can be told from anybody else")
        self._secret = secret.encode()
        self._hosts = [host.lower() for host in public_hosts]
        self._now_ms = now_ms
        self._store = store
        self._seen = OrderedDict()  # mac -> when it can be forgotten; in the order of time
        self._lock = threading.Lock()

    def check(self, method, path, proof, fence=None, room=None):
        """None when genuine, else why not. `path`: with query, exactly as it came. `proof`, `fence`, `room`: the headers, or None."""
        if proof is None:
            return "missing"
        shape = SHAPE.fullmatch(proof)
        if not shape:
            return "malformed"
        t, nonce, mac = shape.groups()
        said = [t, nonce, method, None, path, room or "", fence or "0"]
        genuine = [hmac.compare_digest(mac, self._mac(said, host)) for host in self._hosts]
        if not any(genuine):
            return "wrong"
        now_ms = self._now_ms()
        if abs(now_ms - int(t)) > SKEW_MAX_MS:
            return "late"
        if self._store is not None:
            return None if self._store(mac, now_ms + 2 * SKEW_MAX_MS) else "replayed"
        return None if method in SAFE else self._remember(mac, now_ms)

    def _mac(self, said, host):
        lines = ["baton-proof-v1", *(host if line is None else line for line in said)]
        return hmac.new(self._secret, "\n".join(lines).encode("latin-1"), hashlib.sha256).hexdigest()

    def _remember(self, mac, now_ms):
        with self._lock:
            while self._seen and next(iter(self._seen.values())) <= now_ms:
                self._seen.popitem(last=False)
            if mac in self._seen:
                return "replayed"
            if len(self._seen) >= REMEMBERED_MAX:
                return "busy"
            self._seen[mac] = now_ms + 2 * SKEW_MAX_MS  # t may be a minute ahead and then lives a minute more
            return None


class OnlyThroughBaton:
    """WSGI: passes on what came through Baton, and answers the rest 403.

    The path must be as it was sent, which WSGI itself does not keep: gunicorn says it in RAW_URI, uWSGI and mod_wsgi in
    REQUEST_URI. A server that says neither cannot be used with this.
    """

    def __init__(self, application, checker, report_only=False):
        self._application = application
        self._checker = checker
        self._report_only = report_only

    def __call__(self, environ, start_response):
        path = environ.get("RAW_URI") or environ.get("REQUEST_URI")
        if path is None:
            raise RuntimeError("this WSGI server does not tell the path as it was sent (RAW_URI or REQUEST_URI)")
        method = environ["REQUEST_METHOD"]
        why = self._checker.check(
            method, path, environ.get("HTTP_BATON_PROOF"), environ.get("HTTP_BATON_FENCE"), environ.get("HTTP_BATON_ROOM")
        )
        if why is not None and self._report_only:
            report(why, method, path)
            why = None
        if why is None:
            return self._application(environ, start_response)
        body = f"Please come in by the front door. ({why})\n".encode()
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"), ("Content-Length", str(len(body)))]
        start_response("403 Forbidden", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


def report(why, method, path):
    """Says what would have been refused."""
    print(f"baton: would refuse {method} {path!r} ({why})", file=sys.stderr, flush=True)


def verifier(checker, report_only=False):
    """A handler for nginx's auth_request: 204 for what is genuine, 403 for the rest. Only nginx may reach it."""

    class Verifier(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            asked = self.headers
            method, path = asked.get("X-Asked-Method", ""), asked.get("X-Asked-Uri", "")
            why = checker.check(method, path, asked.get("Baton-Proof"), asked.get("Baton-Fence"), asked.get("Baton-Room"))
            if why is not None and report_only:
                report(why, method, path)
                why = None
            self.send_response(204 if why is None else 403)
            if why is not None:
                self.send_header("X-Refused", why)
                self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    return Verifier


def main():
    parser = argparse.ArgumentParser(description="Answers nginx's auth_request about Baton-Proof. The secret is in ORIGIN_SECRET.")
    parser.add_argument("--listen", required=True, metavar="ADDRESS:PORT", help="where, reachable by nginx alone")
    parser.add_argument("--host", action="append", default=[], metavar="HOST", help="a host under which visitors reach Baton; may be given again")
    parser.add_argument("--report-only", action="store_true", help="let everything through, and say what would have been refused")
    asked = parser.parse_args()
    secret = os.environ.get("ORIGIN_SECRET")
    if not secret or not asked.host:
        sys.exit("ORIGIN_SECRET must be set, and at least one --host given.")
    address, port = asked.listen.rsplit(":", 1)
    server = ThreadingHTTPServer((address, int(port)), verifier(ProofChecker(secret, asked.host), asked.report_only))
    print(f"listening on {address}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
