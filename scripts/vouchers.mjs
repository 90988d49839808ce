// `npm run invite`, `npm run codes`, `npm run staff`: who may come, from the command line. docs/invitations.md says what each is.
//
//   BATON_ADMIN_TOKEN=… npm run invite -- --room onsale --count 500 --out links.csv --url https://tickets.example.com/buy/
//
// Exit 0: done; 1: Baton refused; 2: it could not be asked, or wrong use.

import { openSync, closeSync, fstatSync, readFileSync, rmSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { UserError } from "./common.mjs";
import { callsAt, NotAsked } from "./house/calls.mjs";
import { codesOf, linkTo } from "../web/desk/sheet_says.js";
import { each, flag, text } from "./options.mjs";

const COMMON = `
  --room ROOM            Of which room
  --url URL              A gated address of it, such as https://tickets.example.com/buy/; links lead there
  --token FILE           A file with an operator's token (role operate); else BATON_ADMIN_TOKEN is the token
  --list                 Shows every sheet of the room: what it has, and how much of it was used
  --withdraw SHEET       Takes a sheet back: what was not used gives no place any more
  --help                 This text`;
const TERMS = `
  --lane LANE            The lane that they name; without it everybody's
  --valid-days DAYS      For how long they count: 1 to 90 (30)
  --not-before TIME      From when on, such as 2027-05-01T10:00:00Z; without it at once`;

const HELP = {
  invite: `npm run invite -- --room ROOM --count N --out FILE --url URL [flags]

Makes a sheet of invitations, links that are good for one place each, and writes them as CSV.

  --count N              How many: 1 to 100,000
  --out FILE             Where to write them: sheet, number, link. It must not be there yet
  --links SHEET          Makes no new sheet, and writes the links of this one again${TERMS}${COMMON}
`,
  codes: `npm run codes -- --room ROOM --file FILE --url URL [flags]

Gives Baton a sheet of codes, which visitors type. FILE has one a line, and behind a comma how many places it gives (1).
Baton keeps hashes only.

  --file FILE            The codes${TERMS}${COMMON}
`,
  staff: `npm run staff -- --room ROOM --name NAME --url URL [flags]

Makes a link by which one of the staff goes in without waiting. Your origin reads the name in Baton-Staff.

  --name NAME            1 to 16 of a-z, 0-9 and -
  --hours HOURS          For how long: 1 to 24 (8)
  --room ROOM            Of which room
  --url URL              A gated address of it; the link leads there
  --token FILE           A file with an operator's token (role operate); else BATON_ADMIN_TOKEN is the token
  --help                 This text
`,
};

const DAY_MS = 86_400_000;

/** Returns a whole number within bounds, or throws an error that says why not. */
export function whole(text, flag, least, most) {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new NotAsked(`--${flag} needs a whole number from ${least} to ${most}, not ${text}.`);
  return number;
}

/** Returns the terms of a sheet, from the flags. */
function termsOf({ lane, "valid-days": days = "30", "not-before": from }, now = Date.now()) {
  const fromMs = from === undefined ? 0 : Date.parse(from);
  if (Number.isNaN(fromMs)) throw new NotAsked(`--not-before needs a time such as 2027-05-01T10:00:00Z, not ${from}.`);
  const lasts = whole(days, "valid-days", 1, 90) * DAY_MS;
  return { ...(lane !== undefined && { lane }), from_at_ms: fromMs, ends_at_ms: Math.min(Math.max(fromMs, now) + lasts, now + 90 * DAY_MS) };
}

/** Reads the codes of a file, or throws an error that names the line. */
function codesIn(text) {
  const codes = codesOf(text);
  const bad = codes.find(({ code, uses }) => code === "" || Number.isNaN(uses));
  if (bad) throw new NotAsked(`--file, line ${bad.line}: write a code, and behind a comma how many places it gives, such as SUMMER-2027,3.`);
  return codes;
}

const when = (ms) => new Date(ms).toISOString().replace(".000Z", "Z");

/** Returns one sheet in a line. */
function sheetText({ sheet, invitations, codes, uses, used, lane, from_at_ms: from, ends_at_ms: ends }) {
  const what = invitations ? `${invitations.count} invitations` : `${codes.count} codes for ${uses} places`;
  return [
    `sheet ${sheet}`,
    what,
    `${used} used`,
    ...(lane ? [`lane ${lane}`] : []),
    ...(from > 0 ? [`from ${when(from)}`] : []),
    `until ${when(ends)}`,
  ].join(", ");
}

/** Makes the file for links. One that is there may hold those of another sheet, and is left alone. */
function created(out) {
  try {
    return openSync(out, "wx", 0o600);
  } catch (error) {
    if (error.code === "EEXIST") throw new NotAsked(`--out: ${out} is there already, and may hold the links of another sheet. Name another file.`);
    throw new NotAsked(`--out: ${out} cannot be made (${error.code}).`);
  }
}

/** Writes the links of a sheet, a page at a time, so that a file of 100,000 links is never in memory. Resolves to their number. */
async function writeLinks({ call, at, sheet, url, file }) {
  let number = 0;
  for (let from = 0; from !== null; ) {
    const { invitations, next } = await call(`${at}/sheets/${sheet}/invitations?from=${from}`);
    if (number === 0) writeSync(file, "sheet,number,link\n");
    writeSync(file, invitations.map((token) => `${sheet},${++number},${linkTo(url, token)}\n`).join(""));
    from = next;
  }
  return number;
}

async function invite({ call, at, values, url, say }) {
  const { out, links } = values;
  if (out === undefined) throw new NotAsked("--out needs a file that the links are written to.");
  const wanted = links === undefined ? { invitations: whole(values.count ?? "", "count", 1, 100_000), ...termsOf(values) } : null;
  const known = links === undefined ? null : whole(links, "links", 1, 2 ** 32 - 1);
  // Before the sheet, so that none is made whose links could not be written.
  const file = created(out);
  try {
    const made = wanted && (await call(`${at}/sheets`, { method: "POST", body: wanted }));
    if (made) say(sheetText(made));
    const sheet = made?.sheet ?? known;
    const written = await writeLinks({ call, at, sheet, url, file });
    say(`${out}: ${written} links of sheet ${sheet}. Anyone who has one can use it: keep the file as you would keep tickets.`);
  } finally {
    const isEmpty = fstatSync(file).size === 0;
    closeSync(file);
    if (isEmpty) rmSync(out);
  }
}

async function codes({ call, at, values, say }) {
  if (values.file === undefined) throw new NotAsked("--file needs a file with a code on each line.");
  const lines = codesIn(readText(values.file, "file"));
  const body = { codes: lines.map(({ code, uses }) => ({ code, uses })), ...termsOf(values) };
  const made = await call(`${at}/sheets`, { method: "POST", body }).catch((error) => {
    error.message = error.message.replace(/\bcodes\[(\d+)\]/g, (index, of) => (lines[of] ? `${values.file}, line ${lines[of].line}` : index));
    throw error;
  });
  say(sheetText(made));
}

async function staff({ call, at, values, url, say }) {
  const body = { name: values.name ?? "", hours: whole(values.hours ?? "8", "hours", 1, 24) };
  const { token, ends_at_ms: ends } = await call(`${at}/staff`, { method: "POST", body });
  say(`Good until ${when(ends)}, for whoever opens it:\n\n    ${linkTo(url, token)}\n`);
}

const COMMANDS = { invite, codes, staff };

function readText(file, flag) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new NotAsked(`--${flag}: ${file} cannot be read (${error.code}).`);
  }
}

const TEXTS = /** @type {const} */ ([
  "room",
  "url",
  "token",
  "lane",
  "valid-days",
  "not-before",
  "count",
  "out",
  "links",
  "file",
  "name",
  "hours",
  "withdraw",
]);

function readArguments(args, name) {
  try {
    return parseArgs({ args, options: { ...each(TEXTS, text), list: flag, help: flag } }).values;
  } catch (error) {
    throw new NotAsked(`${error.message} All flags: npm run ${name} -- --help`);
  }
}

/** @param {string[]} words */
async function main([name, ...args]) {
  const values = readArguments(args, name);
  const say = (line) => console.log(line);
  if (values.help) return say(HELP[name].trimEnd());
  if (values.room === undefined) throw new NotAsked("--room needs the room's name.");
  if (!URL.canParse(values.url) || !/^https?:$/.test(new URL(values.url).protocol))
    throw new NotAsked("--url needs a gated address of the room, such as --url https://tickets.example.com/buy/.");
  const token = values.token === undefined ? process.env.BATON_ADMIN_TOKEN : readText(values.token, "token").trim();
  if (!token) throw new NotAsked("Set BATON_ADMIN_TOKEN to an operator's token, or name a file that holds one with --token.");
  const url = new URL(values.url);
  const call = callsAt({ url, token });
  const at = `rooms/${encodeURIComponent(values.room)}`;
  if (values.list) {
    const { sheets } = await call(`${at}/sheets`);
    return say(sheets.map(sheetText).join("\n") || "The room has no sheets.");
  }
  if (values.withdraw !== undefined) {
    await call(`${at}/sheets/${whole(values.withdraw, "withdraw", 1, 2 ** 32 - 1)}`, { method: "DELETE" });
    return say(`Sheet ${values.withdraw} is withdrawn. Places that it gave stay.`);
  }
  return COMMANDS[name]({ call, at, values, url, say });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof UserError ? error.message : error);
    process.exitCode = error.status === undefined ? 2 : 1;
  }
}
