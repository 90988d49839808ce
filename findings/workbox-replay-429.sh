#!/usr/bin/env bash
# Workbox's background sync throws a queued order away when its replay is answered 429.
#
# Guessed:  a queue "for requests that failed" keeps a request until the server takes it; a 429 with Retry-After goes back to the front of the queue.
# Happens:  `replayRequests` looks only whether fetch throws. Any answer counts as delivered, so the order is gone, and the replay resolves.
# Matters:  an order that was kept while the phone was offline is replayed in the middle of a sale, meets the waiting room, and is lost without a word.
#           Queue with an `onSync` of one's own that looks at the status.
# Versions: workbox-background-sync 7.4.1, esbuild 0.28.2, playwright-core 1.65.1 (npm), Debian's chromium 156 (required).
# Seen on 2026-11-27:
#   Chromium 156.0.8078.108
#   kept, 1 in the queue
#   no connection: the replay rejects, 1 in the queue
#   429: the replay resolves, 0 in the queue
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v chromium > /dev/null || { echo "This needs Debian's package chromium."; exit 2; }
npm install --silent --no-audit --no-fund workbox-background-sync@7.4.1 esbuild@0.28.2 playwright-core@1.65.1

cat > worker.src.mjs <<'JS'
import { Queue } from "workbox-background-sync";
// Replayed by a message, so that nothing depends on when the browser thinks that it is online.
const queue = new Queue("orders", { onSync: async () => {} });
const tasks = {
  keep: () => queue.pushRequest({ request: new Request("/order", { method: "POST", body: "seat=4" }) }),
  replay: () => queue.replayRequests().then(() => "the replay resolves", () => "the replay rejects"),
};
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
const tell = async (said, port) => port.postMessage(`${said ?? "kept"}, ${await queue.size()} in the queue`);
self.addEventListener("message", (event) => event.waitUntil(tasks[event.data]().then((said) => tell(said, event.ports[0]))));
JS
node_modules/.bin/esbuild worker.src.mjs --bundle --outfile=worker.js --define:process.env.NODE_ENV='"production"' --log-level=error
cat > run.mjs <<'JS'
import { readFileSync } from "node:fs";
import http from "node:http";
import { chromium } from "playwright-core";
let how;
const server = http.createServer(({ url, socket }, answer) => {
  if (url === "/worker.js") return answer.writeHead(200, { "Content-Type": "text/javascript" }).end(readFileSync("worker.js"));
  if (url === "/order" && how === "no connection") return socket.destroy();
  if (url === "/order") return answer.writeHead(429, { "Retry-After": "1" }).end();
  answer.writeHead(200, { "Content-Type": "text/html" }).end("<p>");
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
console.log(`Chromium ${browser.version()}`);
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.evaluate(() => navigator.serviceWorker.register("/worker.js"));
const tell = (task) => page.evaluate(async (sent) => {
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  return new Promise((told) => { channel.port1.onmessage = ({ data }) => told(data); active.postMessage(sent, [channel.port2]); });
}, task);
console.log(await tell("keep"));
for (how of ["no connection", "429"]) console.log(`${how}: ${await tell("replay")}`);
await browser.close();
process.exit();
JS
node run.mjs | tee seen
tail -n +2 seen | diff - <(cat <<'EXPECTED'
kept, 1 in the queue
no connection: the replay rejects, 1 in the queue
429: the replay resolves, 0 in the queue
EXPECTED
)
