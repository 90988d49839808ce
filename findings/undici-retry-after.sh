#!/usr/bin/env bash
# undici's RetryAgent comes back before Retry-After is over: its own longest wait goes before the server's word.
#
# Guessed:  with `retryAfter: true`, the default, the agent waits as long as Retry-After says; `maxTimeout` bounds its own growing waits.
# Happens:  the server's wait, in seconds or as a date, is cut to `maxTimeout` (30 s by default), silently.
#           When the tries are used up it throws, and the caller never sees the 429 nor its body.
# Matters:  a room that says "come back in 60" is asked every 30 by such clients, so twice the requests arrive exactly when it is busiest.
# Versions: undici 8.13.1 and node 22.23.3 (npm).
# Seen on 2026-11-27 (maxTimeout 1 s, so that it need not be waited for; waits are rounded down to seconds):
#   4 s as seconds: came back after 1 s
#   4 s as date: came back after 1 s
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund undici@8.13.1 node@22.23.3

cat > run.mjs <<'JS'
import http from "node:http";
import { Agent, RetryAgent, request } from "undici";
const came = new Map();
const server = http.createServer(({ url }, answer) => {
  came.set(url, [...(came.get(url) ?? []), Date.now()]);
  if (came.get(url).length > 1) return answer.end("in");
  // A date has whole seconds: this one is 4 to 5 s away.
  const after = url === "/date" ? new Date(Date.now() + 5000).toUTCString() : "4";
  answer.writeHead(429, { "Retry-After": after }).end("wait");
}).listen(0, "127.0.0.1", async () => {
  for (const url of ["/seconds", "/date"]) {
    await request(`http://127.0.0.1:${server.address().port}${url}`, { dispatcher: new RetryAgent(new Agent(), { maxTimeout: 1000 }) });
    const [first, second] = came.get(url);
    console.log(`4 s as ${url.slice(1)}: came back after ${Math.floor((second - first) / 1000)} s`);
  }
  process.exit();
});
JS
node_modules/.bin/node run.mjs | tee seen
diff seen - <<'EXPECTED'
4 s as seconds: came back after 1 s
4 s as date: came back after 1 s
EXPECTED
