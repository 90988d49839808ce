#!/usr/bin/env bash
# `Cache-Control: max-age` on a 429 or 503: nginx gives the stored answer to everybody, Varnish never stores it.
#
# Guessed:  a shared cache stores no error, as nginx's manual says that only 200, 301 and 302 are stored unless more are named.
# Happens:  that sentence is about `proxy_cache_valid`. With `proxy_cache` alone nginx stores any status that comes with a `max-age`. Varnish's defaults
#           store neither, and store a 404 that says nothing for two minutes, which nginx does not.
# Matters:  "come back in 5 s" said twice, as Retry-After and as max-age, makes one visitor's answer the answer for everybody behind nginx, and
#           tests behind Varnish do not show it. Answers of a room need `no-store`.
# Versions: Debian's nginx 1.22.1 and varnish 7.1.1 (both required).
# Seen on 2026-11-27:
#   nginx version: nginx/1.22.1
#   varnishd (varnish-7.1.1
#   429/max-age: nginx stored, Varnish asked again
#   503/max-age: nginx stored, Varnish asked again
#   404/max-age: nginx stored, Varnish stored
#   404/nothing: nginx asked again, Varnish stored
#   503/nothing: nginx asked again, Varnish asked again
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v nginx > /dev/null || { echo "This needs Debian's package nginx."; exit 2; }
command -v varnishd > /dev/null || { echo "This needs Debian's package varnish."; exit 2; }
nginx -v 2>&1; varnishd -V 2>&1 | head -n 1 | cut -d ' ' -f 1,2

cat > shop.mjs <<'JS'
import http from "node:http";
let number = 0;
http.createServer(({ url }, answer) => {
  const [, status, how] = url.split("/");
  answer.writeHead(Number(status) || 200, how === "max-age" ? { "Cache-Control": "max-age=30" } : {}).end(String(++number));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
JS
node shop.mjs > shop & until [ -s shop ]; do sleep 0.1; done
shop=$(cat shop)
free() { node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port'; }
nginx=$(free); varnish=$(free)
cat > nginx.conf <<CONF
daemon off; pid $folder/nginx.pid; error_log $folder/log;
events {}
http {
  access_log off; proxy_cache_path $folder/cache keys_zone=cache:1m;
  client_body_temp_path $folder/t; proxy_temp_path $folder/t; fastcgi_temp_path $folder/t; uwsgi_temp_path $folder/t; scgi_temp_path $folder/t;
  server { listen 127.0.0.1:$nginx; location / { proxy_pass http://127.0.0.1:$shop; proxy_cache cache; } }
}
CONF
chmod 755 "$folder"
nginx -e "$folder/log" -c "$folder/nginx.conf" &
printf 'vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "%s"; }\n' "$shop" > default.vcl
varnishd -F -n "$folder/varnish" -a "127.0.0.1:$varnish" -f "$folder/default.vcl" > varnish.log 2>&1 &
for port in "$nginx" "$varnish"; do until curl -s -o /dev/null "http://127.0.0.1:$port/200/none"; do sleep 0.1; done; done
stored() { [ "$(curl -s "http://127.0.0.1:$1/$2")" = "$(curl -s "http://127.0.0.1:$1/$2")" ] && echo stored || echo "asked again"; }
for what in 429/max-age 503/max-age 404/max-age 404/nothing 503/nothing; do echo "$what: nginx $(stored "$nginx" "$what"), Varnish $(stored "$varnish" "$what")"; done | tee seen
diff seen - <<'EXPECTED'
429/max-age: nginx stored, Varnish asked again
503/max-age: nginx stored, Varnish asked again
404/max-age: nginx stored, Varnish stored
404/nothing: nginx asked again, Varnish stored
503/nothing: nginx asked again, Varnish asked again
EXPECTED
