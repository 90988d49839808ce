#!/usr/bin/env bash
# The compatibility flag `precise_timers` makes `Date.now()` coarser: it reads in steps of 3 ms, and a timer seems to ring up to 2 ms too early.
#
# Guessed:  the flag takes the clock's and the timers' mitigations away, so that both are as exact as the host's, or at least no worse than without it.
# Happens:  without the flag each millisecond is read and no timer of 50 ms takes less by `Date.now()`. With it every reading is a multiple of 3, and many
#           timers of 50 ms take 48 or 49.
# Matters:  code that asks the clock when its timer rings finds that it is too early, and waits for another that nobody set; a clock of one's own that
#           believes each timer gains on the wall clock without end, by nearly a millisecond a timer.
# Versions: workerd 1.20261117.1 (npm), compatibility date 2026-11-01, 200 timers of 50 ms each.
# Seen on 2026-11-28:
#   workerd 2026-11-17
#   without: readings that are multiples of 3: some; timers that end early: none
#   with precise_timers: readings that are multiples of 3: all; timers that end early: some
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port() { node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port'; }

cat > worker.mjs <<'JS'
const share = (these, is) => (these.every(is) ? "all" : these.some(is) ? "some" : "none");
async function timed() {
  const from = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { from, took: Date.now() - from };
}
export default {
  async fetch() {
    const seen = [];
    for (let turn = 0; turn < 50; turn += 1) seen.push(...(await Promise.all([timed(), timed(), timed(), timed()])));
    const steps = share(seen, ({ from }) => from % 3 === 0);
    return new Response(`readings that are multiples of 3: ${steps}; timers that end early: ${share(seen, ({ took }) => took < 50)}\n`);
  },
};
JS
"$workerd" --version
for flags in "" '"precise_timers"'; do
  port=$(port)
  cat > config.capnp <<CAPNP
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:$port", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01", compatibilityFlags = [$flags]
);
CAPNP
  "$workerd" serve --experimental config.capnp > log 2>&1 &
  until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
  if [ -z "$flags" ]; then printf 'without: '; else printf 'with precise_timers: '; fi
  curl -s "http://127.0.0.1:$port/"
done > seen
cat seen
diff seen - <<'EXPECTED'
without: readings that are multiples of 3: some; timers that end early: none
with precise_timers: readings that are multiples of 3: all; timers that end early: some
EXPECTED
