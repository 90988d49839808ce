"""Answers nginx's `auth_request` about Baton-Proof, for any nginx in front of anything:

    ORIGIN_SECRET=… python3 -m baton_kit.verifier --listen 127.0.0.1:9101 --host tickets.example.com

204 for what came through Baton, 403 for the rest; with `--report-only` always 204, and a line for what would be refused. Only nginx may
reach it: docs/origin/nginx-auth-request.conf of Baton shows the other side.
"""

import argparse
import logging
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote_to_bytes

from .checker import Checker


def handler(checker):
    """A handler that asks `checker` about the request that nginx names in `X-Asked-Method` and `X-Asked-Uri`."""

    class Verifier(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path, _, query = self.headers.get("X-Asked-Uri", "").partition("?")
            verdict = checker.check(self.headers.get("X-Asked-Method", ""), unquote_to_bytes(path), query, self._header)
            self.send_response(403 if verdict.refused else 204)
            self.send_header("Baton-Checked", verdict.checked)
            if verdict.refused:
                self.send_header("Content-Length", "0")
            self.end_headers()

        def _header(self, name):
            # A header that comes twice is one list: no second line may hide behind the first.
            values = self.headers.get_all(name)
            return values and ", ".join(values)

        def log_message(self, *_):
            pass

    return Verifier


def main():
    parser = argparse.ArgumentParser(prog="baton_kit.verifier", description="Answers nginx's auth_request about Baton-Proof. The secret is in ORIGIN_SECRET.")
    parser.add_argument("--listen", required=True, metavar="ADDRESS:PORT", help="where, reachable by nginx alone")
    parser.add_argument("--host", action="append", default=[], metavar="HOST", help="a host under which visitors reach Baton; may be given again")
    parser.add_argument("--report-only", action="store_true", help="let everything through, and say what would have been refused")
    asked = parser.parse_args()
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    try:
        checker = Checker(os.environ.get("ORIGIN_SECRET", ""), asked.host, mode="report" if asked.report_only else "enforce")
    except ValueError as wrong:
        sys.exit(f"{wrong} (ORIGIN_SECRET, --host)")
    address, port = asked.listen.rsplit(":", 1)
    server = ThreadingHTTPServer((address, int(port)), handler(checker))
    print(f"listening on {address}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
