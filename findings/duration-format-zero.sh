#!/usr/bin/env bash
# Intl.DurationFormat says nothing at all for a wait that is over: zero seconds are an empty text.
#
# Guessed:  `{ minutes: 0, seconds: 0 }` is "0 sec", as Intl.NumberFormat with a unit says it; at worst "0 min, 0 sec".
# Happens:  each unit is shown if it is not zero, unless it is asked for by name. All are zero, so the text is "". In the styles long, short and narrow;
#           "digital" says 0:00:00. Node and Chromium agree, as ECMA-402 wants it.
# Matters:  a countdown to the opening, or the estimate of a wait, ends as "Your turn is kept for ." just when it is read most. Name the smallest unit:
#           `secondsDisplay: "always"`, which then shows "1 hour, 0 seconds" as well.
# Versions: node 24.21.0 (npm).
# Seen on 2026-11-28:
#   long: "" then "1 minute" then "1 minute, 1 second"
#   short: "" then "1 min" then "1 min, 1 sec"
#   digital: "0:00:00" then "0:01:00" then "0:01:01"
#   long, secondsDisplay always: "0 seconds" then "1 minute, 0 seconds" then "1 minute, 1 second"
#   NumberFormat: "0 seconds"
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund node@24.21.0

cat > run.mjs <<'JS'
const waits = [{ minutes: 0, seconds: 0 }, { minutes: 1, seconds: 0 }, { minutes: 1, seconds: 1 }];
const ways = { long: { style: "long" }, short: { style: "short" }, digital: { style: "digital" }, "long, secondsDisplay always": { style: "long", secondsDisplay: "always" } };
for (const [name, how] of Object.entries(ways)) {
  const format = new Intl.DurationFormat("en", how);
  console.log(`${name}: ${waits.map((wait) => JSON.stringify(format.format(wait))).join(" then ")}`);
}
console.log(`NumberFormat: ${JSON.stringify(new Intl.NumberFormat("en", { style: "unit", unit: "second", unitDisplay: "long" }).format(0))}`);
JS
node_modules/.bin/node run.mjs | tee seen
diff seen - <<'EXPECTED'
long: "" then "1 minute" then "1 minute, 1 second"
short: "" then "1 min" then "1 min, 1 sec"
digital: "0:00:00" then "0:01:00" then "0:01:01"
long, secondsDisplay always: "0 seconds" then "1 minute, 0 seconds" then "1 minute, 1 second"
NumberFormat: "0 seconds"
EXPECTED
