"""httpx: asks what each line of the input says, `METHOD URL`. Its first argument is `alone`, `kept` (with what keeps the place) or `waits`."""

import sys

import httpx

client = httpx.Client() if sys.argv[1] == "kept" else httpx
for line in sys.stdin:
    method, url = line.split()
    print(client.request(method, url).status_code, flush=True)
