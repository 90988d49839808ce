#!/usr/bin/env bash
# @fastify/http-proxy opens a visitor's WebSocket before it asks the site: a refusal with its Retry-After becomes an opened socket that closes with 1011.
#
# Guessed:  a reverse proxy asks the site first and hands on what comes: 101, or the refusal with its status and headers.
# Happens:  the proxy answers 101 by itself and then asks. Whatever the site refuses, 429, 503 or 401, the client hears "open", then "close" with 1011
#           and "unexpected response". The status and Retry-After are gone. http-proxy-middleware hands the refusal on.
# Matters:  a page that takes "open" for a place in line says that it is connected, begins its retries anew after each "open", and hammers the site
#           just while that says "come again in 30 s". Put the socket's path before such a proxy, or let the page believe only a first message.
# Versions: @fastify/http-proxy 11.6.3, fastify 5.12.8, http-proxy-middleware 4.2.2, ws 8.23.0 (npm).
# Seen on 2026-11-28:
#   the site itself: refused with 429, Retry-After 30
#   http-proxy-middleware: refused with 429, Retry-After 30
#   @fastify/http-proxy: open, closed with 1011 "unexpected response"
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund @fastify/http-proxy@11.6.3 fastify@5.12.8 http-proxy-middleware@4.2.2 ws@8.23.0

cat > run.mjs <<'JS'
import http from "node:http";
import { once } from "node:events";
import fastify from "fastify";
import ours from "@fastify/http-proxy";
import { createProxyMiddleware } from "http-proxy-middleware";
import WebSocket from "ws";

const listening = async (server) => (await once(server.listen(0, "127.0.0.1"), "listening"), server.address().port);
const site = http.createServer();
site.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n"));
const target = `http://127.0.0.1:${await listening(site)}`;
const plain = http.createServer();
plain.on("upgrade", createProxyMiddleware({ target, ws: true }).upgrade);
await listening(plain);
const app = fastify();
await app.register(ours, { upstream: target, websocket: true });
await app.listen({ port: 0, host: "127.0.0.1" });
for (const [name, server] of [["the site itself", site], ["http-proxy-middleware", plain], ["@fastify/http-proxy", app.server]]) {
  const socket = new WebSocket(`ws://127.0.0.1:${server.address().port}/socket`);
  const heard = [];
  await new Promise((ends) => {
    socket.on("open", () => heard.push("open"));
    socket.on("error", () => {});
    socket.on("unexpected-response", (_request, answer) => ends(heard.push(`refused with ${answer.statusCode}, Retry-After ${answer.headers["retry-after"]}`)));
    socket.on("close", (code, why) => ends(heard.push(`closed with ${code} "${why}"`)));
  });
  console.log(`${name}: ${heard.join(", ")}`);
}
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'EXPECTED'
the site itself: refused with 429, Retry-After 30
http-proxy-middleware: refused with 429, Retry-After 30
@fastify/http-proxy: open, closed with 1011 "unexpected response"
EXPECTED
