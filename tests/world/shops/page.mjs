// A product's page in docs/stacks/ as instructions. Each begins with a shop from nothing, and has the parts "1." to "4." and "Steps for find-permits". A
// block of `sh` is run, one after "Write `file`" is written, the room is the `toml` of part 3, and the last `sh` of part 4 serves the shop. What
// stands after "In Baton's folder:" is what the test does in its own way.

import { readFileSync } from "node:fs";
import { inRoot } from "../../../scripts/common.mjs";
import { tomlOf } from "../../../scripts/toml.mjs";

/** Returns the blocks of a page: `{ part, language, text, file, isBatons }`. */
export function blocksOf(page) {
  return page.split(/^## /m).flatMap((part, nth) => {
    const name = nth === 0 ? "" : part.split("\n")[0];
    return [...part.matchAll(/(?:^|\n)```(\w+)\n([^]*?)```/g)].map((block) => {
      const before = part.slice(0, block.index).trimEnd().split(/\n\n/).at(-1).replaceAll("\n", " ");
      return {
        part: name,
        language: block[1],
        text: block[2],
        file: /Write `([^`]+)`/.exec(before)?.[1],
        isBatons: /In Baton's folder:$/.test(before),
      };
    });
  });
}

/** Returns what to do for a shop: `{ make, prepare, serve, rooms, steps }`; the first two are blocks in their order. Throws if a page has no such part. */
export function instructionsOf(file) {
  const blocks = blocksOf(readFileSync(inRoot(file), "utf8")).filter(({ isBatons }) => !isBatons);
  const inPart = (...names) => blocks.filter(({ part }) => names.some((name) => part.startsWith(name)));
  const toDo = inPart("1.", "2.", "4.").filter(({ language, file: to }) => to || language === "sh");
  const room = inPart("3.").find(({ language }) => language === "toml");
  const steps = inPart("Steps for find-permits")[0];
  const serve = toDo.pop();
  if (!room || !steps || serve?.language !== "sh") throw new Error(`${file} lacks a room, steps, or how the shop is served`);
  return {
    make: blocks.filter(({ part, language, file: to }) => part === "" && (to || language === "sh")),
    prepare: toDo,
    serve: serve.text,
    rooms: tomlOf(file, room.text).vars.ROOMS,
    steps: steps.text,
  };
}
