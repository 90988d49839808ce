#!/usr/bin/env bash
# Every number that JavaScript binds in a Durable Object's SQL is a float: key 7 becomes the text "7.0".
#
# Guessed:  a whole number is bound as INTEGER, or at least reads as 7 in text. And a BigInt is the way to bind a 64-bit integer.
# Happens:  it is REAL. `'ticket-' || ?` with 7 gives "ticket-7.0", 7 / 2 gives 3.5, a column without a type stores REAL. A column declared INTEGER
#           turns it back. A BigInt throws a TypeError. (`node:sqlite` of Node 22 binds floats too, but takes a BigInt.)
# Matters:  keys that SQL puts together from a number match nothing that JavaScript put together, and no error tells.
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   type of 7: real
#   key: ticket-7.0
#   half: 3.5
#   stored without a type: real
#   stored as INTEGER: integer
#   a BigInt: TypeError: Cannot convert a BigInt value to a number
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
    const { sql } = this.ctx.storage;
    const one = (query, ...values) => { try { return Object.values(sql.exec(query, ...values).one())[0]; } catch (error) { return String(error); } };
    sql.exec("DROP TABLE IF EXISTS plain; DROP TABLE IF EXISTS typed; CREATE TABLE plain (n); CREATE TABLE typed (n INTEGER)");
    sql.exec("INSERT INTO plain VALUES (?)", 7);
    sql.exec("INSERT INTO typed VALUES (?)", 7);
    return new Response([
      `type of 7: ${one("SELECT typeof(?)", 7)}`, `key: ${one("SELECT 'ticket-' || ?", 7)}`, `half: ${one("SELECT ? / 2", 7)}`,
      `stored without a type: ${one("SELECT typeof(n) FROM plain")}`, `stored as INTEGER: ${one("SELECT typeof(n) FROM typed")}`,
      `a BigInt: ${one("SELECT typeof(?)", 7n)}`, "",
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
type of 7: real
key: ticket-7.0
half: 3.5
stored without a type: real
stored as INTEGER: integer
a BigInt: TypeError: Cannot convert a BigInt value to a number
EXPECTED
