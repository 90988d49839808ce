#!/usr/bin/env bash
# aiohttp puts quotes around a cookie whose value has `=` or `/`, and sends it back otherwise than it came.
#
# Guessed:  a cookie jar sends the value back byte for byte.
# Happens:  aiohttp's jar quotes a value that has a character outside its own short list, among them `=`, `/` and `?`, so that Base64 with its padding
#           comes back in quotes. `CookieJar(quote_cookie=False)` stops it. requests sends the same cookies back unchanged.
# Matters:  a signed cookie in plain Base64 does not verify any more; the client seems to have no place, whatever it does.
# Versions: aiohttp 3.14.5 and requests 2.34.2 (PyPI).
# Seen on 2026-11-27:
#   aiohttp: padded="AQE="; slash="a/b"; url_safe=a-b_c
#   aiohttp, quote_cookie=False: padded=AQE=; slash=a/b; url_safe=a-b_c
#   requests: padded=AQE=; slash=a/b; url_safe=a-b_c
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --target packages aiohttp==3.14.5 requests==2.34.2
export PYTHONPATH="$folder/packages"

cat > run.py <<'PY'
import asyncio, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import aiohttp, requests

class Door(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        for cookie in ["padded=AQE=", "slash=a/b", "url_safe=a-b_c"]: self.send_header("Set-Cookie", f"{cookie}; Path=/")
        self.end_headers()
        self.wfile.write((self.headers["Cookie"] or "none").encode())
    def log_message(self, *_): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
threading.Thread(target=server.serve_forever, daemon=True).start()
door = f"http://127.0.0.1:{server.server_port}/"

async def with_aiohttp(name, **options):
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True, **options)) as session:
        await (await session.get(door)).read()
        print(f"{name}: {await (await session.get(door)).text()}")

asyncio.run(with_aiohttp("aiohttp"))
asyncio.run(with_aiohttp("aiohttp, quote_cookie=False", quote_cookie=False))
session = requests.Session()
session.get(door)
print(f"requests: {session.get(door).text}")
PY
python3 run.py | tee seen
diff seen - <<'EXPECTED'
aiohttp: padded="AQE="; slash="a/b"; url_safe=a-b_c
aiohttp, quote_cookie=False: padded=AQE=; slash=a/b; url_safe=a-b_c
requests: padded=AQE=; slash=a/b; url_safe=a-b_c
EXPECTED
