// Joins: in batches of a hundred and a thousand through one real room object, and by HTTP through front, lobby and room. The ceiling of both is an
// object that inserts one row for each request. Afterwards the room is asked whether it has every number that it gave out.

import { load, loadEach } from "../lib/load.mjs";
import { DEAF, LINE } from "../lib/stage.mjs";

const BATCHES = [100, 1_000];
/** The crowd of a room with one lobby, and of one with two. A lobby takes at most 16,000. */
const CROWDS = { one: 10_000, two: 20_000 };
/** More than can join in a round, so a lobby is never full. */
const JOINS_PER_ROUND_MAX = 15_000;

export const joins = {
  name: "joins",
  async begin(stage) {
    const { rounds, seconds, connections } = stage.options;
    const often = { connections, seconds };
    const ceilings = await stage.ceilings();
    // Each round has rooms of its own, which are empty.
    const roundsWithWarmUp = Array.from({ length: rounds + 1 }, (_, round) => round);
    const fed = (size, round) => `fed-${size}-${round}`;
    const joined = (crowd, round) => `by-http-${crowd}-${round}`;
    const rooms = roundsWithWarmUp.flatMap((round) => [
      ...BATCHES.map((size) => [fed(size, round), LINE]),
      ...Object.entries(CROWDS).map(([name, crowd]) => [joined(name, round), { ...LINE, crowd }]),
    ]);
    const baton = await stage.baton(Object.fromEntries(rooms), { wrapper: DEAF });

    const batches = (size) => async (round) => {
      const figures = await load(`${baton.feederUrl}/feed/${fed(size, round)}/${size}`, often);
      await holds(baton, fed(size, round), figures.count * size, connections * size);
      return { ...figures, joins_per_s: figures.per_s * size };
    };
    const byHttp = (crowd, together) => async (round) => {
      const room = joined(crowd, round);
      const cookies = await baton.visitors(JOINS_PER_ROUND_MAX);
      const before = (await baton.report(room)).version;
      const figures = await loadEach(`${baton.url}/__baton/${room}/join`, { cookies, good: 201, connections: together, seconds });
      const { version, next_number } = await baton.report(room);
      // Thousands without a socket would become away one after the other, and burden the next measurement.
      await baton.reset(room);
      return { ...figures, per_row: (next_number - 1) / (version - before) };
    };
    return {
      steps: {
        count: () => load(`${ceilings.url}/count`, often),
        insert: () => load(`${ceilings.url}/insert`, often),
        ...Object.fromEntries(BATCHES.map((size) => [`batch_${size}`, batches(size)])),
        insert_many: () => load(`${ceilings.url}/insert`, { connections: connections * 4, seconds }),
        http_one: byHttp("one", connections * 4),
        http_two: byHttp("two", connections * 4),
      },
      rows(of) {
        const insert = { ceiling: of("insert", "per_s"), ceiling_of: "one insert a request" };
        const many = { ceiling: of("insert_many", "per_s"), ceiling_of: "one insert a request" };
        const n = connections * 4;
        return [
          { what: "joins through one room, batches of 100", value: of("batch_100", "joins_per_s"), unit: "joins/s", ...insert, target: "≥ 60×" },
          { what: "the same, batches of 1,000", value: of("batch_1000", "joins_per_s"), unit: "joins/s", ...insert, target: "≥ 400×" },
          {
            what: "a batch of 1,000 through the room, p50",
            value: of("batch_1000", "p50_ms"),
            unit: "ms",
            ceiling: of("insert", "p50_ms"),
            ceiling_of: "one insert",
          },
          { what: `joins by HTTP, one lobby, ${n} at once`, value: of("http_one", "per_s"), unit: "joins/s", ...many, target: "≥ 1.2×" },
          { what: "the same, two lobbies", value: of("http_two", "per_s"), unit: "joins/s", ...many, target: "≥ 1.2×" },
          {
            what: "the same, p99 of one lobby",
            value: of("http_one", "p99_ms"),
            unit: "ms",
            ceiling: of("insert_many", "p99_ms"),
            ceiling_of: "one insert",
          },
          { what: "joins to a row of the room, one lobby", value: of("http_one", "per_row") },
          {
            what: "worker → object that inserts one row",
            value: of("insert", "per_s"),
            unit: "requests/s",
            ceiling: of("count", "per_s"),
            ceiling_of: "an object that only counts",
          },
        ];
      },
    };
  },
};

/** Throws unless the room has every number that it gave out. The requests that wrk cut off at its end may count or not. */
async function holds(baton, room, answered, cutOffMax) {
  const { next_number, waiting } = await baton.report(room);
  const issued = next_number - 1;
  if (issued !== waiting || issued < answered || issued > answered + cutOffMax)
    throw new Error(`${room}: ${answered} joins were answered, the room gave out ${issued} numbers and holds ${waiting}`);
}
