#!/usr/bin/env bash
# Two Python WebSocket clients stop answering pings while their program does not read: websockets after 16 unread messages, aiohttp at once.
#
# Guessed:  the library answers a ping in the background as long as the event loop runs; that is what control frames are for.
# Happens:  `websockets` stops reading from the socket when more than 16 messages wait (`max_queue`), so the ping behind them is not seen.
#           aiohttp answers pings inside `receive()` and nowhere else. In both the server takes the client for dead and drops it.
# Matters:  a crowd written in Python, or a shop's script that waits for one message and then works, is dropped as silent while it waits its turn;
#           a room that pushes each change makes it happen sooner.
# Versions: websockets 17.4 and aiohttp 3.14.5 (PyPI).
# Seen on 2026-11-27 (the server pings every second and waits one for the answer; the client reads nothing for 5 s):
#   websockets, 0 unread: alive
#   websockets, 16 unread: alive
#   websockets, 17 unread: dropped
#   aiohttp, 0 unread: dropped
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --target packages websockets==17.4 aiohttp==3.14.5
export PYTHONPATH="$folder/packages"

cat > run.py <<'PY'
import asyncio, logging
import aiohttp
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

logging.disable(logging.CRITICAL)
ended = {}
async def door(socket):
    name, pushes = socket.request.path[1:].split("/")
    for ahead in range(int(pushes)): await socket.send(f"{ahead} ahead of you")
    await socket.wait_closed()
    ended[name, int(pushes)] = asyncio.get_running_loop().time()

async def main():
    async with serve(door, "127.0.0.1", 0, ping_interval=1, ping_timeout=1, close_timeout=1) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with aiohttp.ClientSession() as session:
            clients = {("websockets", n): await connect(f"{url}/websockets/{n}", ping_interval=None) for n in (0, 16, 17)}
            clients["aiohttp", 0] = await session.ws_connect(f"{url}/aiohttp/0")
            await asyncio.sleep(5)
            for (name, pushes) in clients:
                print(f"{name}, {pushes} unread: {'dropped' if (name, pushes) in ended else 'alive'}")
            await asyncio.gather(*[client.close() for client in clients.values()])

asyncio.run(main())
PY
python3 run.py | tee seen
diff seen - <<'EXPECTED'
websockets, 0 unread: alive
websockets, 16 unread: alive
websockets, 17 unread: dropped
aiohttp, 0 unread: dropped
EXPECTED
