#!/usr/bin/env bash
# Exponential waits with jitter lose the jitter at their longest wait, just when most clients wait: tenacity, stamina, urllib3, retry and cockatiel (npm).
#
# Guessed:  whoever asks for jitter gets a different wait at every try, at the longest above all: an outage of minutes is what jitter is for.
# Happens:  these add the random part first and cut the sum to the longest wait after that. Once the exponent is there, every client waits 60 s and no
#           millisecond more or less, for ever; the "decorrelated" jitter that cockatiel has unless told otherwise is cut in the same way. backoff (PyPI),
#           tenacity's wait_random_exponential and cockatiel's fullJitterGenerator draw from what lies below the longest wait, and stay spread.
# Matters:  a thousand workers that a restart cut off come back in step: with the first three more than a tenth of them in one second of each minute, ten
#           times as many as of a spread crowd, so that a room or a shop that has just got up falls down again. Ask for the full kind of jitter.
# Versions: tenacity 9.2.1, stamina 26.1.0, urllib3 2.8.0, backoff 2.2.1 (PyPI), retry 0.13.1, cockatiel 3.2.1 (npm), node 20, Python 3.11.
# Seen on 2026-11-29 (1,000 clients, first wait 1 s, longest 60 s, jitter 5 s where it has a size; nobody really waits):
#   tenacity wait_exponential_jitter: one wait at the 25th try; more than 100 clients in its busiest second
#   stamina: one wait at the 25th try; more than 100 clients in its busiest second
#   urllib3: one wait at the 25th try; more than 100 clients in its busiest second
#   tenacity wait_random_exponential: many waits at the 25th try; less than 30 clients in its busiest second
#   backoff: many waits at the 25th try; less than 30 clients in its busiest second
#   retry: one wait at the 25th try
#   cockatiel: one wait at the 25th try
#   cockatiel fullJitterGenerator: many waits at the 25th try
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'rm -rf "$folder"' EXIT
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check tenacity==9.2.1 stamina==26.1.0 urllib3==2.8.0 backoff==2.2.1
npm install --silent --no-audit --no-fund retry@0.13.1 cockatiel@3.2.1

cat > run.py <<'PY'
import bisect, time
import backoff, stamina, tenacity, urllib3
from urllib3.util import Retry

waits = []
time.sleep = waits.append

def refused(): raise ConnectionError

def with_tenacity(wait):
    return lambda: tenacity.Retrying(wait=wait, stop=tenacity.stop_after_attempt(26), sleep=waits.append, reraise=True)(refused)

def with_stamina():
    stamina.retry(on=ConnectionError, attempts=26, timeout=None, wait_initial=1, wait_max=60, wait_jitter=5)(refused)()

def with_urllib3():
    retry = Retry(total=25, backoff_factor=1, backoff_max=60, backoff_jitter=5, status_forcelist=[503])
    while True:
        retry = retry.increment("GET", "/", urllib3.HTTPResponse(status=503))
        retry.sleep()

def with_backoff():
    backoff.on_exception(backoff.expo, ConnectionError, max_tries=26, max_value=60, jitter=backoff.full_jitter)(refused)()

stamina.instrumentation.set_on_retry_hooks([])
clients = {
    "tenacity wait_exponential_jitter": with_tenacity(tenacity.wait_exponential_jitter(initial=1, max=60, jitter=5)),
    "stamina": with_stamina,
    "urllib3": with_urllib3,
    "tenacity wait_random_exponential": with_tenacity(tenacity.wait_random_exponential(multiplier=1, max=60)),
    "backoff": with_backoff,
}
for name, client in clients.items():
    last, sums = set(), []
    for _ in range(1000):
        waits.clear()
        try: client()
        except (ConnectionError, urllib3.exceptions.MaxRetryError): pass
        last.add(waits[-1])
        sums.append(sum(waits))
    sums.sort()
    busiest = max(bisect.bisect(sums, moment + 1) - at for at, moment in enumerate(sums))
    said = "more than 100" if busiest > 100 else "less than 30" if busiest < 30 else busiest
    print(f"{name}: {'one wait' if len(last) == 1 else 'many waits'} at the 25th try; {said} clients in its busiest second")
PY
cat > run.mjs <<'JS'
import { ExponentialBackoff, fullJitterGenerator } from "cockatiel";
import retry from "retry";

const cockatiel = (options) => () => {
  let wait = new ExponentialBackoff({ initialDelay: 1000, maxDelay: 60000, ...options }).next();
  for (let tried = 1; tried < 25; tried++) wait = wait.next();
  return wait.duration;
};
const clients = {
  retry: () => retry.timeouts({ retries: 25, minTimeout: 1000, maxTimeout: 60000, randomize: true })[24],
  cockatiel: cockatiel({}),
  "cockatiel fullJitterGenerator": cockatiel({ generator: fullJitterGenerator }),
};
for (const [name, last] of Object.entries(clients)) {
  const waits = new Set(Array.from({ length: 1000 }, last));
  console.log(`${name}: ${waits.size === 1 ? "one wait" : "many waits"} at the 25th try`);
}
JS
{ env/bin/python run.py; node run.mjs; } | tee seen
diff seen - <<'EXPECTED'
tenacity wait_exponential_jitter: one wait at the 25th try; more than 100 clients in its busiest second
stamina: one wait at the 25th try; more than 100 clients in its busiest second
urllib3: one wait at the 25th try; more than 100 clients in its busiest second
tenacity wait_random_exponential: many waits at the 25th try; less than 30 clients in its busiest second
backoff: many waits at the 25th try; less than 30 clients in its busiest second
retry: one wait at the 25th try
cockatiel: one wait at the 25th try
cockatiel fullJitterGenerator: many waits at the 25th try
EXPECTED
