#!/usr/bin/env bash
# An alarm that sets or deletes the alarm and then throws is not retried: what it did to the alarm counts as the answer.
#
# Guessed:  an alarm handler that throws runs again about two seconds later, as documented, whatever it did before. "Set the next one first,
#           then work" was taken for a belt beside those braces.
# Happens:  without a change it is retried after some two seconds, as retry 1. After setAlarm() it is not: the next run is at the new time, as
#           retry 0. After deleteAlarm() it never runs again.
# Matters:  an usher that arms its next turn a minute ahead and then fails stands still for that minute; nobody is called.
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27 (gaps are rounded to seconds):
#   workerd 2026-11-17
#   nothing, then throws: again after 2 s as retry 1
#   setAlarm, then throws: again after 9 s as retry 0
#   deleteAlarm, then throws: not again
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
mkdir disk

cat > worker.mjs <<'JS'
import { DurableObject } from "cloudflare:workers";
/** What each object was asked to do, and when its alarm ran. Beside the objects, which may go to sleep meanwhile. */
const notes = new Map();
export class Room extends DurableObject {
  async fetch(request) {
    const id = String(this.ctx.id);
    if (!notes.has(id)) {
      notes.set(id, { what: new URL(request.url).pathname.slice(1), runs: [] });
      await this.ctx.storage.setAlarm(Date.now() + 50);
    }
    const [[first] = [], second] = notes.get(id).runs;
    return new Response(second ? `again after ${Math.round((second[0] - first) / 1000)} s as retry ${second[1]}` : "not again");
  }
  async alarm({ retryCount }) {
    const { what, runs } = notes.get(String(this.ctx.id));
    runs.push([Date.now(), retryCount]);
    if (runs.length > 1) return;
    if (what === "setAlarm") await this.ctx.storage.setAlarm(Date.now() + 9000);
    if (what === "deleteAlarm") await this.ctx.storage.deleteAlarm();
    throw new Error("the alarm fails");
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
ask() { for what in nothing setAlarm deleteAlarm; do echo "$what, then throws: $(curl -s "http://127.0.0.1:$port/$what")"; done; }
ask > /dev/null; sleep 14; ask | tee seen
diff seen - <<'EXPECTED'
nothing, then throws: again after 2 s as retry 1
setAlarm, then throws: again after 9 s as retry 0
deleteAlarm, then throws: not again
EXPECTED
