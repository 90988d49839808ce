// The command line of `npm start`: its own flags, and every setting of a room, read from the table in docs/configuration.md. That table is made from
// the schema (scripts/docs.mjs), and `npm test` checks that they agree.

import { readFileSync } from "node:fs";
import { inRoot, UsageError, UserError } from "./common.mjs";
import { nearest } from "./nearest.mjs";

const WHOLE = "a whole number";
const PORT_MAX = 65_535;
const RATE = "a number of at most three decimals";
const NAME = "a word";
const SWITCH = "a switch";
const WORD_OR_NO = "a word, or --no- before its name";
const LIST = "a list";
const STEPS = "a list of steps as JSON";
const TABLE = "a table as JSON";
/** For what is written as JSON: an example, and whether a value has that form. */
const AS_JSON = {
  [STEPS]: ['[{"at": "2026-12-01T10:00:00+09:00", "set": {"mode": "open"}}]', Array.isArray],
  [TABLE]: ['{"light": {"accent": "#1f6f66"}}', (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
};

/** From the schema's name of a type to what the command line takes. Everything else is text. */
const KINDS = {
  integer: WHOLE,
  seconds: WHOLE,
  milliseconds: WHOLE,
  number: RATE,
  switch: SWITCH,
  "false or word": WORD_OR_NO,
  patterns: LIST,
  hosts: LIST,
  origins: LIST,
  "date, dates": LIST,
  steps: STEPS,
  "colours by shade": TABLE,
  "texts by language": TABLE,
};
/** @type {Record<string, Setting>} */
const OWN = {
  port: { kind: WHOLE, fallback: "8787", meaning: "Where Baton listens; 0 takes any free port" },
  origin: { kind: NAME, fallback: "the demo shop", meaning: "The address of your own shop, such as `http://localhost:8000`" },
  origin_host: {
    kind: NAME,
    fallback: "origin",
    meaning: "The name by which your shop is asked: `origin`, its own, or `public`, the visitor's, for a shop that insists on it",
  },
  behind_proxy: { kind: SWITCH, fallback: "no", meaning: "A proxy in front ends TLS, and says `https` in `X-Forwarded-Proto` (docs/fronts.md)" },
  data: { kind: NAME, fallback: "a temporary folder", meaning: "A folder that keeps tickets, passes and secrets over restarts" },
  show: {
    kind: NAME,
    fallback: "nothing",
    meaning: "`sale` fills the house: 300 people come within three minutes, and a page opens that shows waiting page, desk and report side by side",
  },
  help: { kind: SWITCH, meaning: "This text" },
};
/** Shorter names for flags that people try often. */
const SHORT = { title: "page_title" };
const ROW = /^\| `(\w+)` \| ([^|]+) \| `?([^|]*?)`? \| ([^|]+) \| (?:live|deploy) \| (.+) \|$/gm;

const kebab = (name) => name.replaceAll("_", "-");

/** Returns every setting of a room: name -> `{ kind, fallback, range, meaning }`. */
export function roomSettings(text = readFileSync(inRoot("docs", "configuration.md"), "utf8")) {
  const rows = [...text.matchAll(ROW)].map(([, name, type, fallback, range, meaning]) => [
    name,
    { kind: KINDS[type] ?? NAME, fallback, range, meaning },
  ]);
  if (rows.length === 0) throw new UserError("docs/configuration.md has lost its table of settings. Cure: npm run docs");
  return Object.fromEntries(rows);
}

/**
 * A flag that stands for a setting of a room, or for one of OWN. The texts are Markdown.
 * @typedef {{ kind: string, fallback?: string, range?: string, meaning: string }} Setting
 */

/** Returns flag -> `{ name, kind, isOwn }`. */
function known(settings) {
  /** @returns {[string, { name: string, kind: string, isOwn: boolean }][]} */
  const of = (names, isOwn) => Object.entries(names).map(([name, { kind }]) => [kebab(name), { name, kind, isOwn }]);
  const all = new Map([...of(settings, false), ...of(OWN, true)]);
  for (const [flag, name] of Object.entries(SHORT)) all.set(flag, all.get(kebab(name)));
  return all;
}

/**
 * Reads `--permits 3 --no-walk-in --paths '/a/*' --paths '/b/*' --port=8787 …`. Returns what was given:
 * `{ own: { port, origin, origin_host, behind_proxy, data, show, help }, room: { permits, … } }`. Throws an error that names a wrong flag.
 */
export function parseFlags(args, settings = roomSettings()) {
  const flags = known(settings);
  const found = { own: {}, room: {} };
  const rest = [...args];
  while (rest.length > 0) {
    const [, flag, inline] = rest.shift().match(/^--([^=]+)(?:=(.*))?$/s) ?? [];
    const { name, kind, isOwn, value } = readFlag(flags, { flag, inline, rest });
    const into = isOwn ? found.own : found.room;
    into[name] = kind === LIST ? [...(into[name] ?? []), value] : value;
  }
  const { origin, origin_host: name } = found.own;
  if (name !== undefined && !["origin", "public"].includes(name)) throw new UsageError(`--origin-host takes origin or public, not "${name}".`);
  if (name === "public" && !origin) throw new UsageError("--origin-host public needs --origin, the address of your shop.");
  if (found.own.show !== undefined && found.own.show !== "sale") throw new UsageError(`--show takes sale, not "${found.own.show}".`);
  return found;
}

function readFlag(flags, { flag, inline, rest }) {
  if (flag === undefined) throw new UsageError("Every option is a flag such as --permits 3. All of them: npm start -- --help");
  const off = flag.startsWith("no-") ? flags.get(flag.slice(3)) : undefined;
  if ([SWITCH, WORD_OR_NO].includes(off?.kind) && inline === undefined) return { ...off, value: false };
  const found = flags.get(flag);
  if (!found) throw new UsageError(`Unknown flag --${flag}. Did you mean --${nearest(flag, [...flags.keys()])}? All of them: npm start -- --help`);
  if (found.kind === SWITCH) {
    if (inline !== undefined && !["true", "false"].includes(inline)) throw new UsageError(`--${flag} is ${SWITCH}: --${flag} or --no-${flag}.`);
    return { ...found, value: inline !== "false" };
  }
  const text = inline ?? rest.shift();
  if (text === undefined || (inline === undefined && text.startsWith("--"))) throw new UsageError(`--${flag} needs ${found.kind}.`);
  if (found.kind === WHOLE && !/^\d+$/.test(text)) throw new UsageError(`--${flag} needs ${WHOLE}, not "${text}".`);
  if (found.name === "port" && Number(text) > PORT_MAX) throw new UsageError(`--port needs a port from 0 to ${PORT_MAX}, not ${text}.`);
  if (found.kind === RATE && !/^\d+(\.\d{1,3})?$/.test(text)) throw new UsageError(`--${flag} needs ${RATE}, not "${text}".`);
  if (AS_JSON[found.kind]) return { ...found, value: parsed(flag, found.kind, text) };
  return { ...found, value: [WHOLE, RATE].includes(found.kind) ? Number(text) : text };
}

/** Parses a JSON value. The worker judges its content; here only its form matters. */
function parsed(flag, kind, text) {
  const [example, hasForm] = AS_JSON[kind];
  try {
    const value = JSON.parse(text);
    if (hasForm(value)) return value;
  } catch {
    // The error below says it.
  }
  throw new UsageError(`--${flag} needs ${kind}, such as '${example}', not "${text}".`);
}

/** Returns what `npm start -- --help` prints, with no line wider than `columns`. */
export function helpText({ settings = roomSettings(), columns = 100 } = {}) {
  const own = Object.entries(OWN).map(([name, of]) => entry(name, of, columns));
  const room = Object.entries(settings).map(([name, of]) => entry(name, of, columns));
  return [
    "npm start -- [flags]",
    "",
    ...wrapped("Builds Baton and runs it here, in front of a demo shop or of yours. Ctrl-C ends it.", columns),
    "",
    ...own,
    "",
    ...wrapped(
      "Settings of the first room, in place of those in wrangler.toml (before the demo shop it has 3 permits); dates, paths and hosts may be given several times:",
      columns,
    ),
    "",
    ...room,
    "",
    `Short: ${Object.entries(SHORT)
      .map(([flag, name]) => `--${flag} is --${kebab(name)}`)
      .join(", ")}.`,
  ].join("\n");
}

const VALUES = {
  [WHOLE]: " N",
  [RATE]: " N",
  [NAME]: " TEXT",
  [WORD_OR_NO]: " WORD",
  [LIST]: " TEXT",
  [STEPS]: " JSON",
  [TABLE]: " JSON",
  [SWITCH]: "",
};

function entry(name, /** @type {Setting} */ { kind, fallback, range, meaning }, columns) {
  const plain = (text) =>
    text
      .replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
      .replaceAll("`", "")
      .replaceAll("\\|", "|");
  const flag = kind === SWITCH && name !== "help" ? `--[no-]${kebab(name)}` : `--${kebab(name)}${VALUES[kind]}`;
  const facts = [
    range && kind !== SWITCH && plain(range),
    fallback && !['""', "[]", "{}", "required"].includes(fallback) && `else ${plain(fallback)}`,
  ].filter(Boolean);
  const text = `${plain(meaning)}.${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
  return [`  ${flag}`, ...wrapped(text, columns - 6).map((line) => `      ${line}`)].join("\n");
}

function wrapped(text, columns) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1).length + word.length + 1 > columns) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines;
}
