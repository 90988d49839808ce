#!/usr/bin/env bash
# blockConcurrencyWhile that throws closes every hibernating WebSocket of the Durable Object, and tells the object of none.
#
# Guessed:  the object is made anew, as after any eviction, which such sockets outlive with their attachments.
# Happens:  each client sees 1006; the new object has no sockets and hears neither webSocketClose nor webSocketError. An exception in fetch,
#           webSocketMessage or alarm, or deleteAll(), costs neither sockets nor memory.
# Matters:  a room that reads its journal in blockConcurrencyWhile and throws once sends everybody who waits away at the same moment, and what was to be
#           done for each who leaves is done for nobody.
# Versions: workerd 1.20261117.1 and ws 8.23.0 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27 (three sockets each):
#   workerd 2026-11-17
#   throw in blockConcurrencyWhile: objects made 2, clients closed with 1006: 3, sockets left 0, told of 0
#   throw in fetch: objects made 1, clients closed with 1006: 0, sockets left 3, told of 0
#   throw in alarm: objects made 1, clients closed with 1006: 0, sockets left 3, told of 0
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1 ws@8.23.0
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
mkdir disk

cat > worker.mjs <<'JS'
import { DurableObject } from "cloudflare:workers";
/** How often each object was made, and of how many sockets' ends it was told. Beside the objects, which may be made anew. */
const made = {};
const told = {};
export class Room extends DurableObject {
  async fetch(request) {
    const [, where, what] = new URL(request.url).pathname.split("/");
    if (!this.where) made[where] = (made[where] ?? 0) + 1;
    this.where = where;
    if (request.headers.get("upgrade") === "websocket") {
      const [theirs, ours] = Object.values(new WebSocketPair());
      this.ctx.acceptWebSocket(ours);
      return new Response(null, { status: 101, webSocket: theirs });
    }
    if (what === "look") return Response.json({ made: made[where], told: told[where] ?? 0, sockets: this.ctx.getWebSockets().length });
    if (where === "alarm") await this.ctx.storage.setAlarm(Date.now());
    else if (where === "fetch") throw new Error("fetch");
    else await this.ctx.blockConcurrencyWhile(async () => { throw new Error("blockConcurrencyWhile"); });
    return new Response();
  }
  alarm() { throw new Error("alarm"); }
  webSocketClose() { told[this.where] = (told[this.where] ?? 0) + 1; }
  webSocketError() { told[this.where] = (told[this.where] ?? 0) + 1; }
}
export default {
  async fetch(request, env) {
    const [, where] = new URL(request.url).pathname.split("/");
    return env.ROOM.get(env.ROOM.idFromName(where)).fetch(request).catch((error) => new Response(error.message, { status: 500 }));
  },
};
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
const ask = (path) => fetch(`http://127.0.0.1:${port}/${path}`);
for (const where of ["blockConcurrencyWhile", "fetch", "alarm"]) {
  let closed = 0;
  for (let number = 0; number < 3; number++) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${where}/socket`);
    socket.on("error", () => {});
    socket.on("close", (code) => { closed += code === 1006 ? 1 : 0; });
    await new Promise((opened) => socket.once("open", opened));
  }
  await ask(`${where}/throw`);
  await new Promise((later) => setTimeout(later, 2_000));
  const { made, sockets, told } = await (await ask(`${where}/look`)).json();
  console.log(`throw in ${where}: objects made ${made}, clients closed with 1006: ${closed}, sockets left ${sockets}, told of ${told}`);
}
process.exit();
JS
node client.mjs "$port" | tee seen
diff seen - <<'EXPECTED'
throw in blockConcurrencyWhile: objects made 2, clients closed with 1006: 3, sockets left 0, told of 0
throw in fetch: objects made 1, clients closed with 1006: 0, sockets left 3, told of 0
throw in alarm: objects made 1, clients closed with 1006: 0, sockets left 3, told of 0
EXPECTED
