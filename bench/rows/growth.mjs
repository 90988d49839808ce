// Growth: what an operation of the core costs with a thousand to two and a half million waiting, natively and as wasm, and the memory and the
// snapshot of such a line. Needs nothing but the core; `bench/plot.mjs` draws it.

import { buildCore, bytesOfWaiting, measureCore } from "../core.mjs";

/** The last length is `LINE_MAX`, less the joins that are measured. */
const LENGTHS = [1_000, 10_000, 100_000, 1_000_000, 2_500_000];
const OPERATIONS = {
  ahead: "how many are ahead",
  cycle: "call, claim and release",
  join: "a join, in batches",
  "list of a lobby": "the list of a lobby",
  "longest turn of a snapshot": "the longest turn of a snapshot",
  restart: "back from it and the pages",
  turn: "the usher's turn, three in ten away at the head",
};
const SIZES = { "snapshot bytes": "the snapshot without its pages", "book bytes": "keys and index" };

export const growth = {
  name: "growth",
  async begin() {
    await buildCore();
    return {
      steps: {},
      async rows() {
        const found = await measureCore(LENGTHS);
        const rows = found.flatMap(({ what, waiting, native_ns, wasm_ns, bytes }) => {
          const series = OPERATIONS[what] ?? SIZES[what];
          if (series === undefined) return [];
          const of = { waiting, series, what: line(series, waiting) };
          if (bytes !== undefined) return [{ ...of, value: bytes, unit: "bytes" }];
          return [{ ...of, value: wasm_ns, unit: "ns", ceiling: native_ns, ceiling_of: "native" }];
        });
        for (const waiting of LENGTHS)
          rows.push({ waiting, series: "wasm memory", what: line("wasm memory", waiting), value: await bytesOfWaiting(waiting), unit: "bytes" });
        return rows;
      },
    };
  },
};

const line = (what, waiting) => `${what}, ${waiting.toLocaleString("en")} waiting`;
