/*
 * Repeats a room's last draw from what the room tells everybody. It trusts nothing but SHA-256.
 *
 *   npm run check-draw -- https://tickets.example.com onsale [--lane NAME] [entry …]
 *   npm run check-draw -- draw.json [--lane NAME] [entry …]
 */

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { drawAgain } from "../web/draw/order.js";

/** Resolves to what the address or the file says of the draw, and to the entries that are asked for. */
async function told(args) {
  const [where] = args;
  if (!/^https?:/.test(where ?? "")) return [JSON.parse(await readFile(where, "utf8")), args.slice(1)];
  const [, room, ...entries] = args;
  const answer = await fetch(new URL(`/__baton/${room}/draw`, where), { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}. Cure: see that the site and the room are spelt as in the page's address`);
  return [await answer.json(), entries];
}

/** Splits the arguments into the name after `--lane`, which may stand anywhere, and the rest. */
function laneIn(args) {
  const at = args.indexOf("--lane");
  if (at < 0) return [undefined, args];
  if (!args[at + 1]) throw new Error("--lane names no lane. Cure: npm run check-draw -- https://tickets.example.com onsale --lane members");
  return [args[at + 1], args.toSpliced(at, 2)];
}

/** Returns what the room tells of a lane; without a name, of everybody's. */
function drawsOf({ lanes = [], ...draws }, name) {
  if (name === undefined) return draws;
  const lane = lanes.find((one) => one.name === name);
  if (!lane)
    throw new Error(
      `the room ${draws.room} has no lane ${name}. Cure: ${lanes.length > 0 ? `name one of ${lanes.map((one) => one.name).join(", ")}` : "leave --lane out, it has one line"}`,
    );
  return lane;
}

export async function check(args, say = console.log) {
  if (args.length === 0)
    throw new Error("nothing to check. Cure: name a site and a room, or a file: npm run check-draw -- https://tickets.example.com onsale");
  const [lane, rest] = laneIn(args);
  const [draws, entries] = await told(rest);
  const { last } = drawsOf(draws, lane);
  const room = lane === undefined ? `room ${draws.room}` : `room ${draws.room}, lane ${lane}`;
  if (!last) throw new Error(`the ${room} has not drawn yet. Cure: try again after its opening`);
  const { kept, count, numbers } = await drawAgain(last);
  say(`${room}: ${last.draw}, ${count} entries got the numbers ${last.first_number} to ${last.first_number + count - 1}`);
  say(
    kept ? `the seed is the one that was committed to: ${last.commitment}` : `WRONG: the seed does not fit what was committed to: ${last.commitment}`,
  );
  for (const entry of entries) {
    const number = numbers.get(Number(entry));
    say(number ? `entry ${entry} got number ${number}` : `entry ${entry} took no part`);
  }
  return kept && count === last.count;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  check(process.argv.slice(2)).then(
    (right) => {
      process.exitCode = right ? 0 : 1;
    },
    (error) => {
      console.error(`check-draw: ${error.message}`);
      process.exitCode = 2;
    },
  );
}
