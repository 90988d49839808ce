#!/usr/bin/env bash
# @fastify/http-proxy asks a full site eleven times in half a second: it retries each 503 and takes the seconds of Retry-After for milliseconds.
#
# Guessed:  a reverse proxy hands a 503 on; or, since this one is known to retry, it waits as long as Retry-After says and hands on at once what would take
#           too long.
# Happens:  a GET that is answered 503 is asked again ten times. The value of Retry-After is the wait in milliseconds: 30 s become 30 ms. A 429 and a POST
#           go through as they are.
# Matters:  where such a proxy stands between visitors and a waiting room that says "503, come again in 30 s", each look of each visitor is eleven, just while
#           the room is full. Set `maxRetriesOn503: 0`, or answer 429.
# Versions: @fastify/http-proxy 11.6.3, in it @fastify/reply-from 12.6.5, and fastify 5.12.8 (npm).
# Seen on 2026-11-27 (the wait is under 5 s):
#   GET 503, Retry-After 30: asked 11 times, waited less than 5 s, then 503
#   GET 429, Retry-After 30: asked 1 times, waited less than 5 s, then 429
#   POST 503, Retry-After 30: asked 1 times, waited less than 5 s, then 503
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund @fastify/http-proxy@11.6.3 @fastify/reply-from@12.6.5 fastify@5.12.8

cat > run.mjs <<'JS'
import http from "node:http";
import proxy from "@fastify/http-proxy";
import fastify from "fastify";
let asked = 0;
const origin = http.createServer((request, response) => {
  asked++;
  response.writeHead(Number(request.url.slice(1)), { "retry-after": "30" });
  response.end("full");
}).listen(0, "127.0.0.1");
await new Promise((listens) => origin.once("listening", listens));
const app = fastify();
app.register(proxy, { upstream: `http://127.0.0.1:${origin.address().port}` });
const at = await app.listen({ port: 0, host: "127.0.0.1" });
for (const [method, status] of [["GET", 503], ["GET", 429], ["POST", 503]]) {
  asked = 0;
  const began = Date.now();
  const answer = await fetch(`${at}/${status}`, { method });
  console.log(`${method} ${status}, Retry-After 30: asked ${asked} times, waited ${Date.now() - began < 5_000 ? "less" : "more"} than 5 s, then ${answer.status}`);
}
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'EXPECTED'
GET 503, Retry-After 30: asked 11 times, waited less than 5 s, then 503
GET 429, Retry-After 30: asked 1 times, waited less than 5 s, then 429
POST 503, Retry-After 30: asked 1 times, waited less than 5 s, then 503
EXPECTED
