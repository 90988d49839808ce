#!/usr/bin/env bash
# A refused ask for several uses up what was left: the fixed window of limits (PyPI) counts before it looks.
#
# Guessed:  who asks for four while two are left is refused and takes nothing, so whoever asks for one after that gets it.
# Happens:  FixedWindowRateLimiter of limits 5.8.0 adds the four and then compares: the two left are gone until the window ends.
#           The sliding and the moving window of the same library take nothing when they refuse.
# Matters:  a family of four that is refused shuts the window for all who come alone, and places that nobody took stay empty until it ends.
# Versions: limits 5.8.0 (PyPI), Python 3.11.
# Seen on 2026-11-29:
#   FixedWindow: eight of ten True, four False, one False
#   SlidingWindowCounter: eight of ten True, four False, one True
#   MovingWindow: eight of ten True, four False, one True
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'rm -rf "$folder"' EXIT
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check limits==5.8.0

cat > line.py <<'PY'
from limits import parse, storage, strategies

for name in ("FixedWindow", "SlidingWindowCounter", "MovingWindow"):
    line = getattr(strategies, f"{name}RateLimiter")(storage.MemoryStorage())
    eight, four, one = [line.hit(parse("10/day"), "sale", cost=cost) for cost in (8, 4, 1)]
    print(f"{name}: eight of ten {eight}, four {four}, one {one}")
PY
env/bin/python line.py | tee seen
diff seen - <<'EXPECTED'
FixedWindow: eight of ten True, four False, one False
SlidingWindowCounter: eight of ten True, four False, one True
MovingWindow: eight of ten True, four False, one True
EXPECTED
