#!/usr/bin/env bash
# Whoever wants several permits at once waits behind everybody who wants one, also behind those who come later: semaphore (npm) and aiolimiter (PyPI).
#
# Guessed:  a queue of waiters is first come, first served: who asks for four of five, two being free, is next, and whoever wants one waits behind.
# Happens:  semaphore 1.1.0 looks at what is free before it looks at who waits, so one permit goes past four. aiolimiter 1.3.0 wakes all who wait
#           and lets in whom it can: while single asks come as fast as the rate allows, the one of eight starves, and is served when they end.
#           async-mutex 0.5.0 keeps the order, and so does limiter 4.1.0.
# Matters:  a family of four that books together stands in such a line for as long as the sale is busy, and nothing shows that it does.
# Versions: semaphore 1.1.0, async-mutex 0.5.0, limiter 4.1.0 (npm), aiolimiter 1.3.0 (PyPI), node 20, Python 3.11.
# Seen on 2026-11-28:
#   semaphore: one, four
#   async-mutex: four, one
#   limiter: eight, 1 2 3 4
#   aiolimiter: 12 of 12 singles before the eight
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund semaphore@1.1.0 async-mutex@0.5.0 limiter@4.1.0
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check aiolimiter==1.3.0

cat > line.mjs <<'JS'
import { Semaphore } from "async-mutex";
import { RateLimiter } from "limiter";
import semaphore from "semaphore";
{
  const [line, served] = [semaphore(5), []];
  await new Promise((inside) => line.take(3, inside));
  const all = [["four", 4], ["one", 1]].map(([who, permits]) => new Promise((done) => line.take(permits, () => done(served.push(who)))));
  setImmediate(() => line.leave(3));
  setImmediate(() => served.includes("one") && line.leave(1));
  await Promise.all(all);
  console.log(`semaphore: ${served.join(", ")}`);
}
{
  const [line, served] = [new Semaphore(5), []];
  const [, leave] = await line.acquire(3);
  const all = [["four", 4], ["one", 1]].map(([who, permits]) => line.acquire(permits).then(() => served.push(who)));
  setImmediate(leave);
  await Promise.all(all);
  console.log(`async-mutex: ${served.join(", ")}`);
}
{
  const [line, served] = [new RateLimiter({ tokensPerInterval: 8, interval: 400 }), []];
  await line.removeTokens(8);
  const all = [["eight,", 8], [1, 1], [2, 1], [3, 1], [4, 1]].map(([who, permits]) => line.removeTokens(permits).then(() => served.push(who)));
  await Promise.all(all);
  console.log(`limiter: ${served.join(" ")}`);
}
JS
cat > line.py <<'PY'
import asyncio
from aiolimiter import AsyncLimiter

async def main():
    line, served = AsyncLimiter(10, 1), []
    await line.acquire(10)
    async def asks(who, permits):
        await line.acquire(permits)
        served.append(who)
    async with asyncio.TaskGroup() as group:
        group.create_task(asks("eight", 8))
        for _ in range(12):
            await asyncio.sleep(0.05)
            group.create_task(asks("single", 1))
    print(f"aiolimiter: {served.index('eight')} of 12 singles before the eight")

asyncio.run(main())
PY
{ node line.mjs; env/bin/python line.py; } | tee seen
diff seen - <<'EXPECTED'
semaphore: one, four
async-mutex: four, one
limiter: eight, 1 2 3 4
aiolimiter: 12 of 12 singles before the eight
EXPECTED
