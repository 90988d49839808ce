// `npm run check-world -- clients`: every client without a browser, its plays, one table.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { build } from "../../../scripts/build.mjs";
import { inRoot } from "../../../scripts/common.mjs";
import { compiled, installed, versionOf, withDebian, withPython } from "../install.mjs";
import { openRooms } from "../rooms.mjs";
import { chosen, writeTable } from "../table.mjs";
import { CLIENTS, nameOf } from "./clients.mjs";
import { HEAD, rowOf } from "./judge.mjs";
import { entrance, patience } from "./play.mjs";

const HANDS = inRoot("tests", "world", "clients", "hands");

/** Installs what a client needs. Resolves to where it is, or throws. */
async function ready(key, client, rooms) {
  await withDebian(client.debian);
  const work = path.join(rooms.folder, key);
  mkdirSync(work);
  const at = { ca: rooms.ca, folder: HANDS, work };
  if (client.pip) at.python = path.join(await withPython(key, client.pip), "python");
  if (client.npm) at.npm = await installed(key, client.npm, { app: HANDS });
  if (client.crates) at.compiled = await compiled(key, path.join(HANDS, `${key}.rs`), client.crates);
  await client.prepare?.(at);
  return at;
}

/** Each play has a home of its own: no cookie of another is there. */
function homeOf(at, name) {
  const home = path.join(at.work, name);
  mkdirSync(home);
  return { ...at, home, jar: path.join(home, "jar") };
}

/** Plays all of a client. Resolves to `{ alone, http, https, waits }`. */
async function plays(key, client, at, rooms) {
  const enter = (name, mode, scheme) => entrance(client, mode, homeOf(at, name), { rooms, scheme, room: `${key}-${name}` });
  return {
    alone: client.needs ? await enter("alone", "alone", "http") : undefined,
    http: await enter("http", "kept", "http"),
    https: await enter("https", "kept", "https"),
    waits: await patience(client, homeOf(at, "waits"), { rooms, room: `${key}-waits` }),
  };
}

/** Plays. Resolves to whether each client that could be had keeps its place and comes in. `docs` writes the table. */
export async function check({ names, docs }) {
  const asked = chosen(CLIENTS, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  const rooms = await openRooms(asked.flatMap(([key]) => ["alone", "http", "https", "waits"].map((play) => `${key}-${play}`)));
  const rows = [],
    leftOut = [];
  try {
    for (const [key, client] of asked) {
      const at = await ready(key, client, rooms).catch((error) => void leftOut.push(`${nameOf(key)}: ${error.message.split("\n")[0]}`));
      if (!at) continue;
      const row = rowOf({ ...client, name: nameOf(key), version: versionOf(client) }, await plays(key, client, at, rooms));
      rows.push(row);
      console.log(row.filter(Boolean).join(" | "));
    }
  } finally {
    await rooms.stop();
  }
  if (docs) writeTable("docs/apps.md", "clients", HEAD, rows, Object.keys(CLIENTS).map(nameOf));
  for (const each of leftOut) console.log(`left out: ${each}`);
  return rows.every(([, , , http, https]) => http === "✓" && https === "✓");
}
