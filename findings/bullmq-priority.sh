#!/usr/bin/env bash
# In BullMQ a job of priority 1, the highest that there is, comes after every job that has none, and so in no other queue of Node's.
#
# Guessed:  "1 is the highest priority", so the VIP of priority 1 comes before people without one.
# Happens:  jobs without a priority form a list of their own, which is emptied first, also of those who come later: while it is fed, the VIP starves.
#           Bottleneck takes 0 to 9 with 5 for who has none, so there 1 is ahead. p-queue takes the larger number first, so 1 is ahead of none (0).
# Matters:  a lane for priority bookers built on such a queue turns into the last one, and looks right in a test with nobody else.
# Versions: bullmq 6.7.0, ioredis 5.9.0, p-queue 10.0.0, bottleneck 2.19.5 (npm), Debian's redis-server 7.0.15 (required).
# Seen on 2026-11-27:
#   Redis server v=7.0.15
#   BullMQ: first, second, latecomer, VIP
#   Bottleneck: VIP, first, second
#   p-queue: VIP, first, second
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v redis-server > /dev/null || { echo "This needs Debian's package redis-server."; exit 2; }
npm install --silent --no-audit --no-fund bullmq@6.7.0 ioredis@5.9.0 p-queue@10.0.0 bottleneck@2.19.5
redis-server --port 0 --unixsocket "$folder/redis" --save '' --appendonly no > log &
until [ -S redis ]; do sleep 0.1; done
redis-server --version | cut -d ' ' -f 1-3

cat > run.mjs <<'JS'
import Bottleneck from "bottleneck";
import { Queue, Worker } from "bullmq";
import PQueue from "p-queue";
const people = [["first", {}], ["VIP", { priority: 1 }], ["second", {}]];

const connection = { path: "redis", maxRetriesPerRequest: null };
const queue = new Queue("line", { connection });
for (const [name, options] of people) await queue.add(name, {}, options);
const bull = [];
await new Promise((done) => new Worker("line", async ({ name }) => {
  bull.push(name);
  if (name === "first") await queue.add("latecomer", {});
  if (bull.length === 4) done();
}, { connection }));
console.log(`BullMQ: ${bull.join(", ")}`);

const limited = [];
const limiter = new Bottleneck({ maxConcurrent: 1 });
const inside = limiter.schedule({ priority: 0 }, () => new Promise((free) => setTimeout(free, 20)));
await Promise.all([inside, ...people.map(([name, options]) => limiter.schedule(options, async () => limited.push(name)))]);
console.log(`Bottleneck: ${limited.join(", ")}`);

const queued = [];
const promises = new PQueue({ concurrency: 1 });
promises.add(() => new Promise((free) => setTimeout(free, 20)));
for (const [name, options] of people) promises.add(() => queued.push(name), options);
await promises.onIdle();
console.log(`p-queue: ${queued.join(", ")}`);
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'EXPECTED'
BullMQ: first, second, latecomer, VIP
Bottleneck: VIP, first, second
p-queue: VIP, first, second
EXPECTED
