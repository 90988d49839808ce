#!/usr/bin/env bash
# Chromium shows a page that speculation rules prefetched, though it was answered `no-store` and `Vary: *`; only an error status makes the click ask.
#
# Guessed:  `Cache-Control: no-store` means that the click asks again: no cache may keep the answer.
# Happens:  the prefetched answer is kept beside the caches and is the page that the click shows, without a request. `no-store`, `Vary: *` and
#           `Set-Cookie` change nothing. A 503 is thrown away, and the click asks anew. (WordPress writes such rules for every link by default.)
# Matters:  a waiting page answered with 200 to a prefetch is what the visitor gets on the click, late and without a place. Answer a request
#           with `Sec-Purpose: prefetch` with an error status.
# Versions: Debian's chromium 156 (required), playwright-core 1.65.1 (npm).
# Seen on 2026-11-27:
#   Chromium 156.0.8078.108
#   no-store: answer to a look, requests for the click: 0
#   vary: answer to a look, requests for the click: 0
#   cookie: answer to a look, requests for the click: 0
#   error: answer to a click, requests for the click: 1
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v chromium > /dev/null || { echo "This needs Debian's package chromium."; exit 2; }
npm install --silent --no-audit --no-fund playwright-core@1.65.1

cat > run.mjs <<'JS'
import http from "node:http";
import { chromium } from "playwright-core";
const headers = { "/no-store": {}, "/vary": { Vary: "*" }, "/cookie": { "Set-Cookie": "seen=1" }, "/error": {} };
const rules = JSON.stringify({ prefetch: [{ urls: Object.keys(headers), eagerness: "immediate" }] });
const asked = [];
const server = http.createServer((request, answer) => {
  const isLook = request.headers["sec-purpose"] === "prefetch";
  asked.push(`${request.url}${isLook ? " look" : ""}`);
  answer.writeHead(request.url === "/error" ? 503 : 200, { "Content-Type": "text/html", "Cache-Control": "no-store", ...headers[request.url] });
  answer.end(request.url === "/" ? `<script type="speculationrules">${rules}</script>` : `<p>answer to a ${isLook ? "look" : "click"}</p>`);
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const at = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
console.log(`Chromium ${browser.version()}`);
for (const path of Object.keys(headers)) {
  const page = await (await browser.newContext()).newPage();
  asked.length = 0;
  await page.goto(`${at}/`);
  while (!asked.includes(`${path} look`)) await page.waitForTimeout(50);
  await page.waitForTimeout(1000);
  await Promise.all([page.waitForURL(`${at}${path}`), page.evaluate((to) => { location.href = to; }, path)]);
  console.log(`${path.slice(1)}: ${await page.textContent("p")}, requests for the click: ${asked.filter((each) => each === path).length}`);
}
await browser.close();
process.exit();
JS
node run.mjs | tee seen
tail -n +2 seen | diff - <(cat <<'EXPECTED'
no-store: answer to a look, requests for the click: 0
vary: answer to a look, requests for the click: 0
cookie: answer to a look, requests for the click: 0
error: answer to a click, requests for the click: 1
EXPECTED
)
