#!/usr/bin/env bash
# The package that PyPI calls uuid7 makes ids that say version 7 and lie 176 years ahead: sorted beside others' they are all last.
#
# Guessed:  a UUID whose version is 7 begins with 48 bits of Unix milliseconds (RFC 9562, 5.7), whoever made it; sorted as text, ids of two services
#           stand in the order of their time, to the millisecond.
# Happens:  uuid7 0.1.0 follows an early draft: seconds in the first 36 bits. The version's digit is 7 all the same. Read as the RFC says, its ids are
#           4.096 times as far from 1970 as they should be: in 2026 that is 176 years ahead. uuid6 and uuid-utils, and uuid of npm, follow the RFC.
# Matters:  a shop whose orders are numbered by one service in Python and one in Node and that serves them "in the order of their ids" serves everybody of
#           the one before anybody of the other. Take one maker, and check its first 48 bits once.
# Versions: uuid7 0.1.0, uuid6 2025.0.1, uuid-utils 1.2.0 (PyPI), uuid 14.0.3 (npm).
# Seen on 2026-11-28 (the first 48 bits, by the Unix time in ms):
#   uuid7: version 7, 4.096 of the time
#   uuid6: version 7, 1.000 of the time
#   uuid-utils: version 7, 1.000 of the time
#   npm's uuid: version 7, 1.000 of the time
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target python uuid7==0.1.0 uuid6==2025.0.1 uuid-utils==1.2.0
npm install --silent --no-audit --no-fund uuid@14.0.3

cat > run.py <<'PY'
import subprocess, time, uuid
import uuid6, uuid_extensions, uuid_utils

node = subprocess.run(["node", "--input-type=module", "-e", "import { v7 } from 'uuid'; console.log(v7())"], capture_output=True, text=True, check=True)
made = [
    ("uuid7", uuid_extensions.uuid7()),
    ("uuid6", uuid6.uuid7()),
    ("uuid-utils", uuid_utils.uuid7()),
    ("npm's uuid", uuid.UUID(node.stdout.strip())),
]
for name, one in made:
    print(f"{name}: version {one.version}, {(one.int >> 80) / 1000 / time.time():.3f} of the time")
PY
PYTHONPATH=python python3 run.py | tee seen
diff seen - <<'EXPECTED'
uuid7: version 7, 4.096 of the time
uuid6: version 7, 1.000 of the time
uuid-utils: version 7, 1.000 of the time
npm's uuid: version 7, 1.000 of the time
EXPECTED
