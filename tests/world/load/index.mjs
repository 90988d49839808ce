// `npm run check-world -- load`: what load tools say of a full room, where nobody comes in: as they come, with a browser's `Accept`, and by the line
// that makes each honest.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { build } from "../../../scripts/build.mjs";
import { run } from "../../../scripts/common.mjs";
import { installed, versionOf, withDebian, withNode, withPython } from "../install.mjs";
import { openRooms } from "../rooms.mjs";
import { chosen, writeTable } from "../table.mjs";
import { HEAD, LEFT_OUT, TOOLS, rowOf } from "./tools.mjs";

const PLAYS = ["plain", "html", "honest"];

/** Installs what a tool needs. Resolves to where it is, or throws. */
async function ready(name, { debian, npm, pip }, rooms) {
  await withDebian(debian);
  const home = path.join(rooms.folder, name);
  mkdirSync(home);
  return { home, npm: npm && (await installed(name, npm)), python: pip && (await withPython(name, pip)) };
}

/** Plays one tool. Resolves to what it says in each play. */
async function plays(name, tool, at, rooms) {
  const env = { ...withNode, HOME: at.home, ARTILLERY_DISABLE_TELEMETRY: "true" };
  const said = {};
  for (const play of PLAYS) {
    const room = `${name}-${play}`;
    const { command, says } = play === "honest" ? { ...tool, ...tool.honest } : tool;
    const holder = await rooms.holder(room);
    const [program, ...args] = command(rooms.page("http", room), play === "html", at);
    const { text } = await run(program, args, { quiet: true, cwd: at.home, env });
    said[play] = says(text);
    if (process.env.BATON_TRACE) console.log(text);
    if (said[play].all === 0) throw new Error(`it said nothing in ${play}: ${text.slice(-2_000)}`);
    await holder.leave();
  }
  return said;
}

/** Plays. Resolves to whether each tool's honest line counts nobody who waits. `docs` writes the table. */
export async function check({ names, docs }) {
  const asked = chosen(TOOLS, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  const rooms = await openRooms(asked.flatMap(([name]) => PLAYS.map((play) => `${name}-${play}`)));
  const rows = [],
    leftOut = Object.entries(LEFT_OUT);
  try {
    for (const [name, tool] of asked) {
      try {
        const at = await ready(name, tool, rooms);
        rows.push(rowOf(name, versionOf(tool), await plays(name, tool, at, rooms)));
        console.log(rows.at(-1).join(" | "));
      } catch (error) {
        leftOut.push([name, error.message.split("\n")[0]]);
      }
    }
  } finally {
    await rooms.stop();
  }
  if (docs) writeTable("docs/rehearsal.md", "load", HEAD, rows, Object.keys(TOOLS));
  for (const [name, why] of leftOut) console.log(`left out: ${name}: ${why}`);
  return rows.every((row) => row.at(-1) === "none");
}
