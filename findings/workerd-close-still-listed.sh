#!/usr/bin/env bash
# While a Durable Object is told that a WebSocket closed, that socket is still in getWebSockets(), and may be closing there.
#
# Guessed:  in webSocketClose the list has the sockets that are left, so its length is the number of people still there.
# Happens:  the closed one is among them, with readyState 2 (CLOSING), also after its connection vanished. It is gone when the handler has returned.
# Matters:  who counts present visitors in webSocketClose counts one too many each time: a room that would go to sleep when the last one leaves never does.
# Versions: workerd 1.20261117.1 and ws 8.23.0 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27 (two sockets; the first closes, the second's connection is reset):
#   workerd 2026-11-17
#   closed with 1000: 2 listed, itself among them with readyState 2
#   closed with 1006: 1 listed, itself among them with readyState 2
#   afterwards: 0 listed
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1 ws@8.23.0
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
mkdir disk

cat > worker.mjs <<'JS'
import { DurableObject } from "cloudflare:workers";
/** What the object saw. Beside the object, which may go to sleep meanwhile. */
const notes = [];
export class Room extends DurableObject {
  fetch(request) {
    if (request.headers.get("upgrade") !== "websocket") return Response.json({ notes, listed: this.ctx.getWebSockets().length });
    const [theirs, ours] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(ours);
    return new Response(null, { status: 101, webSocket: theirs });
  }
  webSocketClose(socket, code) {
    const listed = this.ctx.getWebSockets();
    notes.push(`closed with ${code}: ${listed.length} listed, itself ${listed.includes(socket) ? "among them" : "gone"} with readyState ${socket.readyState}`);
    if (code === 1000) socket.close(1000);
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
const look = async () => (await fetch(`http://127.0.0.1:${port}/`)).json();
const noted = async (count) => { while ((await look()).notes.length < count) await new Promise((later) => setTimeout(later, 50)); };
const sockets = [];
for (let number = 0; number < 2; number++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  socket.on("error", () => {});
  await new Promise((opened) => socket.once("open", opened));
  sockets.push(socket);
}
sockets[0].close(1000);
await noted(1);
sockets[1]._socket.resetAndDestroy();
await noted(2);
const { notes, listed } = await look();
console.log([...notes, `afterwards: ${listed} listed`].join("\n"));
process.exit();
JS
node client.mjs "$port" | tee seen
diff seen - <<'EXPECTED'
closed with 1000: 2 listed, itself among them with readyState 2
closed with 1006: 1 listed, itself among them with readyState 2
afterwards: 0 listed
EXPECTED
