#!/usr/bin/env bash
# Chromium does not ask "Leave site?" for a `beforeunload` listener that was added with `once: true`, though it calls it.
#
# Guessed:  a listener that calls `preventDefault()` makes the browser ask, also if it is meant for one leaving only and so added with `once`.
# Happens:  the listener is called and the page goes, without a question. The same listener without `once` makes the browser ask.
# Matters:  a script that must lead somebody away from a half-filled form, because the time inside is over, loses what was typed without a word. Add
#           the listener for good, and remove it later.
# Versions: Debian's chromium 156 (required), playwright-core 1.65.1 (npm).
# Seen on 2026-11-27:
#   Chromium 156.0.8078.108
#   for good: called 1, asked 1, at /
#   once: called 1, asked 0, at /away
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v chromium > /dev/null || { echo "This needs Debian's package chromium."; exit 2; }
npm install --silent --no-audit --no-fund playwright-core@1.65.1

cat > run.mjs <<'JS'
import http from "node:http";
import { chromium } from "playwright-core";
let called = 0;
const server = http.createServer((request, answer) => {
  if (request.url === "/called") called += 1;
  answer.writeHead(200, { "Content-Type": "text/html" });
  answer.end(`<input><button onclick="leave()">Leave</button><script>
    function leave() {
      addEventListener("beforeunload", (event) => { event.preventDefault(); navigator.sendBeacon("/called"); }, ${decodeURIComponent(request.url.split("?")[1] ?? "undefined")});
      location.assign("/away");
    }</script>`);
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const at = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
console.log(`Chromium ${browser.version()}`);
for (const [name, options] of [["for good", "undefined"], ["once", "{once:true}"]]) {
  const page = await (await browser.newContext()).newPage();
  called = 0;
  let asked = 0;
  page.on("dialog", (dialog) => { asked += 1; return dialog.dismiss(); });
  await page.goto(`${at}/?${encodeURIComponent(options)}`);
  await page.locator("input").pressSequentially("Ada");
  page.locator("button").click().catch(() => {});
  while (called === 0) await page.waitForTimeout(50);
  await page.waitForTimeout(1000);
  console.log(`${name}: called ${called}, asked ${asked}, at ${new URL(page.url()).pathname}`);
}
await browser.close();
process.exit();
JS
node run.mjs | tee seen
tail -n +2 seen | diff - <(cat <<'EXPECTED'
for good: called 1, asked 1, at /
once: called 1, asked 0, at /away
EXPECTED
)
