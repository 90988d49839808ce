#!/usr/bin/env bash
# prom-client's Summary says that half of all people waited 38 s or more, and a tenth 48 min, when 99 of 100 waited 2 s: it cannot count equal waits.
#
# Guessed:  a summary's quantiles are off by a few percent, and by less where there are few different values: of 10,000 waits in whole seconds, 9,900 of
#           2 and 100 of 3,600, the median and the 90th percentile are 2.
# Happens:  its t-digest (tdigest of npm) makes all equal waits one point, takes that for the middle of a crowd that lies on both sides of it, and draws a
#           straight line to the next point: from 2 in the middle of the 9,900 to 3,600. PyPI's tdigest says the same. With the milliseconds of the
#           waits both are right. fastdigest and hdr-histogram-js are right either way.
# Matters:  logs have waits in whole seconds, and 0 for whoever walks straight in. The panel and the alarm tell of a crowd that waits, where one in
#           a hundred does, and the larger that one wait, the more so. Observe the milliseconds, or take a Histogram.
# Versions: prom-client 15.1.3, hdr-histogram-js 3.0.1 (npm), tdigest 0.5.2.2, fastdigest 0.12.0 (PyPI), node 20, Python 3.11.
# Seen on 2026-11-29 (the median and the 90th percentile of 10,000 waits in seconds; in the last crowd 19 of 20 wait 0 s, the others 600):
#   prom-client: whole seconds 38.0 2916.4; milliseconds 2.5 2.9; 19 in 20 at once 30.0 510.0
#   hdr-histogram-js: whole seconds 2.0 2.0; milliseconds 2.5 2.9; 19 in 20 at once 0.0 0.0
#   tdigest: whole seconds 38.0 2916.4; milliseconds 2.5 2.9; 19 in 20 at once 30.0 510.0
#   fastdigest: whole seconds 2.0 2.0; milliseconds 2.5 2.9; 19 in 20 at once 0.0 0.0
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'rm -rf "$folder"' EXIT
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check tdigest==0.5.2.2 fastdigest==0.12.0
npm install --silent --no-audit --no-fund prom-client@15.1.3 hdr-histogram-js@3.0.1

cat > run.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { build } from "hdr-histogram-js";
import prometheus from "prom-client";

const whole = Array.from({ length: 10000 }, (_, person) => (person % 100 === 50 ? 3600 : 2));
const crowds = {
  "whole seconds": whole,
  milliseconds: whole.map((wait, person) => wait + ((person * 7919) % 1000) / 1000),
  "19 in 20 at once": whole.map((_, person) => (person % 20 === 5 ? 600 : 0)),
};
writeFileSync("crowds.json", JSON.stringify(crowds));

const makers = {
  "prom-client": async (waits) => {
    const summary = new prometheus.Summary({ name: "wait_seconds", help: "wait", percentiles: [0.5, 0.9], registers: [] });
    for (const wait of waits) summary.observe(wait);
    const { values } = await summary.get();
    return [0.5, 0.9].map((quantile) => values.find(({ labels }) => labels.quantile === quantile).value);
  },
  "hdr-histogram-js": (waits) => {
    const histogram = build({ numberOfSignificantValueDigits: 4 });
    for (const wait of waits) histogram.recordValue(Math.round(wait * 1000));
    return [50, 90].map((percentile) => histogram.getValueAtPercentile(percentile) / 1000);
  },
};
for (const [name, ask] of Object.entries(makers)) {
  const said = [];
  for (const [crowd, waits] of Object.entries(crowds)) said.push(`${crowd} ${(await ask(waits)).map((wait) => wait.toFixed(1)).join(" ")}`);
  console.log(`${name}: ${said.join("; ")}`);
}
JS
cat > run.py <<'PY'
import json
import fastdigest, tdigest

def with_tdigest(waits):
    digest = tdigest.TDigest()
    digest.batch_update(waits)
    return [digest.percentile(percentile) for percentile in (50, 90)]

def with_fastdigest(waits):
    digest = fastdigest.TDigest.from_values(waits)
    return [digest.quantile(quantile) for quantile in (0.5, 0.9)]

crowds = json.load(open("crowds.json"))
for name, ask in {"tdigest": with_tdigest, "fastdigest": with_fastdigest}.items():
    said = [f"{crowd} {' '.join(f'{wait:.1f}' for wait in ask(waits))}" for crowd, waits in crowds.items()]
    print(f"{name}: {'; '.join(said)}")
PY
{ node run.mjs; env/bin/python run.py; } | tee seen
diff seen - <<'EXPECTED'
prom-client: whole seconds 38.0 2916.4; milliseconds 2.5 2.9; 19 in 20 at once 30.0 510.0
hdr-histogram-js: whole seconds 2.0 2.0; milliseconds 2.5 2.9; 19 in 20 at once 0.0 0.0
tdigest: whole seconds 38.0 2916.4; milliseconds 2.5 2.9; 19 in 20 at once 30.0 510.0
fastdigest: whole seconds 2.0 2.0; milliseconds 2.5 2.9; 19 in 20 at once 0.0 0.0
EXPECTED
