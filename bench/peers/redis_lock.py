"""redis-py's Lock. A lock is one permit, so people are spread over as many names as there are permits. The token is the visitor's id, so that a front that
was started anew can release it."""

import itertools
import json
import sys

import redis
import waiters

env = json.loads(sys.argv[1])
client = redis.Redis(host="127.0.0.1", port=env["port"], max_connections=10_000)
turns = itertools.count()
names = {}


class Waiter:
    def __init__(self, who):
        self.who = who
        names.setdefault(who, next(turns) % env["permits"])
        self.lock = client.lock(f'{env["room"]}:{names[who]}', timeout=env["limitMs"] / 1000, thread_local=False)

    def acquire(self, gone):
        while not gone.is_set():
            if self.lock.acquire(blocking_timeout=1, token=self.who):
                return True
        return False

    def release(self):
        for permit in range(env["permits"]):
            lock = client.lock(f'{env["room"]}:{permit}', thread_local=False)
            lock.local.token = self.who.encode()
            try:
                return lock.release()
            except redis.exceptions.LockError:
                pass


waiters.serve(Waiter)
