#!/usr/bin/env bash
# requests with `HTTPAdapter(max_retries=3)` sleeps through Retry-After three times, though its documentation says that it never retries an answer.
#
# Guessed:  `max_retries` "applies only to failed DNS lookups, socket connections and connection timeouts, never to requests where data has made
#           it to the server" (the adapter's docstring). So a 429 is handed on at once.
# Happens:  a GET that is answered 429 or 503 *with* Retry-After is repeated as often, each time after all of Retry-After, in time.sleep and past
#           the caller's `timeout`. Without the header it is handed on at once, as documented. urllib3 decides it, and the adapter does not tell it not to.
# Matters:  a script's thread stands still for three times whatever the room says, three requests go to an answer that cannot change, and the
#           program's own way into the line begins only then.
# Versions: requests 2.34.2 and urllib3 2.8.0 (PyPI).
# Seen on 2026-11-27 (Retry-After: 2, timeout 1 s):
#   429: 429 after 0 s and 1 requests
#   429-after: 429 after 6 s and 4 requests
#   503-after: 503 after 6 s and 4 requests
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --target packages requests==2.34.2 urllib3==2.8.0
export PYTHONPATH="$folder/packages"

cat > run.py <<'PY'
import threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import requests
from requests.adapters import HTTPAdapter

came = []
class Door(BaseHTTPRequestHandler):
    def do_GET(self):
        came.append(self.path)
        self.send_response(int(self.path[1:4]))
        if self.path.endswith("after"): self.send_header("Retry-After", "2")
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
threading.Thread(target=server.serve_forever, daemon=True).start()
session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=3))
for path in ["429", "429-after", "503-after"]:
    came.clear()
    began = time.monotonic()
    status = session.get(f"http://127.0.0.1:{server.server_port}/{path}", timeout=1).status_code
    print(f"{path}: {status} after {time.monotonic() - began:.0f} s and {len(came)} requests")
PY
python3 run.py | tee seen
diff seen - <<'EXPECTED'
429: 429 after 0 s and 1 requests
429-after: 429 after 6 s and 4 requests
503-after: 503 after 6 s and 4 requests
EXPECTED
