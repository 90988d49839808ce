#!/usr/bin/env bash
# A Durable Object's alarm takes no time of 0 and none after 2262: "at once" and "never" throw a TypeError, which speaks of 2189.
#
# Guessed:  a time that has passed rings at once, so 0 does, and a negative one throws. After the first run: that 2190 throws, as the error's text says.
# Happens:  1 rings at once. 0 and all below throw, and so does every time past 2^63 ns after 1970, which Date has by far. The error names another year.
# Matters:  an object that arms the earliest of what is due, with the end of Date where nothing is or with 0 for what is overdue, throws in the very turn
#           that should arm it; what it wrote before may stay (workerd-row-outlives-throw).
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   0: TypeError: setAlarm() cannot be called with an alarm time <= 0
#   1: taken
#   in 2190: taken
#   in 2261: taken
#   in 2263: TypeError: This API doesn't support dates after 2189.
#   the end of Date: TypeError: This API doesn't support dates after 2189.
#   Infinity: TypeError: The value cannot be converted because it is not a valid Date.
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
mkdir disk

cat > worker.mjs <<'JS'
import { DurableObject } from "cloudflare:workers";
const TIMES = { "0": 0, "1": 1, "in 2190": Date.UTC(2190, 5), "in 2261": Date.UTC(2261, 5), "in 2263": Date.UTC(2263, 5), "the end of Date": 8.64e15, "Infinity": Infinity };
export class Room extends DurableObject {
  async fetch() {
    const seen = [];
    for (const [name, at] of Object.entries(TIMES)) {
      const said = await this.ctx.storage.setAlarm(at).then(() => "taken", String);
      seen.push(`${name}: ${said}`);
    }
    await this.ctx.storage.deleteAlarm();
    return new Response(`${seen.join("\n")}\n`);
  }
  alarm() {}
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
curl -s "http://127.0.0.1:$port/" | tee seen
diff seen - <<'EXPECTED'
0: TypeError: setAlarm() cannot be called with an alarm time <= 0
1: taken
in 2190: taken
in 2261: taken
in 2263: TypeError: This API doesn't support dates after 2189.
the end of Date: TypeError: This API doesn't support dates after 2189.
Infinity: TypeError: The value cannot be converted because it is not a valid Date.
EXPECTED
