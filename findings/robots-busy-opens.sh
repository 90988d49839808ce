#!/usr/bin/env bash
# A shop that answers robots.txt with 429 or 503, because it is busy, is open to crawlers: to urllib.robotparser at 429, to Scrapy at any of them.
#
# Guessed:  a crawler that is told to come later takes the whole site as forbidden until it has read the rules, as Google does at 429 and 5xx.
# Happens:  urllib.robotparser takes each 4xx but 401 and 403 for "there are no rules": 429 allows everything, 503 nothing. Scrapy, which obeys
#           robots.txt in every new project, tries 429 and 503 again, gives up, and then crawls, as it does at 403.
# Matters:  whoever gates a whole host by a waiting room lets its crawlers loose just when the shop is full. Leave /robots.txt open to everybody.
# Versions: Python 3.11's urllib, Scrapy 2.19.0 with Protego 0.7.0 (PyPI), node 20 as the shop.
# Seen on 2026-11-28:
#   404: robotparser may, Scrapy crawls
#   429: robotparser may, Scrapy crawls
#   403: robotparser may not, Scrapy crawls
#   503: robotparser may not, Scrapy crawls
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check scrapy==2.19.0 protego==0.7.0

cat > shop.mjs <<'JS'
import http from "node:http";
const shop = http.createServer(({ url }, response) => {
  response.writeHead(url === "/robots.txt" ? Number(process.argv[2]) : 200, { "content-type": "text/html" }).end("<p>hello</p>");
});
shop.listen(0, "127.0.0.1", () => console.log(shop.address().port));
JS
cat > may.py <<'PY'
import sys, urllib.robotparser
rules = urllib.robotparser.RobotFileParser(f"{sys.argv[1]}/robots.txt")
rules.read()
print("may" if rules.can_fetch("a-crawler", f"{sys.argv[1]}/buy") else "may not")
PY
cat > spider.py <<'PY'
import os, scrapy
class Spider(scrapy.Spider):
    name = "spider"
    start_urls = [os.environ["SHOP"] + "/buy"]
    custom_settings = {"ROBOTSTXT_OBEY": True, "RETRY_TIMES": 1, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False}
    def parse(self, response):
        print("crawls")
PY

for status in 404 429 403 503; do
  node shop.mjs "$status" > port & shop=$!
  until [ -s port ]; do sleep 0.1; done
  export SHOP="http://127.0.0.1:$(cat port)"
  scrapy=$(env/bin/scrapy runspider spider.py 2> /dev/null || true)
  echo "$status: robotparser $(env/bin/python may.py "$SHOP"), Scrapy ${scrapy:-keeps out}"
  kill "$shop"; wait "$shop" 2> /dev/null || true; rm port
done | tee seen
diff seen - <<'EXPECTED'
404: robotparser may, Scrapy crawls
429: robotparser may, Scrapy crawls
403: robotparser may not, Scrapy crawls
503: robotparser may not, Scrapy crawls
EXPECTED
