#!/usr/bin/env bash
# A new compatibility date answers a client's close on a socket that a Durable Object accepts itself, and not on one that may hibernate.
#
# Guessed:  from the date on at which `web_socket_auto_reply_to_close` is on, the runtime answers every close.
# Happens:  it answers in milliseconds after `socket.accept()`. After `ctx.acceptWebSocket(socket)`, the kind that objects with many visitors
#           use, nobody answers unless `webSocketClose` calls `close`; the client sees 1006 after ten seconds instead of its 1000.
# Matters:  a page that waits for `onclose` before it goes on hangs for ten seconds, and a load test in which everybody leaves as well.
# Versions: workerd 1.20261117.1 and ws 8.23.0 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   accept: 1000 after less than 3 s
#   hibernating: 1006 after more than 3 s
#   hibernating-and-close: 1000 after less than 3 s
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
    if (request.headers.get("upgrade") !== "websocket") return new Response();
    const [theirs, ours] = Object.values(new WebSocketPair());
    this.how = new URL(request.url).pathname;
    if (this.how === "/accept") ours.accept();
    else this.ctx.acceptWebSocket(ours);
    return new Response(null, { status: 101, webSocket: theirs });
  }
  webSocketClose(socket, code) {
    if (this.how === "/hibernating-and-close") socket.close(code);
  }
}
export default { fetch: (request, env) => env.ROOM.get(env.ROOM.idFromName(request.url)).fetch(request) };
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
for (const how of ["accept", "hibernating", "hibernating-and-close"]) {
  const socket = new WebSocket(`ws://127.0.0.1:${process.argv[2]}/${how}`);
  await new Promise((opened) => socket.once("open", opened));
  const began = Date.now();
  const code = new Promise((closed) => socket.once("close", closed));
  socket.close(1000);
  console.log(`${how}: ${await code} after ${Date.now() - began < 3000 ? "less" : "more"} than 3 s`);
}
JS
node client.mjs "$port" | tee seen
diff seen - <<'EXPECTED'
accept: 1000 after less than 3 s
hibernating: 1006 after more than 3 s
hibernating-and-close: 1000 after less than 3 s
EXPECTED
