// The pure core by itself, natively and as wasm: bench/core.mjs measures, this file judges. The ceiling of the wasm is the native build.

import { buildCore, bytesOfDraw, bytesPerWaiting, measureCore } from "../core.mjs";

const WAITING = 1_000_000;
/** `HALL_MAX` of src/facts/limits.rs. */
const ENTRIES = 1_500_000;
const M = 1_000;

export const core = {
  name: "core",
  async begin() {
    await buildCore();
    return {
      steps: {},
      /** Long because it has a row for each figure. */
      async rows() {
        const found = new Map((await measureCore([WAITING])).map((each) => [each.what, each]));
        const { join, ahead, cycle, batch, turn } = Object.fromEntries(found);
        const { restart } = Object.fromEntries(found);
        const snapshot = found.get("longest turn of a snapshot");
        const list = found.get("list of a lobby");
        const joins = found.get("join after a restart");
        const slice = found.get("longest slice of the index");
        const longest = found.get("longest turn of 1,000 joins");
        const book = found.get("book bytes");
        const native = { ceiling_of: "native" };
        return [
          { what: "core, a million waiting: joins in batches of 1,000", value: M / join.native_ns, unit: "M/s", target: "≥ 4.5 M/s" },
          { what: "the same as wasm", value: M / join.wasm_ns, unit: "M/s", ceiling: M / join.native_ns, ...native, target: "≥ 0.333×" },
          {
            what: "a batch of 1,000 joins as wasm, from its bytes to its row and its answer",
            value: batch.wasm_ns,
            unit: "µs",
            ceiling: batch.native_ns,
            ...native,
          },
          { what: "core: how many are ahead", value: ahead.native_ns, unit: "ns", target: "≤ 100 ns" },
          { what: "the same as wasm", value: ahead.wasm_ns, unit: "ns", ceiling: ahead.native_ns, ...native, target: "≤ 3×" },
          { what: "core: call, claim and release", value: M / cycle.native_ns, unit: "M/s", target: "≥ 3 M/s" },
          { what: "the same as wasm", value: M / cycle.wasm_ns, unit: "M/s", ceiling: M / cycle.native_ns, ...native, target: "≥ 0.333×" },
          {
            what: "the usher's turn: 300,000 away at the head, 100,000 of them over, 100 calls",
            value: turn.wasm_ns / 1e6,
            unit: "ms",
            ceiling: turn.native_ns / 1e6,
            ...native,
            target: "≤ 1 ms",
          },
          {
            what: "the longest of 200 turns of 1,000 joins each",
            value: longest.wasm_ns / 1e6,
            unit: "ms",
            ceiling: longest.native_ns / 1e6,
            ...native,
            target: "≤ 1 ms",
          },
          {
            what: "a lobby's list: 10,000 tickets of a million",
            value: list.wasm_ns / 1e6,
            unit: "ms",
            ceiling: list.native_ns / 1e6,
            ...native,
            target: "≤ 2 ms",
          },
          {
            what: "the longest turn of a snapshot of a million",
            value: snapshot.wasm_ns / 1e6,
            unit: "ms",
            ceiling: snapshot.native_ns / 1e6,
            ...native,
            target: "≤ 0.5 ms",
          },
          {
            what: "a room of a million comes back from its snapshot",
            value: restart.wasm_ns / 1e6,
            unit: "ms",
            ceiling: restart.native_ns / 1e6,
            ...native,
            target: "≤ 100 ms",
          },
          {
            what: "the first join of a new key after that",
            value: joins.wasm_ns / 1e6,
            unit: "ms",
            ceiling: joins.native_ns / 1e6,
            ...native,
            target: "≤ 5 ms",
          },
          {
            what: "the longest slice of its index",
            value: slice.wasm_ns / 1e6,
            unit: "ms",
            ceiling: slice.native_ns / 1e6,
            ...native,
            target: "≤ 2 ms",
          },
          { what: "keys, tags and index a waiting visitor", value: book.bytes / book.waiting, unit: "bytes", target: "≤ 30 bytes" },
          { what: "wasm memory a waiting visitor", value: await bytesPerWaiting(WAITING), unit: "bytes", target: "≤ 30 bytes" },
          // An object has 128 MB, and the worker's code and JavaScript take some of it.
          {
            what: `wasm memory of a draw of ${ENTRIES.toLocaleString("en")} accounts`,
            value: (await bytesOfDraw(ENTRIES)) / 1e6,
            unit: "MB",
            target: "≤ 110 MB",
          },
        ];
      },
    };
  },
};
