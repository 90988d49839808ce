// Restart with many waiting: workerd is killed and started, the feeder asks the room object how many wait, a lobby comes back and asks where one of its
// people stands, and then somebody new joins. Beside it the same with a room in which nobody was before. A third room has nothing but rows to replay, nearly as many as there can be.

import { DEAF, LINE } from "../lib/stage.mjs";
import { Line, requestText } from "../lib/line.mjs";

/** A snapshot is written every 1,000 rows: `ROWS_PER_SNAPSHOT` of src/journal/lib.rs. */
const ROWS_MAX = 1_000;
const BATCHES = 1_000;
/** So many rows follow the one at which the snapshot begins. Each writes a page of it, and with the last page it takes effect (src/journal/staged.rs). */
const ROWS_OF_SNAPSHOT = 40;
const TOGETHER = 8;

export const restart = {
  name: "restart",
  async begin(stage) {
    const { waiting } = stage.options;
    const baton = await stage.baton({ "fed-none": LINE, "fed-many": LINE, "fed-rows": LINE }, { wrapper: DEAF });
    await feed(baton, "fed-many", Math.ceil(waiting / BATCHES), BATCHES);
    await feed(baton, "fed-many", 1, ROWS_OF_SNAPSHOT);
    await feed(baton, "fed-rows", 1, ROWS_MAX - 50);
    const [many, rows] = [await baton.report("fed-many"), await baton.report("fed-rows")];
    const first = (room, before) => {
      let expected = before;
      return async () => {
        await baton.runtime.restart();
        const at = performance.now();
        const answer = await baton.feed(`/look/${room}`);
        const first_ms = performance.now() - at;
        if (Number(answer) !== expected) throw new Error(`${room}: ${expected} waited, after the restart ${answer}`);
        if (expected > 0 && !(Number(await baton.feed(`/held/${room}`)) > 0)) throw new Error(`${room}: nobody holds a number`);
        const held_ms = performance.now() - at;
        await baton.feed(`/feed/${room}/1`);
        expected += 1;
        return { first_ms, held_ms, joined_ms: performance.now() - at };
      };
    };
    // Each figure includes the start of the feeder itself, which is the same in all of them.
    return {
      steps: { none: first("fed-none", 0), many: first("fed-many", many.waiting), rows: first("fed-rows", rows.waiting) },
      rows(of) {
        const [none, with_many, with_rows] = ["none", "many", "rows"].map((step) => of(step, "first_ms"));
        return [
          { what: "the first answer after a start, nobody waiting", value: none, unit: "ms" },
          {
            what: `${many.waiting.toLocaleString("en")} waiting, ${many.version % ROWS_MAX} rows to replay: so much later`,
            value: with_many - none,
            unit: "ms",
            target: "≤ 20 ms",
          },
          {
            what: "the same until a lobby has its list and knows where a held number stands",
            value: of("many", "held_ms") - of("none", "held_ms"),
            unit: "ms",
            target: "≤ 20 ms",
          },
          {
            what: "the same until somebody new has joined too",
            value: of("many", "joined_ms") - of("none", "joined_ms"),
            unit: "ms",
            target: "≤ 60 ms",
          },
          {
            what: `${rows.waiting} waiting, ${rows.version % ROWS_MAX} rows to replay (${ROWS_MAX} at most): so much later`,
            value: with_rows - none,
            unit: "ms",
          },
        ];
      },
    };
  },
};

/** Feeds the room `batches` batches of `joins` joins each. */
async function feed(baton, room, joins, batches) {
  const port = Number(new URL(baton.feederUrl).port);
  let left = batches;
  const work = async () => {
    const line = await Line.open(port);
    while (left-- > 0) {
      const { status, body } = await line.send(requestText("GET", `/feed/${room}/${joins}`, { host: `127.0.0.1:${port}` }));
      if (status !== 200) throw new Error(`a batch was answered ${status} ${body}`);
    }
    line.close();
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}
