#!/usr/bin/env bash
# `curl --retry 9 -o /dev/null` does not repeat a 429 that has a body: it tries to cut the body out of /dev/null, and ends with 23.
#
# Guessed:  `--retry` waits as long as Retry-After says and asks again, wherever the answer is written.
# Happens:  before it asks again curl cuts the file of `-o` back to what it was. /dev/null cannot be cut, so it stops with "Failed to truncate file",
#           which `-s` hides. With the answer on standard output, in a file, or without a body it waits and asks again.
# Matters:  a monitor or a script before a waiting room throws bodies away in just this way, and never comes back.
# Versions: Debian's curl 7.88.1 (required).
# Seen on 2026-11-27 (Retry-After: 1):
#   curl 7.88.1
#   -o /dev/null, a body: exit 23 after 1 request
#   -o /dev/null, no body: exit 0 after 3 requests
#   -o file, a body: exit 0 after 3 requests
#   > /dev/null, a body: exit 0 after 3 requests
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT

cat > door.py <<'PY'
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

came = {}
class Door(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, _, asks = self.path.strip("/").partition("/")
        body = b"wait" if kind.startswith("body") else b""
        if asks:
            body = str(came.get(kind, 0)).encode()
        else:
            came[kind] = came.get(kind, 0) + 1
        self.send_response(200 if asks else 429)
        self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
print(server.server_port, flush=True)
server.serve_forever()
PY
python3 door.py > port &
until [ -s port ]; do read -rt 0.1 <> <(:) || true; done
door="http://127.0.0.1:$(cat port)"
said() {
  requests=$(curl -s "$door/$3/asks")
  echo "$1: exit $2 after $requests request$([ "$requests" = 1 ] || echo s)"
}
curl --version | head -1 | cut -d ' ' -f 1,2
{
  code=0; curl -s --retry 2 -o /dev/null "$door/body-null" || code=$?; said "-o /dev/null, a body" "$code" body-null
  code=0; curl -s --retry 2 -o /dev/null "$door/empty-null" || code=$?; said "-o /dev/null, no body" "$code" empty-null
  code=0; curl -s --retry 2 -o file "$door/body-file" || code=$?; said "-o file, a body" "$code" body-file
  code=0; curl -s --retry 2 "$door/body-pipe" > /dev/null || code=$?; said "> /dev/null, a body" "$code" body-pipe
} | tee seen
diff seen - <<'EXPECTED'
-o /dev/null, a body: exit 23 after 1 request
-o /dev/null, no body: exit 0 after 3 requests
-o file, a body: exit 0 after 3 requests
> /dev/null, a body: exit 0 after 3 requests
EXPECTED
