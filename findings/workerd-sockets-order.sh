#!/usr/bin/env bash
# A Durable Object lists all of its hibernating WebSockets newest first, and those of one tag oldest first.
#
# Guessed:  getWebSockets() has them in the order in which they were accepted, with a tag and without.
# Happens:  without a tag the last to be accepted is the first in the list; with a tag it is the last.
# Matters:  an object that tells its visitors one by one, in this order, tells the one who has waited longest last; one that stops after so many, or is cut
#           off by a limit of time, never tells the first.
# Versions: workerd 1.20261117.1 and ws 8.23.0 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27 (six sockets, accepted as 1 to 6; the odd ones have the tag "odd"):
#   workerd 2026-11-17
#   all: 6 5 4 3 2 1
#   odd: 1 3 5
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1 ws@8.23.0
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
mkdir disk

cat > worker.mjs <<'JS'
import { DurableObject } from "cloudflare:workers";
export class Room extends DurableObject {
  fetch(request) {
    const number = new URL(request.url).pathname.slice(1);
    if (request.headers.get("upgrade") !== "websocket") {
      const names = (sockets) => sockets.map((socket) => socket.deserializeAttachment()).join(" ");
      return new Response(`all: ${names(this.ctx.getWebSockets())}\nodd: ${names(this.ctx.getWebSockets("odd"))}\n`);
    }
    const [theirs, ours] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(ours, number % 2 === 1 ? ["odd"] : []);
    ours.serializeAttachment(number);
    return new Response(null, { status: 101, webSocket: theirs });
  }
}
export default { fetch: (request, env) => env.ROOM.get(env.ROOM.idFromName("one")).fetch(request) };
JS
cat > config.capnp <<CAPNP
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "disk", disk = (path = "$folder/disk", writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:$port", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Room", uniqueKey = "room", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"), bindings = [(name = "ROOM", durableObjectNamespace = "Room")]
);
CAPNP
"$workerd" serve config.capnp 2> log &
until curl -s -o /dev/null "http://127.0.0.1:$port/"; do sleep 0.1; done
"$workerd" --version
cat > client.mjs <<'JS'
import { WebSocket } from "ws";
const [port] = process.argv.slice(2);
for (let number = 1; number <= 6; number++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${number}`);
  await new Promise((opened) => socket.once("open", opened));
}
process.stdout.write(await (await fetch(`http://127.0.0.1:${port}/`)).text());
process.exit();
JS
node client.mjs "$port" | tee seen
diff seen - <<'EXPECTED'
all: 6 5 4 3 2 1
odd: 1 3 5
EXPECTED
