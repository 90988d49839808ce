#!/usr/bin/env bash
# When a Durable Object answers with a redirect, its caller's stub follows it back into the same object, whatever host it names.
#
# Guessed:  a stub hands a 303 on as it is; if it followed one, it would leave for the host that Location names.
# Happens:  a stub's fetch follows redirects by default, and asks the same object again, with the foreign address as its request. The visitor's
#           browser never sees the 303. Only a request made with `redirect: "manual"` is handed on, which
#           the request that came in from outside is, and one made anew of an address is not.
# Matters:  an object that sends a visitor on to the shop ends the visit inside itself.
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   an address:         200 the object was asked again: GET on shop.example
#   redirect: manual:   303 https://shop.example/landed
#   the outer request:  303 https://shop.example/landed
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
  fetch(request) {
    const { host, pathname } = new URL(request.url);
    if (pathname === "/landed") return new Response(`the object was asked again: ${request.method} on ${host}`);
    return new Response(null, { status: 303, headers: { Location: "https://shop.example/landed" } });
  }
}
const said = async (answer) => `${answer.status} ${(await answer.text()) || answer.headers.get("location")}`;
export default {
  async fetch(request, env) {
    const room = env.ROOM.get(env.ROOM.idFromName("a"));
    return new Response([
      `an address:         ${await said(await room.fetch(request.url, { method: "POST" }))}`,
      `redirect: manual:   ${await said(await room.fetch(request.url, { redirect: "manual" }))}`,
      `the outer request:  ${await said(await room.fetch(request))}`, "",
    ].join("\n"));
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
curl -s "http://127.0.0.1:$port/" | tee seen
diff seen - <<'EXPECTED'
an address:         200 the object was asked again: GET on shop.example
redirect: manual:   303 https://shop.example/landed
the outer request:  303 https://shop.example/landed
EXPECTED
