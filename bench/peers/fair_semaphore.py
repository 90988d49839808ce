"""The fair semaphore of *Redis in Action* (6.3.2 and 6.3.4): a counter orders attempts, and the first `limit` of them hold. It is fair between clocks, not
between people: an attempt that fails is withdrawn, and the next one begins at the back."""

import json
import sys
import time

import redis
import waiters

env = json.loads(sys.argv[1])
client = redis.Redis(host="127.0.0.1", port=env["port"], max_connections=10_000)
name = env["room"]
owners, counter = f"{name}:owner", f"{name}:counter"
RETRY_S = 0.1


def attempt(who):
    now = time.time()
    pipeline = client.pipeline(True)
    pipeline.zremrangebyscore(name, "-inf", now - env["limitMs"] / 1000)
    pipeline.zinterstore(owners, {owners: 1, name: 0})
    pipeline.incr(counter)
    ticket = pipeline.execute()[-1]
    pipeline.zadd(name, {who: now})
    pipeline.zadd(owners, {who: ticket})
    pipeline.zrank(owners, who)
    if pipeline.execute()[-1] < env["permits"]:
        return True
    withdraw(who)
    return False


def withdraw(who):
    pipeline = client.pipeline(True)
    pipeline.zrem(name, who)
    pipeline.zrem(owners, who)
    pipeline.execute()


class Waiter:
    def __init__(self, who):
        self.who = who

    def acquire(self, gone):
        while not gone.is_set():
            lock = client.lock(f"{name}:lock", timeout=10, thread_local=False)
            if lock.acquire(blocking_timeout=0.01):
                try:
                    if attempt(self.who):
                        return True
                finally:
                    lock.release()
            gone.wait(RETRY_S)
        return False

    def release(self):
        withdraw(self.who)


waiters.serve(Waiter)
