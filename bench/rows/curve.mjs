// Batches that grow with the load: joins are offered at rising rates, up to what this machine can do and beyond. At every rate nobody may get an
// error, no join may be lost, and nobody may be overtaken.

import { readdirSync } from "node:fs";
import path from "node:path";
import { isWhole, median, overtaken, percentile, round } from "../lib/figures.mjs";
import { joinAtRate } from "../lib/openloop.mjs";
import { LINE, cpuSeconds } from "../lib/stage.mjs";

/** Joins offered a second. */
const RATES = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400];
const CONNECTIONS = 1_000;
/** Most joins at one rate: there are two lobbies, and each takes 16,000. */
const JOINS_MAX = 20_000;
const room = (rate) => `offered-${rate}`;

export const curve = {
  name: "curve",
  async begin(stage) {
    const { seconds } = stage.options;
    const dataDir = stage.temporaryFolder();
    const baton = await stage.baton(Object.fromEntries([room(0), ...RATES.map(room)].map((name) => [name, { ...LINE, crowd: 20_000 }])), { dataDir });
    const entries = [];
    return {
      steps: {},
      async rows() {
        await offer(baton, room(0), RATES[0], 1); // warms up
        const seen = [];
        for (const rate of RATES) {
          process.stderr.write(`curve: ${rate} joins/s offered\n`);
          seen.push(await offer(baton, room(rate), rate, Math.min(seconds, JOINS_MAX / rate)));
        }
        await baton.stop();
        const rows = await rowsWritten(dataDir);
        for (const { rate, figures } of seen) entries.push(entryOf(rate, figures, rows.get(room(rate))));
        const total = (of) => seen.reduce((sum, { figures }) => sum + of(figures), 0);
        const best = Math.max(...seen.map(({ figures }) => figures.per_s));
        return [
          { what: "joins answered a second at most, offered as a crowd does", value: best, unit: "joins/s" },
          { what: "the most joins to a row of the room", value: Math.max(...entries.map((entry) => entry["joins a batch"])) },
          {
            what: `errors among ${total(({ count }) => count)} joins, up to ${round(RATES.at(-1) / best)}× what it can do`,
            value: total(({ errors }) => errors),
            target: "= 0",
          },
          { what: "numbers that are missing or twice", value: total(({ whole }) => (whole ? 0 : 1)), target: "= 0" },
          { what: "visitors who were overtaken", value: total(({ overtaken: count }) => count), target: "= 0" },
          { what: "told to come again, and came", value: total(({ later }) => later) },
        ];
      },
      curve: () => entries,
    };
  },
};

async function offer(baton, name, rate, seconds) {
  const cookies = await baton.visitors(Math.ceil(rate * seconds));
  const cpu = cpuSeconds(baton.pid);
  const records = await joinAtRate({ port: baton.port, room: name, cookies, per_s: rate, connections: CONNECTIONS });
  const cpu_s = cpuSeconds(baton.pid) - cpu;
  const good = records.filter(({ status }) => status === 201);
  const { next_number, waiting } = await baton.report(name);
  const times = records.map(({ due, answered }) => answered - due);
  const took_s = (Math.max(...records.map(({ answered }) => answered)) - Math.min(...records.map(({ due }) => due))) / 1000;
  return {
    rate,
    figures: {
      count: records.length,
      per_s: records.length / took_s,
      p50_ms: median(times),
      p99_ms: percentile(times, 99),
      cpu_s,
      errors: records.length - good.length,
      later: records.filter(({ later }) => later > 0).length,
      overtaken: overtaken(good),
      whole: isWhole(good.map(({ number }) => number)) && next_number - 1 === good.length && waiting === good.length,
    },
  };
}

const entryOf = (rate, { count, per_s, p50_ms, p99_ms, cpu_s }, { room: inRoom, lobbies }) => ({
  "offered a second": rate,
  "answered a second": round(per_s),
  "joins a batch": round(count / inRoom),
  "p50 ms": round(p50_ms),
  "p99 ms": round(p99_ms),
  "CPU ms a join": round((cpu_s * 1000) / count),
  "rows of the room": inRoom,
  "rows of the lobbies": lobbies,
});

/** Resolves to the rows ever written, by room. They are read from the objects' files after Baton has closed them. */
async function rowsWritten(dataDir) {
  const { DatabaseSync } = await import("node:sqlite");
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"),
  );
  const found = new Map();
  for (const file of files) {
    const database = new DatabaseSync(path.join(dataDir, file), { readOnly: true });
    const name = Object.fromEntries(
      database
        .prepare("SELECT part, value FROM name")
        .all()
        .map(({ part, value }) => [part, value]),
    );
    // A lobby keeps no journal.
    const hasJournal = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'journal'").get() !== undefined;
    const rows = (hasJournal && database.prepare("SELECT max(version) AS rows FROM journal").get().rows) || 0;
    database.close();
    const counts = found.get(name.room) ?? { room: 0, lobbies: 0 };
    counts[name.lobby === undefined ? "room" : "lobbies"] += rows;
    found.set(name.room, counts);
  }
  return found;
}
