"""kazoo's Semaphore. All who wait share the front's session; a thread waits for each."""

import json
import logging
import sys

import waiters
from kazoo.client import KazooClient

env = json.loads(sys.argv[1])
logging.disable(logging.CRITICAL)
client = KazooClient(hosts=f'127.0.0.1:{env["port"]}')
client.start()


class Waiter:
    def __init__(self, who):
        self.semaphore = client.Semaphore(f'/{env["room"]}', identifier=who, max_leases=env["permits"])

    def acquire(self, gone):
        return self.semaphore.acquire()

    def cancel(self):
        self.semaphore.cancel()

    def release(self):
        self.semaphore.release()


waiters.serve(Waiter)
