// Growth: what an operation of the core costs with a thousand waiting and with three million, natively and as wasm, and
// the memory and the snapshot of such a line. Needs nothing but the core; `bench/plot.mjs` draws it.

import { buildCore, bytesOfWaiting, measureCore } from "../core.mjs";

/** The last is `LINE_MAX`, less the joins that are measured. */
const LENGTHS = [1_000, 10_000, 100_000, 1_000_000, 2_800_000];
const OPERATIONS = { join: "a join, in batches", ahead: "how many are ahead", cycle: "call, claim and release", turn: "the usher's turn, three in ten away at the head", "snapshot and restore": "a snapshot and back" };

export const growth = {
  name: "growth",
  async begin() {
    await buildCore();
    return {
      steps: {},
      async rows() {
        const found = await measureCore(LENGTHS);
        const rows = found.flatMap(({ what, waiting, native_ns, wasm_ns, bytes }) => {
          const of = { waiting, series: OPERATIONS[what] ?? "the snapshot" };
          if (bytes !== undefined) return [{ ...of, what: line("the snapshot", waiting), value: bytes, unit: "bytes" }];
          return [{ ...of, what: line(OPERATIONS[what], waiting), value: wasm_ns, unit: "ns", ceiling: native_ns, ceiling_of: "native" }];
        });
        for (const waiting of LENGTHS) rows.push({ waiting, series: "wasm memory", what: line("wasm memory", waiting), value: await bytesOfWaiting(waiting), unit: "bytes" });
        return rows;
      },
    };
  },
};

const line = (what, waiting) => `${what}, ${waiting.toLocaleString("en")} waiting`;
