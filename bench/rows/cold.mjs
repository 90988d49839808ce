// A cold start: from the start of a process to its first answer. Baton runs beside an empty Rust worker, and beside the same worker that carries
// Baton's wasm and never calls it.

import { percentile } from "../lib/figures.mjs";
import { ask, OPEN, workerWasm } from "../lib/stage.mjs";

/** Starts of each kind in a round; the kinds take turns. */
const STARTS = 8;

/** Resolves to the time in ms from the start of a process to the answer to its first request. */
async function firstAnswer(start, path, headers) {
  const from = performance.now();
  const started = await start();
  await ask(started.port, path, headers);
  const ms = performance.now() - from;
  await started.stop();
  return ms;
}

export const cold = {
  name: "cold",
  async begin(stage) {
    const ways = {
      empty: () => firstAnswer(() => stage.coldCeilings(), "/empty"),
      carried: () => firstAnswer(() => stage.coldCeilings({ carrying: workerWasm() }), "/empty"),
      health: () => firstAnswer(() => stage.baton({ in: OPEN }, { isFed: false }), "/__baton/health"),
      open: () => firstAnswer(() => stage.baton({ in: OPEN }, { isFed: false }), "/open/page"),
    };
    return {
      steps: {
        async starts() {
          const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
          for (let i = 0; i < STARTS; i++) for (const [name, time] of Object.entries(ways)) times[name].push(await time());
          return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, percentile(all, 50)]));
        },
      },
      rows(of) {
        const [empty, carried, health, open] = ["empty", "carried", "health", "open"].map((name) => of("starts", name));
        return [
          {
            what: "from the start of a process to its first answer (health)",
            value: health,
            unit: "ms",
            ceiling: empty,
            ceiling_of: "an empty Rust worker",
          },
          { what: "the same, first request forwarded", value: open, unit: "ms", ceiling: empty, ceiling_of: "an empty Rust worker" },
          { what: "a new process: first answer, beyond an empty worker's", value: health - empty, unit: "ms", target: "≤ 15 ms" },
          { what: "the same of a worker that carries Baton's wasm and never calls it", value: carried - empty, unit: "ms" },
        ];
      },
    };
  },
};
