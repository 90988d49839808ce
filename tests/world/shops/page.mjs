// A product's page in docs/stacks/ as instructions. Each begins with a shop from nothing, and has the parts "1." to "4." and "Steps for find-permits". A
// block of `sh` is run, one after "Write `file`" is written, the room is the `toml` of part 3, and the last `sh` of part 4 serves the shop. What
// stands after "In Baton's folder:" is what the test does in its own way. A block that is none of these is an error: nobody would follow it.

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
        file: /\bwrite `([^`]+)`/i.exec(before)?.[1],
        isBatons: /In Baton's folder:$/.test(before),
      };
    });
  });
}

const isDone = ({ file, language }) => file !== undefined || language === "sh";

/** Returns what a page says to do for a shop: `{ make, prepare, serve, rooms, steps }`; the first two are blocks in their order. Throws if a block is left over. */
export function instructionsIn(page, name) {
  const blocks = blocksOf(page).filter(({ isBatons }) => !isBatons);
  const inPart = (...names) => blocks.filter(({ part }) => names.some((each) => part.startsWith(each)));
  const make = blocks.filter(({ part }) => part === "").filter(isDone);
  const toDo = inPart("1.", "2.", "4.").filter(isDone);
  const room = inPart("3.").find(({ language }) => language === "toml");
  const [steps] = inPart("Steps for find-permits");
  const left = blocks.find((each) => ![...make, ...toDo, room, steps].includes(each));
  if (left) throw new Error(`${name}: nobody would follow the block of ${left.language} in "${left.part}": ${left.text.split("\n")[0]}`);
  const serve = toDo.pop();
  if (!room || !steps || serve?.language !== "sh") throw new Error(`${name} lacks a room, steps, or how the shop is served`);
  return { make, prepare: toDo, serve: serve.text, rooms: tomlOf(name, room.text).vars.ROOMS, steps: steps.text };
}

export const instructionsOf = (file) => instructionsIn(readFileSync(inRoot(file), "utf8"), file);
