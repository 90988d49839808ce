#!/usr/bin/env bash
# Python's SimpleCookie loses a whole Set-Cookie, and all that follow in the same text, when it has the attribute Partitioned.
#
# Guessed:  a parser of cookies skips an attribute that it does not know, as RFC 6265 (5.2) says, and keeps the cookie.
# Happens:  up to Python 3.13 the word is neither a known flag nor a pair, so `load` drops everything and raises nothing. Python 3.14 knows it.
#           aiohttp 3.11 reads the answers of servers with it, and so gets no cookie at all; aiohttp 3.14 has a parser of its own.
# Matters:  a room inside another site's page must set Partitioned, and then such a client walks up to the door for ever as a stranger.
# Versions: Debian's Python 3.11 (required), aiohttp 3.11.18 and 3.14.5 (PyPI).
# Seen on 2026-11-27:
#   Python 3.11.2
#   aiohttp 3.11.18, Secure: SimpleCookie has 1, the client has 1
#   aiohttp 3.11.18, Partitioned: SimpleCookie has 0, the client has 0
#   aiohttp 3.14.5, Secure: SimpleCookie has 1, the client has 1
#   aiohttp 3.14.5, Partitioned: SimpleCookie has 0, the client has 1
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
[ -x /usr/bin/python3 ] || { echo "This needs Debian's package python3."; exit 2; }
for version in 3.11.18 3.14.5; do
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --target "$version" \
    --python-version 3.11 --only-binary :all: "aiohttp==$version"
done

cat > run.py <<'PY'
import asyncio, http.cookies, sys
import aiohttp
from aiohttp import web

SET = ["place=7; Path=/; SameSite=None; Secure", "place=7; Path=/; SameSite=None; Secure; Partitioned"]

async def main():
    async def door(request):
        answer = web.Response()
        answer.headers["Set-Cookie"] = SET[int(request.query["n"])]
        return answer
    app = web.Application()
    app.router.add_get("/", door)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    for n, cookie in enumerate(SET):
        simple = http.cookies.SimpleCookie()
        simple.load(cookie)
        async with aiohttp.ClientSession() as session:
            kept = (await session.get(f"http://127.0.0.1:{port}/?n={n}")).cookies
        print(f"aiohttp {aiohttp.__version__}, {cookie.split('; ')[-1]}: SimpleCookie has {len(simple)}, the client has {len(kept)}")
    await runner.cleanup()

asyncio.run(main())
PY
/usr/bin/python3 --version
for version in 3.11.18 3.14.5; do PYTHONPATH="$folder/$version" /usr/bin/python3 run.py; done | tee seen
diff seen - <<'EXPECTED'
aiohttp 3.11.18, Secure: SimpleCookie has 1, the client has 1
aiohttp 3.11.18, Partitioned: SimpleCookie has 0, the client has 0
aiohttp 3.14.5, Secure: SimpleCookie has 1, the client has 1
aiohttp 3.14.5, Partitioned: SimpleCookie has 0, the client has 1
EXPECTED
