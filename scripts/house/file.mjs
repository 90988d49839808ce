// Reads a file of rooms for the house, as JSON (`{ "rooms": … }`) or TOML (`[rooms.spring]`). It knows the line of each room and key, so that every
// fault is named with its line. It judges the form alone; Baton says whether a room is a good one.

import { readFileSync } from "node:fs";
import { UserError } from "../common.mjs";
import { tomlOf } from "../toml.mjs";
import { checkPictures } from "./pictures.mjs";

const FORM =
  'Write {"rooms": {"spring": {"paths": ["/spring/*"], "permits": 200}}}, with null for a room that is to be deleted; or the same as TOML, [rooms.spring].';
const ROOM_NAME = /^[a-z0-9-]{1,32}$/;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Returns `{ name, wanted: { rooms, brands }, images, lineOf(problem) }`. Throws an error that says which file, which line, and what to write. */
export function readRooms(name) {
  const text = textOf(name);
  const isToml = name.endsWith(".toml");
  const value = isToml ? tomlOf(name, text, "; a file of JSON is named .json") : jsonOf(name, text);
  const lines = isToml ? linesOfToml(text) : linesOfJson(name, text);
  const at = (path) => `${name}${lines.has(path) ? `:${lines.get(path)}` : ""}`;
  if (!isTable(value) || !isTable(value.rooms)) throw new UserError(`${name}: there are no rooms in it. ${FORM}`);
  const other = Object.keys(value).find((key) => !["rooms", "brands", "images"].includes(key));
  if (other !== undefined) throw new UserError(`${at(other)}: "${other}" stands beside the rooms. ${FORM}`);
  for (const [part, none] of [
    ["rooms", "a room that is to be deleted"],
    ["brands", "a page as its table has it"],
  ]) {
    for (const [room, table] of Object.entries(value[part] ?? {})) {
      const place = at(`${part}.${room}`);
      if (!ROOM_NAME.test(room)) throw new UserError(`${place}: "${room}" is no name of a room. Write 1 to 32 of a-z, 0-9 and -.`);
      if (table !== null && !isTable(table))
        throw new UserError(`${place}: the room ${room} is ${JSON.stringify(table)}. Write its table, or null for ${none}.`);
    }
  }
  const { images = {}, ...wanted } = JSON.parse(JSON.stringify(value));
  checkPictures(images, at);
  return { name, wanted, images, lineOf: (problem) => lines.get(pathIn(problem)) };
}

const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns the path with which a problem begins, such as `rooms.spring.permits`. Of a longer path it returns the part that has a line in the file. */
const pathIn = (problem) => /^((?:rooms|brands)\.[a-z0-9-]+(?:\.\w+)?)/.exec(problem)?.[1];

function textOf(name) {
  try {
    return readFileSync(name, "utf8");
  } catch (error) {
    throw new UserError(`${name} cannot be read (${error.code}). Name a file of rooms; npm run house -- export --out FILE writes one.`);
  }
}

function jsonOf(name, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(
      `${name}:${lineAt(text, placeIn(error.message, text))}: this is not JSON: ${error.message}. Correct that line; a file of TOML is named .toml.`,
    );
  }
}

/** Returns where the parser stopped; the end of the text if the parser does not say. */
const placeIn = (message, text) => Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
const lineAt = (text, place) => text.slice(0, place).split("\n").length;

/** Returns path of each key -> line. Throws if a key stands twice: JSON would silently take the last one. O(bytes). */
function linesOfJson(name, text) {
  const lines = new Map();
  const path = [];
  let [key, line, from] = [undefined, 1, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    line += text.slice(from, index).split("\n").length - 1;
    from = index;
    if (token === "{" || token === "[") path.push(token === "{" ? key : undefined);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ":") {
      const whole = [...path.slice(1), key].join(".");
      if (!path.includes(undefined, 1) && lines.has(whole))
        throw new UserError(`${name}:${line}: "${key}" stands here twice, first in line ${lines.get(whole)}. Remove one of them.`);
      lines.set(whole, line);
    } else if (token.startsWith('"')) key = JSON.parse(token);
  }
  return lines;
}

/** Does the same for TOML, whose parser refuses keys that stand twice. */
function linesOfToml(text) {
  const lines = new Map();
  let table = "";
  for (const [at, line] of text.split("\n").entries()) {
    const header = /^\s*\[([^\]]+)\]/.exec(line)?.[1].replaceAll(/["'\s]/g, "");
    const key = /^\s*["']?([\w-]+)["']?\s*=/.exec(line)?.[1];
    if (header !== undefined) lines.set((table = header), at + 1);
    else if (key !== undefined) lines.set(table ? `${table}.${key}` : key, at + 1);
  }
  return lines;
}
