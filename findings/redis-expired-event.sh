#!/usr/bin/env bash
# Redis tells of an expired key up to a minute late when ten thousand other keys have a time to live, however far away their end is.
#
# Guessed:  "expired" is told when Redis removes the key, which for a key that nobody reads is a fraction of a second later: it looks ten times a
#           second, and a handful of dead keys among many living ones costs nothing to find.
# Happens:  it walks over *all* keys with a time to live, 20 at a time, and goes on at once only while a tenth of them are dead. With a few dead ones it
#           looks at about 200 keys a second: 50 s for 10,000 keys, eight minutes for 100,000.
# Matters:  a line that keeps a lease as a key with a time to live, and calls the next on its "expired" event, leaves permits idle, the longer
#           the more people are inside. Keep the ends in a sorted set and ask for those that are due.
# Versions: Debian's redis-server 7.0.15 (required), redis 8.1.0 (PyPI).
# Seen on 2026-11-27 (the numbers of the second line differ from run to run):
#   redis-server 7.0.15
#   alone: 200 of 200 ends were told within 10 s
#   beside 10,000 leases of an hour: 40 of 200 ends were told within 10 s
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v redis-server > /dev/null || { echo "This needs Debian's package redis-server."; exit 2; }
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --target packages redis==8.1.0
export PYTHONPATH="$folder/packages"
redis-server --port 0 --unixsocket "$folder/redis" --save '' --appendonly no --notify-keyspace-events Ex > log &
until [ -S redis ]; do sleep 0.1; done

cat > run.py <<'PY'
import time, redis

server = redis.Redis(unix_socket_path="redis")
print("redis-server", server.info()["redis_version"])

def told_within(seconds, others):
    """Of 200 leases that end after one second, how many were told of so soon after their end."""
    server.flushall()
    pipe = server.pipeline(transaction=False)
    for n in range(others): pipe.set(f"lease:{n}", "x", ex=3600)
    pipe.execute()
    events = server.pubsub(ignore_subscribe_messages=True)
    events.subscribe("__keyevent@0__:expired")
    for n in range(200): pipe.set(f"due:{n}", "x", px=1000)
    pipe.execute()
    ends, told = time.monotonic() + 1 + seconds, 0
    while (left := ends - time.monotonic()) > 0:
        if events.get_message(timeout=left): told += 1
    events.close()
    return told

few, many = told_within(10, 0), told_within(10, 10_000)
print(f"alone: {few} of 200 ends were told within 10 s")
print(f"beside 10,000 leases of an hour: {many} of 200 ends were told within 10 s")
assert few == 200 and many < 100
PY
python3 run.py
