#!/usr/bin/env bash
# Turbo shows on the click what it got on the hover, a 503 or 429 marked `no-store` as well, and asks no more.
#
# Guessed:  a router that fetches on hover throws an error away and asks again on the click, as Chromium does with its own prefetches.
# Happens:  for some seconds the answer to the hover is the answer to the click, whatever its status and caching headers. It announces itself with
#           `X-Sec-Purpose`, as scripts may not set `Sec-Purpose`.
# Matters:  the mouse passes over "Buy" while the room is full and the click, a moment later, shows "full" though a permit is free by then. An answer
#           that Turbo cannot show (no HTML) makes it load the page whole, on the click.
# Versions: @hotwired/turbo 8.0.23 and playwright-core 1.65.1 (npm), Debian's chromium 156 (required).
# Seen on 2026-11-27:
#   Chromium 156.0.8078.108
#   200: the click shows the answer to the hover; asked by hover
#   429: the click shows the answer to the hover; asked by hover
#   503: the click shows the answer to the hover; asked by hover
#   json: the click shows the answer to the click; asked by hover, click
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v chromium > /dev/null || { echo "This needs Debian's package chromium."; exit 2; }
npm install --silent --no-audit --no-fund @hotwired/turbo@8.0.23 playwright-core@1.65.1

cat > run.mjs <<'JS'
import { readFileSync } from "node:fs";
import http from "node:http";
import { chromium } from "playwright-core";
const turbo = readFileSync("node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js");
const links = ["200", "429", "503", "json"].map((name) => `<p><a href="/${name}">${name}</a>`).join("");
const asked = [];
const server = http.createServer(({ url, headers }, answer) => {
  if (url === "/turbo.js") return answer.writeHead(200, { "Content-Type": "text/javascript" }).end(turbo);
  if (url === "/") return answer.writeHead(200, { "Content-Type": "text/html" }).end(`<head><script src="/turbo.js"></script></head>${links}`);
  if (url === "/favicon.ico") return answer.writeHead(404).end();
  const who = headers["x-sec-purpose"] === "prefetch" ? "hover" : "click";
  asked.push(who);
  if (url === "/json" && headers["x-turbo-request-id"]) return answer.writeHead(429, { "Content-Type": "application/json", "Cache-Control": "no-store" }).end("{}");
  answer.writeHead(Number(url.slice(1)) || 200, { "Content-Type": "text/html", "Cache-Control": "no-store" }).end(`<h1>answer to the ${who}</h1>`);
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
console.log(`Chromium ${browser.version()}`);
for (const status of ["200", "429", "503", "json"]) {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  asked.length = 0;
  await page.hover(`a[href="/${status}"]`);
  while (asked.length === 0) await page.waitForTimeout(50);
  await page.waitForTimeout(500);
  await page.click(`a[href="/${status}"]`);
  await page.waitForSelector("h1");
  console.log(`${status}: the click shows the ${await page.textContent("h1")}; asked by ${asked.join(", ")}`);
}
await browser.close();
process.exit();
JS
node run.mjs | tee seen
tail -n +2 seen | diff - <(cat <<'EXPECTED'
200: the click shows the answer to the hover; asked by hover
429: the click shows the answer to the hover; asked by hover
503: the click shows the answer to the hover; asked by hover
json: the click shows the answer to the click; asked by hover, click
EXPECTED
)
