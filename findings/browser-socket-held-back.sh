#!/usr/bin/env bash
# After a few refused WebSockets both Firefox and Chromium hold the next one back by seconds of their own, and tell the page nothing.
#
# Guessed:  `new WebSocket()` connects at once. How long a page waits between its tries is the page's matter; a refused port answers in a millisecond.
# Happens:  Firefox keeps a waiting time for each host and port that grows with every failure; the page sees CONNECTING meanwhile. Chromium
#           begins after some ten failures, and comes to as much.
# Matters:  a page with a time limit of its own for a connection takes it for a dead line and begins again; after a deploy people in Firefox
#           come back later than the page's own waiting says. Count from `onclose`, not from the call.
# Versions: Debian's firefox-esr 153.7.0 and chromium 156 (both required), ws 8.23.0 (npm).
# Seen on 2026-11-27 (nobody listens for 30 s; the page tries again 1 s after each `onclose`; the numbers differ from run to run):
#   Mozilla Firefox 153.7.0esr
#   Chromium 156.0.8078.108 built on Debian GNU/Linux 12 (bookworm)
#   firefox: each try took, in ms: 243 851 418 37 24 139 704 1678 3080 4741
#   chromium: each try took, in ms: 54 203 4 2 4 28 4 21 26 77 440 152 208 1168 1149 2733 3496 4513
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v firefox-esr > /dev/null || { echo "This needs Debian's package firefox-esr."; exit 2; }
command -v chromium > /dev/null || { echo "This needs Debian's package chromium."; exit 2; }
npm install --silent --no-audit --no-fund ws@8.23.0
firefox-esr --version 2>/dev/null; chromium --version 2>/dev/null

cat > run.mjs <<'JS'
import { spawn } from "node:child_process";
import http from "node:http";
import net from "node:net";
import { WebSocketServer } from "ws";

// A port at which nobody listens yet.
const later = await new Promise((free) => { const s = net.createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => free(port)); }); });
const page = `<!doctype html><script>
  const held = [];
  function connect() {
    const began = performance.now();
    const socket = new WebSocket("ws://127.0.0.1:${later}/");
    const note = () => held.push(Math.round(performance.now() - began));
    socket.onopen = () => { note(); socket.onclose = null; fetch("/told" + location.pathname, { method: "POST", body: JSON.stringify(held) }); };
    socket.onclose = () => { note(); setTimeout(connect, 1000); };
  }
  connect();
</script>`;
const told = {};
const server = http.createServer(async (request, answer) => {
  if (request.method === "POST") told[request.url.slice(6)] = JSON.parse(Buffer.concat(await request.toArray()));
  answer.setHeader("Content-Type", "text/html");
  answer.end(request.method === "GET" ? page : "");
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const at = `http://127.0.0.1:${server.address().port}`;
const browsers = [
  spawn("firefox-esr", ["--headless", "--no-remote", "--profile", process.argv[2], `${at}/firefox`], { stdio: "ignore", env: { ...process.env, HOME: process.argv[2] } }),
  spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${process.argv[3]}`, `${at}/chromium`], { stdio: "ignore" }),
];
setTimeout(() => new WebSocketServer({ host: "127.0.0.1", port: later }), 30_000);
const until = Date.now() + 90_000;
while (Object.keys(told).length < 2 && Date.now() < until) await new Promise((tick) => setTimeout(tick, 200));
await Promise.all(browsers.map((browser) => new Promise((gone) => { browser.once("exit", gone); browser.kill(); })));
for (const name of ["firefox", "chromium"]) console.log(`${name}: each try took, in ms: ${told[name]?.join(" ")}`);
process.exit(Math.max(...told.firefox) > 3000 && Math.max(...told.chromium) > 500 ? 0 : 1);
JS
mkdir firefox chromium
node run.mjs "$folder/firefox" "$folder/chromium"
