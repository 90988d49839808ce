#!/usr/bin/env bash
# Playwright replays a recording of polls by giving the same answer again and again: a recorded line never moves.
#
# Guessed:  `routeFromHAR` gives the answers of one address in the order in which they were recorded, and then the last one.
# Happens:  it takes the recorded request that is most like this one, by its headers, and of equals the first, each time. After the first answer set a
#           cookie the polls are alike, so the second answer is all that ever comes.
# Matters:  a test of a waiting page on a recorded sale waits for ever two places from the front, or passes without having seen the turn.
# Versions: playwright-core 1.65.1 (npm), Debian's chromium 156 (required).
# Seen on 2026-11-27:
#   Chromium 156.0.8078.108
#   recorded: ahead 3, 2, 1, 0
#   replayed: ahead 3, 2, 2, 2
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v chromium > /dev/null || { echo "This needs Debian's package chromium."; exit 2; }
npm install --silent --no-audit --no-fund playwright-core@1.65.1

cat > run.mjs <<'JS'
import http from "node:http";
import { chromium } from "playwright-core";
let ahead = 4;
const server = http.createServer((request, response) => {
  if (request.url !== "/status") return response.setHeader("content-type", "text/html").end("<p>You are in line</p>");
  ahead -= 1;
  return response.setHeader("set-cookie", "ticket=7").end(JSON.stringify({ ahead }));
}).listen(0, "127.0.0.1");
await new Promise((listens) => server.once("listening", listens));
const url = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
/** Opens the page, polls four times and tells what it heard. */
async function polls(context) {
  const page = await context.newPage();
  await page.goto(url);
  return page.evaluate(async () => {
    const heard = [];
    for (let poll = 0; poll < 4; poll++) heard.push((await (await fetch("/status")).json()).ahead);
    return heard.join(", ");
  });
}
console.log(`Chromium ${browser.version()}`);
const recording = await browser.newContext({ recordHar: { path: "sale.har" } });
console.log(`recorded: ahead ${await polls(recording)}`);
await recording.close();
server.close();
server.closeAllConnections();
const replay = await browser.newContext();
await replay.routeFromHAR("sale.har");
console.log(`replayed: ahead ${await polls(replay)}`);
await browser.close();
JS
node run.mjs "$(command -v chromium)" | tee seen
tail -n 2 seen | diff - <(printf 'recorded: ahead 3, 2, 1, 0\nreplayed: ahead 3, 2, 2, 2\n')
