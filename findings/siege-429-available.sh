#!/usr/bin/env bash
# siege says "availability 100" and "failed 0" of a server that answers nothing but 429: such an answer is neither failed nor successful.
#
# Guessed:  4xx are failed: siegerc says that "400 and 500 level errors" are combined with connection failures "in the final stats".
# Happens:  of 404s and 429s it counts all as transactions and none as failed, so availability is 100; only `successful_transactions` is 0. A 500 or
#           503 is failed.
# Matters:  a load test through a full waiting room, or past a rate limit, looks like a site that holds.
# Versions: Debian's siege 4.0.7 (required).
# Seen on 2026-11-27 (20 requests for each status):
#   siege 4.0.7
#   200: availability 100.00, successful 20, failed 0
#   404: availability 100.00, successful 0, failed 0
#   429: availability 100.00, successful 0, failed 0
#   500: availability 0.00, successful 0, failed 20
#   503: availability 0.00, successful 0, failed 20
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v siege > /dev/null || { echo "This needs Debian's package siege."; exit 2; }

cat > door.py <<'PY'
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"said")
    def log_message(self, *_): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
print(server.server_port, flush=True)
server.serve_forever()
PY
python3 door.py > port &
until [ -s port ]; do read -rt 0.1 <> <(:) || true; done
export HOME="$folder"
dpkg-query -W -f='siege ${Version}\n' siege | cut -d - -f 1
siege -C > made 2>&1 || true
for status in 200 404 429 500 503; do
  said=$(siege -q -b -N -c 2 -r 10 "http://127.0.0.1:$(cat port)/$status" 2>&1 | tr -d '\t ,"')
  figure() { sed -n "s/^$1://p" <<< "$said"; }
  echo "$status: availability $(figure availability), successful $(figure successful_transactions), failed $(figure failed_transactions)"
done | tee seen
diff seen - <<'EXPECTED'
200: availability 100.00, successful 20, failed 0
404: availability 100.00, successful 0, failed 0
429: availability 100.00, successful 0, failed 0
500: availability 0.00, successful 0, failed 20
503: availability 0.00, successful 0, failed 20
EXPECTED
