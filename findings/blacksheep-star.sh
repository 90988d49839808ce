#!/usr/bin/env bash
# BlackSheep's route `/buy/*` also answers `/buyer`: the star takes what follows the letters, and needs no slash.
#
# Guessed:  `/buy/*` is `/buy/` with anything behind it, as in most routers; the slash is part of the pattern.
# Happens:  `/buyer`, `/buy-1` and `/buy.json` run the same handler, and get `er`, `-1` and `.json` for the star. `/buy/{path:rest}` takes none of them.
# Matters:  whoever guards `/buy/*` by path in front of such a shop guards less than the handler serves. Write the route with `{path:…}`, or guard `/buy*`.
# Versions: blacksheep 2.6.4, uvicorn 0.54.0 (PyPI).
# Seen on 2026-11-28:
#   star:  /buy/7 200 7, /buyer 200 er, /buy-1 200 -1, /buy.json 200 .json, /bus 404
#   path:  /pay/7 200 7, /payer 404, /pay-1 404, /pay.json 404, /pas 404
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check blacksheep==2.6.4 uvicorn==0.54.0

cat > run.py <<'PY'
import socket, threading, time, urllib.error, urllib.request
import uvicorn
from blacksheep import Application, Request, text

app = Application()

async def star(request: Request):
    return text(request.route_values["tail"])

async def path(rest: str):
    return text(rest)

app.router.add_get("/buy/*", star)
app.router.add_get("/pay/{path:rest}", path)

with socket.socket() as found:
    found.bind(("127.0.0.1", 0))
    port = found.getsockname()[1]
server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical"))
threading.Thread(target=server.run, daemon=True).start()
while not server.started:
    time.sleep(0.05)

def asked(target):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{target}") as answer:
            return f"{target} {answer.status} {answer.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{target} {error.code}"

for name, base, other in (("star", "buy", "bus"), ("path", "pay", "pas")):
    print(f"{name}: ", ", ".join(asked(target) for target in (f"/{base}/7", f"/{base}er", f"/{base}-1", f"/{base}.json", f"/{other}")))
PY
env/bin/python run.py | tee seen
diff seen - <<'EXPECTED'
star:  /buy/7 200 7, /buyer 200 er, /buy-1 200 -1, /buy.json 200 .json, /bus 404
path:  /pay/7 200 7, /payer 404, /pay-1 404, /pay.json 404, /pas 404
EXPECTED
