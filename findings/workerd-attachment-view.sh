#!/usr/bin/env bash
# A view of ten bytes costs a WebSocket's attachment the whole buffer behind it.
#
# Guessed:  `serializeAttachment(bytes.subarray(0, 10))` takes ten bytes and a few of overhead of the 16,384 that an attachment may have.
# Happens:  the buffer behind the view is serialised whole: with 20,000 bytes behind it the call throws, and what fits comes back with all of it.
#           A copy (`slice`) costs what it holds.
# Matters:  WebAssembly hands out views of its memory, which has 64 KiB at least: ten bytes from there never fit.
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   a view of 10 in 20000: A WebSocket 'attachment' cannot be larger than 16384 bytes.'attachment' was 20011 bytes.
#   a view of 10 in 5000:  10 bytes, 5000 behind them
#   a view of 10 in wasm:  A WebSocket 'attachment' cannot be larger than 16384 bytes.'attachment' was 65547 bytes.
#   a copy of 10 of 20000: 10 bytes, 10 behind them
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
mkdir disk

cat > worker.mjs <<'JS'
import { DurableObject } from "cloudflare:workers";
export class Room extends DurableObject {
  fetch() {
    const [, ours] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(ours);
    const attach = (bytes) => {
      try { ours.serializeAttachment(bytes); } catch (error) { return error.message; }
      const back = ours.deserializeAttachment();
      return `${back.length} bytes, ${back.buffer.byteLength} behind them`;
    };
    return new Response([
      `a view of 10 in 20000: ${attach(new Uint8Array(20_000).subarray(0, 10))}`,
      `a view of 10 in 5000:  ${attach(new Uint8Array(5000).subarray(0, 10))}`,
      `a view of 10 in wasm:  ${attach(new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer, 0, 10))}`,
      `a copy of 10 of 20000: ${attach(new Uint8Array(20_000).slice(0, 10))}`, "",
    ].join("\n"));
  }
}
export default { fetch: (request, env) => env.ROOM.get(env.ROOM.idFromName("a")).fetch(request) };
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
curl -s "http://127.0.0.1:$port/" | tee seen
diff seen - <<'EXPECTED'
a view of 10 in 20000: A WebSocket 'attachment' cannot be larger than 16384 bytes.'attachment' was 20011 bytes.
a view of 10 in 5000:  10 bytes, 5000 behind them
a view of 10 in wasm:  A WebSocket 'attachment' cannot be larger than 16384 bytes.'attachment' was 65547 bytes.
a copy of 10 of 20000: 10 bytes, 10 behind them
EXPECTED
