// `npm run house`: rooms that come and go without a deploy, from the command line. docs/house.md says what the house is.
//
//   BATON_ADMIN_TOKEN=… npm run house -- plan rooms.toml --url https://tickets.example.com
//   npm run house -- --help
//
// A command that changes something shows it first and asks, unless --yes is given. It changes the very house that was shown, or nothing. Exit 0:
// done, or could be done; 1: refused, or not wanted; 2: it could not be asked, or wrong use.

import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { UserError } from "./common.mjs";
import { exportJournal, journalPages } from "./export.mjs";
import { csvOf } from "../web/desk/done.js";
import { roomSettings } from "./flags.mjs";
import { houseAt, NotAsked } from "./house/calls.mjs";
import { readRooms } from "./house/file.mjs";
import { bring, newTo, picturesOf, without } from "./house/pictures.mjs";
import { listText, planText, rowText } from "./house/text.mjs";
import { nearest } from "./nearest.mjs";
import { flag, text, texts } from "./options.mjs";

const HELP = `npm run house -- COMMAND [flags]

Rooms that come and go without a deploy. docs/house.md says what the house is.

  list                     The rooms of the house: state, permits, paths
  export [--out FILE]      Writes every room of the house as one JSON file, or prints it
  plan FILE                Shows what FILE would change, and changes nothing
  apply FILE               Shows it, asks, and does all of it or nothing
  clone ROOM NEW           Makes the room NEW like ROOM, of the house or of wrangler.toml, with what --set says
  delete ROOM              Deletes the room. It must be closed, and nobody may have a place. Its paths stay shut
  release ROOM             Releases the paths of a deleted room: requests for them go through ungated
  undo                     Takes the last change back
  operators                Who may operate beside those of wrangler.toml
  actions [--room ROOM]    Who did what when, in the house and the rooms of the file, or in ROOM; --out FILE, --since DATE
  journal [--out FILE]     What was changed and when; with --out as a file for the audit, gone on with at each call

  --url URL                The site's address, such as https://tickets.example.com
  --token FILE             A file with an operator's token; else BATON_ADMIN_TOKEN is the token
  --set KEY=VALUE          For clone: a setting of the new room, as often as needed; --set KEY=null leaves it at the default
  --format csv             For actions: a table for other programs; else JSON lines
  --yes                    Does not ask
  --help                   This text

FILE is JSON, {"rooms": {"spring": {"paths": ["/spring/*"], "permits": 200}, "old": null}}, or the same as TOML,
[rooms.spring]. A room that it does not name stays as it is; null deletes one. Beside the rooms may stand what their pages show,
"brands": {"spring": {"page_title": "…"}}, of rooms of wrangler.toml too, and the pictures of both, as export writes them.

Exit 0: done, or could be done. Exit 1: refused, or not wanted. Exit 2: it could not be asked, or wrong use.
`;
const SEE_HELP = "All commands: npm run house -- --help";

/** Command -> the words that follow it, and what it does with them. */
const COMMANDS = {
  list: { words: [], run: list },
  export: { words: [], run: exportRooms },
  plan: { words: ["FILE"], run: (asked, file) => plan(asked, file) },
  apply: { words: ["FILE"], run: (asked, file) => apply(asked, file) },
  clone: { words: ["ROOM", "NEW"], run: clone },
  delete: { words: ["ROOM"], run: (asked, room) => change(asked, room, "open", "archive") },
  release: { words: ["ROOM"], run: (asked, room) => change(asked, room, "archived", "release") },
  undo: { words: [], run: undo },
  operators: { words: [], run: operators },
  actions: { words: [], run: actions },
  journal: { words: [], run: journal },
};

/** Sorts a table by name. With each definition's keys sorted too, the same house gives the same file. */
const inOrder = (table) => Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns a house as a file that `apply` takes; a room that is over is null. `images`: the pictures that its pages show. */
function fileOf({ rooms, brands = {} }, images = {}) {
  const table = ({ definition, state }) => (state === "open" ? inOrder(definition) : null);
  const each = (of, read) => inOrder(Object.fromEntries(Object.entries(of).map(([name, one]) => [name, read(one)])));
  const file = {
    rooms: each(rooms, table),
    ...(Object.keys(brands).length > 0 && { brands: each(brands, inOrder) }),
    ...(Object.keys(images).length > 0 && { images }),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

async function list({ house, say }) {
  const { rooms } = await house.look();
  const text = listText(inOrder(rooms));
  say(text === "" ? "The house has no rooms yet." : text);
}

async function exportRooms({ house, out, say }) {
  const told = await house.look();
  const definitions = Object.fromEntries(Object.entries(told.rooms).map(([room, { definition }]) => [room, definition]));
  const file = fileOf(told, await picturesOf(house, { rooms: definitions, brands: told.brands }));
  if (out === undefined) return say(file.trimEnd());
  writeFileSync(out, file);
  say(`${out}: ${Object.keys(told.rooms).length} rooms, revision ${told.revision}`);
}

/**
 * Shows what `wanted`, rooms and brands, would change. Resolves to `{ seen, isGood, isSomething, pictures }`; `pictures` are those that it brings.
 * @param {{ house: ReturnType<typeof houseAt>, say: (text: string) => void, colours: boolean }} asked
 * @param {{ rooms: object, brands: object }} wanted
 * @param {{ name?: string, images?: object, lineOf?: (problem: string) => number | undefined }} [read] the file that says it
 */
async function shown(asked, wanted, { name: file, images, lineOf } = {}) {
  const told = await asked.house.look();
  const stay = Object.keys(told.rooms).filter((room) => !(room in wanted.rooms));
  const pictures = await newTo(asked.house, { ...wanted, images });
  const steps = await asked.house.plan(without(wanted, pictures));
  asked.say(planText(steps, { stay, file, lineOf, pictures, colours: asked.colours }));
  return { seen: steps.revision, isGood: steps.problems.length === 0, isSomething: steps.changes.length + pictures.length > 0, pictures };
}

async function plan(asked, file) {
  const read = readRooms(file);
  return (await shown(asked, read.wanted, read)).isGood ? 0 : 1;
}

const apply = (asked, file) => {
  const read = readRooms(file);
  return carryOut(asked, read.wanted, read);
};

async function carryOut(asked, wanted, read) {
  const { seen, isGood, isSomething, pictures } = await shown(asked, wanted, read);
  if (!isGood || !isSomething) return isGood ? 0 : 1;
  if (!(await asked.isWanted())) return 1;
  await bring(asked.house, pictures);
  asked.say(done(await asked.house.apply(wanted, seen)));
}

const done = ({ revision }) => `Done: revision ${revision}. It holds everywhere within five seconds.`;

/** Resolves to the table of a room: for a room of the house its definition, for one of the file the values in force. */
async function tableOf({ house, say }, told, room) {
  if (told.rooms[room] !== undefined) return told.rooms[room].definition;
  const { settings } = await house.room(room);
  const own = Object.entries(settings).filter(([key, { source }]) => source !== "default" && key !== "generation");
  const live = own.filter(([, { source }]) => source === "live").map(([key]) => key);
  if (live.length > 0) say(`${room} has live values, which the new room gets for good: ${live.join(", ")}`);
  return Object.fromEntries(own.map(([key, { value }]) => [key, value]));
}

async function clone(asked, room, name) {
  const told = await asked.house.look();
  if (told.rooms[name] !== undefined) throw new NotAsked(`There is a room ${name} already. Give another name, or change it with apply.`);
  const table = withSet(await tableOf(asked, told, room), asked.set);
  return carryOut(asked, { rooms: { [name]: table } });
}

/** Returns a table with `KEY=VALUE`s laid over it. A value is JSON if it can be read as such, else text; lists take several. */
export function withSet(table, pairs, settings = roomSettings()) {
  const given = {};
  for (const pair of pairs) {
    const [, key, text] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined) throw new NotAsked(`--set needs KEY=VALUE, such as --set permits=300, not "${pair}".`);
    if (settings[key] === undefined)
      throw new NotAsked(
        `--set ${key}: there is no such setting. Did you mean ${nearest(key, Object.keys(settings))}? docs/configuration.md has all of them.`,
      );
    const value = valueOf(text);
    const isList = settings[key].kind === "a list" && value !== null && !Array.isArray(value);
    given[key] = isList ? [...(given[key] ?? []), String(text)] : value;
  }
  return Object.fromEntries(Object.entries({ ...table, ...given }).filter(([, value]) => value !== null));
}

function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const WHAT = {
  archive: (room) => `- ${room} is deleted; its paths stay shut`,
  release: (room) => `- the paths of ${room} are released: requests for them go through ungated`,
};

/** Does `delete` or `release`, each to one room, which must be in `state`. */
async function change(asked, room, state, does) {
  const told = await asked.house.look();
  if (told.rooms[room] === undefined) {
    const close = nearest(room, Object.keys(told.rooms), 3);
    throw new NotAsked(
      `The house has no room ${room}.${close ? ` Did you mean ${close}?` : ""} npm run house -- list shows all; rooms of wrangler.toml change with a deploy.`,
    );
  }
  if (told.rooms[room].state !== state)
    throw new NotAsked(
      does === "archive"
        ? `The room ${room} is deleted already. Its paths stay shut until npm run house -- release ${room}.`
        : `The room ${room} is not deleted. npm run house -- delete ${room} comes first.`,
    );
  asked.say(WHAT[does](room));
  if (!(await asked.isWanted())) return 1;
  asked.say(done(await asked.house[does](room, told.revision)));
}

async function undo(asked) {
  const told = await asked.house.look();
  if (told.undo.length === 0) throw new NotAsked("There is no change that could be undone.");
  asked.say(planText({ changes: told.undo, problems: [] }, asked));
  if (!(await asked.isWanted())) return 1;
  asked.say(done(await asked.house.undo(told.revision)));
}

async function journal({ url, token, out, say }) {
  if (out !== undefined) {
    const { after, came } = await exportJournal({ url, token, out });
    return say(`${out}: ${came} rows${after > 0 ? ` after row ${after}` : ""}`);
  }
  for await (const page of journalPages({ url, token })) {
    const rows = page
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ version }) => version !== undefined);
    for (const row of rows) say(rowText(row));
  }
}

async function operators({ house, say }) {
  const { operators: told } = await house.look();
  if (told === undefined) throw new NotAsked("Only owners of all rooms see the operators: use a token with the role own for all rooms.");
  for (const [name, { role, rooms = [], email, ends_at: end, token }] of Object.entries(told)) {
    const where = rooms.length > 0 ? rooms.join(", ") : "all rooms";
    say([name, role, where, token && "token", email, end && `until ${end}`].filter(Boolean).join("  "));
  }
  if (Object.keys(told).length === 0) say("The house has no operators. docs/operators.md says how it gets some.");
}

/** Reads every page of each journal. Resolves to everything that was done, sorted by time, the newest first. */
async function everyAction({ house, room, since }) {
  const done = [];
  let asked = [{ room }];
  while (asked.length > 0) {
    const pages = await Promise.all(asked.map((one) => house.actions({ ...one, since })));
    const silent = pages.flatMap((page) => page.silent);
    if (silent.length > 0) throw new NotAsked(`No answer from ${silent.join(", ")}: the list would not be whole. Try again.`);
    done.push(...pages.flatMap((page) => page.actions));
    asked = pages.flatMap((page) => page.more);
  }
  return done.sort((a, b) => b.at_ms - a.at_ms);
}

async function actions({ house, room, since, format, out, say }) {
  const done = await everyAction({ house, room, since });
  const text = format === "csv" ? csvOf(done) : done.map((one) => `${JSON.stringify(one)}\n`).join("");
  if (out === undefined) return say(text.trimEnd());
  writeFileSync(out, text);
  say(`${out}: ${done.length} actions`);
}

/** Returns a date as Unix ms. */
function instantOf(text) {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new NotAsked(`--since needs a date, such as 2026-12-01 or 2026-12-01T09:00:00+09:00, not "${text}".`);
  return at;
}

function tokenOf(file) {
  if (file === undefined) return process.env.BATON_ADMIN_TOKEN || undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new NotAsked(`--token: ${file} cannot be read (${error.code}). Name a file that holds an operator's token.`);
  }
}

/** Asks at a terminal; without one only --yes is an answer. */
async function wanted(isYes) {
  if (isYes) return true;
  if (!process.stdin.isTTY) throw new NotAsked("Nothing was done: there is nobody to ask here. Say --yes.");
  const line = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await line.question("Do it? [y/N] ");
  line.close();
  return /^y(es)?$/i.test(answer.trim());
}

function readArguments(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        url: text,
        token: text,
        out: text,
        room: text,
        since: text,
        format: text,
        set: texts,
        yes: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new NotAsked(`${error.message}\n${SEE_HELP}`);
  }
}

/** Runs the command. Resolves to the exit code. */
async function main(args) {
  const {
    values,
    positionals: [name, ...words],
  } = readArguments(args);
  if (values.help) return void console.log(HELP.trimEnd());
  const command = Object.hasOwn(COMMANDS, name ?? "") ? COMMANDS[name] : undefined;
  if (!command)
    throw new NotAsked(
      name === undefined
        ? `Say what: ${Object.keys(COMMANDS).join(", ")}. ${SEE_HELP}`
        : `There is no command ${name}. Did you mean ${nearest(name, Object.keys(COMMANDS))}? ${SEE_HELP}`,
    );
  if (words.length !== command.words.length) throw new NotAsked(`Use: npm run house -- ${[name, ...command.words].join(" ")}`);
  if (!URL.canParse(values.url) || !/^https?:$/.test(new URL(values.url).protocol))
    throw new NotAsked("--url needs the site's address, such as --url https://tickets.example.com.");
  const token = tokenOf(values.token);
  if (!token) throw new NotAsked("Set BATON_ADMIN_TOKEN to an operator's token, or name a file that holds one with --token.");
  const url = new URL(values.url);
  const colours = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
  if (values.format !== undefined && !["csv", "json"].includes(values.format)) throw new NotAsked(`--format is csv or json, not "${values.format}".`);
  const asked = {
    url,
    token,
    room: values.room,
    since: instantOf(values.since),
    format: values.format,
    out: values.out,
    set: values.set ?? [],
    colours,
    house: houseAt({ url, token }),
    isWanted: () => wanted(values.yes),
    say: (line) => console.log(line),
  };
  return command.run(asked, ...words);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? 0;
  } catch (error) {
    const isOurs = error instanceof UserError;
    console.error(isOurs ? error.message : error);
    process.exitCode = error.status === undefined ? 2 : 1;
  }
}
