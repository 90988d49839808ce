#!/usr/bin/env bash
# A Durable Object's row outlives the exception of the event that wrote it; ctx.abort() undoes it, until the first await.
#
# Guessed:  an event that throws is undone as a whole. Cloudflare says that writes without an await between them are atomic.
# Happens:  the caller gets the error and the row stays. Only ctx.abort() in the same turn of the event loop takes it away; after one await it
#           does not do that either. Atomic is said of a crash, and an exception is none. `transactionSync` undoes what throws inside it.
# Matters:  a room that writes "called" and then throws while it tells the visitor has called somebody who does not know.
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   throw: the caller gets "thrown", rows kept: 1
#   abort: the caller gets "aborted", rows kept: 0
#   await-abort: the caller gets "aborted", rows kept: 1
#   transaction: the caller gets "thrown", rows kept: 0
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
  async fetch(request) {
    const { storage } = this.ctx;
    storage.sql.exec("CREATE TABLE IF NOT EXISTS book (said TEXT)");
    const write = () => storage.sql.exec("INSERT INTO book VALUES ('called')");
    switch (new URL(request.url).pathname) {
      case "/throw": write(); throw new Error("thrown");
      case "/abort": write(); this.ctx.abort("aborted"); break;
      case "/await-abort": write(); await new Promise((done) => setTimeout(done, 50)); this.ctx.abort("aborted"); break;
      case "/transaction": storage.transactionSync(() => { write(); throw new Error("thrown"); });
    }
    return Response.json(storage.sql.exec("SELECT count(*) AS n FROM book").one().n);
  }
}
export default {
  async fetch(request, env) {
    const how = new URL(request.url).pathname;
    const room = () => env.ROOM.get(env.ROOM.idFromName(how));
    const first = await room().fetch(request).then((answer) => answer.text(), (error) => error.message);
    return new Response(`${how.slice(1)}: the caller gets "${first}", rows kept: ${await (await room().fetch("http://room/count")).text()}\n`);
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
for how in throw abort await-abort transaction; do curl -s "http://127.0.0.1:$port/$how"; done | tee seen
diff seen - <<'EXPECTED'
throw: the caller gets "thrown", rows kept: 1
abort: the caller gets "aborted", rows kept: 0
await-abort: the caller gets "aborted", rows kept: 1
transaction: the caller gets "thrown", rows kept: 0
EXPECTED
