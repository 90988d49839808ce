#!/usr/bin/env bash
# HAProxy's `option abortonclose` does nothing in a `backend` section, where its manual puts it; in `defaults` or `listen` it works.
#
# Guessed:  who closes the tab while queued for a server with `maxconn` is taken out of the queue. At the latest with `option abortonclose` in the
#           backend, which the manual allows there and not in a frontend.
# Happens:  without the option the request of somebody who has left is sent to the server when its turn comes. With it in the backend alone, behind
#           a separate frontend, the same. The frontend's side looks for it too, it seems, and can have it
#           only from `defaults` (or as one `listen`).
# Matters:  the poor man's waiting room (`maxconn` and `timeout queue`) lets ghosts in: each reload in the queue costs the shop a page that nobody sees.
# Versions: Debian's haproxy 2.6.12 (required).
# Seen on 2026-11-27 (one server with maxconn 1; the second of three clients leaves while the first is served):
#   HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/
#   without the option: the shop saw first left stays
#   in the backend: the shop saw first left stays
#   in defaults: the shop saw first stays
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v haproxy > /dev/null || { echo "This needs Debian's package haproxy."; exit 2; }
haproxy -v | head -n 1

cat > shop.mjs <<'JS'
import http from "node:http";
const seen = [];
http.createServer(({ url }, answer) => {
  if (url === "/seen") return answer.end(seen.splice(0).join(" "));
  seen.push(url.slice(1));
  setTimeout(() => answer.end(), 1500);
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
JS
node shop.mjs > shop & until [ -s shop ]; do sleep 0.1; done
shop=$(cat shop)
free() { node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port'; }
# Says which of three requests reach the shop. Takes a name, a line for `defaults`, and a line for the backend.
try() {
  local port; port=$(free)
  cat > "$port.cfg" <<CFG
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 1s
  timeout queue 8s
  $2
frontend door
  bind 127.0.0.1:$port
  default_backend shop
backend shop
  $3
  server shop 127.0.0.1:$shop maxconn 1
CFG
  haproxy -f "$port.cfg" 2> log & local proxy=$!
  until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do sleep 0.1; done
  curl -s -o /dev/null "http://127.0.0.1:$port/first" & local first=$!
  sleep 0.3
  curl -s -o /dev/null --max-time 0.5 "http://127.0.0.1:$port/left" || true
  curl -s -o /dev/null "http://127.0.0.1:$port/stays"
  wait "$first"
  echo "$1: the shop saw $(curl -s "http://127.0.0.1:$shop/seen")"
  kill "$proxy"; wait "$proxy" 2> /dev/null || true
}
{
  try "without the option" "" ""
  try "in the backend" "" "option abortonclose"
  try "in defaults" "option abortonclose" ""
} > seen
cat seen
diff seen - <<'EXPECTED'
without the option: the shop saw first left stays
in the backend: the shop saw first left stays
in defaults: the shop saw first stays
EXPECTED
