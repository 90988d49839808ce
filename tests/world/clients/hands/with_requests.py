"""requests: asks what each line of the input says, `METHOD URL`. Its first argument is `alone`, `kept` (with what keeps the place) or `waits`."""

import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

mode = sys.argv[1]
client = requests.Session() if mode == "kept" else requests
if mode == "waits":
    client = requests.Session()
    client.mount("http://", HTTPAdapter(max_retries=Retry(9, status_forcelist=[429])))
for line in sys.stdin:
    method, url = line.split()
    print(client.request(method, url).status_code, flush=True)
