"""A client of Baton without cookies, as short as one can be: what an app in any language does. Standard library only.

    python baton_app.py --url https://tickets.example.com --room onsale

enters, waits as long as it takes, and prints every request and answer as a line of JSON. docs/apps.md is made of such lines.
"""

import argparse
import json
import sys
import time
import urllib.error
import urllib.request


class Baton:
    """One app at one site. `credentials` is all that must be kept."""

    def __init__(self, url, credentials="", heard=lambda exchange: None):
        self.url = url.rstrip("/")
        self.credentials = credentials
        self.heard = heard

    def send(self, method, path, body=None, headers=None):
        """One request with the credentials, which are kept as the answer says. `(status, headers, JSON or text)`."""
        shown = {"Accept": "application/json", "Baton-Credentials": self.credentials, **(headers or {})}
        data = body.encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data=data, headers=shown, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, got, text = answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as answer:
            status, got, text = answer.code, answer.headers, answer.read().decode()
        self.credentials = got.get("Baton-Credentials", self.credentials)
        told = json.loads(text) if got.get_content_type() == "application/json" else text
        self.heard({"method": method, "path": path, "shown": shown, "body": body, "status": status, "headers": dict(got.items()), "told": told})
        return status, got, told

    def call(self, room, call, method="POST"):
        return self.send(method, f"/__baton/{room}/{call}")

    def enter(self, room):
        """Comes back with the status once the gated paths are open."""
        while True:
            status, headers, told = self.call(room, "enter")
            if status == 200 and told["in"]:
                return told
            if status == 200 and told["state"] == "over":
                raise RuntimeError(f"the place is over: {told.get('reason')}")
            if status == 200:
                self.wait(room, told)
            elif status in (429, 503):
                time.sleep(int(headers.get("Retry-After", "5")))
            elif status != 401:
                raise RuntimeError(f"{status}: {told}")

    def wait(self, room, told):
        """Asks how things are until they are other than waiting. Each question waits for a change by itself."""
        while told["state"] in ("waiting", "hall"):
            status, headers, told = self.call(room, "status?wait_s=20", "GET")
            if status != 200:
                time.sleep(int(headers.get("Retry-After", "5")))
                return


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--url", required=True, help="the site's address")
    flags.add_argument("--room", required=True)
    flags.add_argument("--then", nargs="*", default=[], help="requests once inside, such as 'POST /buy/order'")
    flags.add_argument("--leave", action="store_true", help="give the permit back at the end")
    flags.add_argument("--credentials", default="", help="those of an earlier run")
    asked = flags.parse_args()
    app = Baton(asked.url, asked.credentials, heard=lambda exchange: print(json.dumps(exchange), flush=True))
    app.enter(asked.room)
    for request in asked.then:
        method, path = request.split(" ", 1)
        app.send(method, path, body="" if method == "POST" else None)
    if asked.leave:
        app.call(asked.room, "leave")


if __name__ == "__main__":
    sys.exit(main())
