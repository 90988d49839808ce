#!/usr/bin/env bash
# date-fns-tz and @date-fns/tz, told a zone by name, place 02:30 of a night of 25 hours by the zone of the machine that they run on.
#
# Guessed:  "25 October 2026, 02:30 in Berlin" comes twice, and a library takes the earlier or the later; whichever it takes, it takes everywhere, since
#           the zone is named and the machine's own is not asked.
# Happens:  fromZonedTime and TZDate take the later one on some machines and the earlier one on others. dayjs, luxon and js-joda are each the same on all.
# Matters:  the shop on a server that keeps UTC and the countdown on a laptop in New York, one program with one configuration, open the sale an hour
#           apart. Write openings with their offset (2026-10-25T02:30:00+02:00), as every instant that two machines must agree on.
# Versions: date-fns-tz 3.2.0, @date-fns/tz 1.5.0, date-fns 4.4.0, dayjs 1.11.23, luxon 3.7.2, @js-joda/core 6.3.2, @js-joda/timezone 2.25.2 (npm).
# Seen on 2026-11-28 (the instant, in UTC):
#   TZ=UTC: date-fns-tz 01:30, @date-fns/tz 01:30, dayjs 01:30, luxon 01:30, js-joda 00:30
#   TZ=Europe/Berlin: date-fns-tz 01:30, @date-fns/tz 00:30, dayjs 01:30, luxon 01:30, js-joda 00:30
#   TZ=America/New_York: date-fns-tz 00:30, @date-fns/tz 01:30, dayjs 01:30, luxon 01:30, js-joda 00:30
#   TZ=Asia/Tokyo: date-fns-tz 01:30, @date-fns/tz 00:30, dayjs 01:30, luxon 01:30, js-joda 00:30
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund date-fns-tz@3.2.0 @date-fns/tz@1.5.0 date-fns@4.4.0 dayjs@1.11.23 luxon@3.7.2 @js-joda/core@6.3.2 @js-joda/timezone@2.25.2

cat > run.cjs <<'JS'
const { fromZonedTime } = require("date-fns-tz");
const { TZDate } = require("@date-fns/tz");
const dayjs = require("dayjs");
dayjs.extend(require("dayjs/plugin/utc"));
dayjs.extend(require("dayjs/plugin/timezone"));
const { DateTime } = require("luxon");
const joda = require("@js-joda/core");
require("@js-joda/timezone");
const [text, zone] = ["2026-10-25T02:30:00", "Europe/Berlin"];
const at = {
  "date-fns-tz": fromZonedTime(text, zone),
  "@date-fns/tz": new Date(+new TZDate(2026, 9, 25, 2, 30, 0, zone)),
  dayjs: dayjs.tz(text, zone).toDate(),
  luxon: DateTime.fromISO(text, { zone }).toJSDate(),
  "js-joda": new Date(joda.LocalDateTime.parse(text).atZone(joda.ZoneId.of(zone)).toInstant().toEpochMilli()),
};
console.log(`TZ=${process.env.TZ}: ${Object.entries(at).map(([name, date]) => `${name} ${date.toISOString().slice(11, 16)}`).join(", ")}`);
JS
for zone in UTC Europe/Berlin America/New_York Asia/Tokyo; do TZ=$zone node run.cjs; done | tee seen
diff seen - <<'EXPECTED'
TZ=UTC: date-fns-tz 01:30, @date-fns/tz 01:30, dayjs 01:30, luxon 01:30, js-joda 00:30
TZ=Europe/Berlin: date-fns-tz 01:30, @date-fns/tz 00:30, dayjs 01:30, luxon 01:30, js-joda 00:30
TZ=America/New_York: date-fns-tz 00:30, @date-fns/tz 01:30, dayjs 01:30, luxon 01:30, js-joda 00:30
TZ=Asia/Tokyo: date-fns-tz 01:30, @date-fns/tz 00:30, dayjs 01:30, luxon 01:30, js-joda 00:30
EXPECTED
