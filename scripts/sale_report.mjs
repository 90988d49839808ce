// `npm run report`: what happened in a sale, from the room's journal alone, as one HTML file and tables (docs/report.md).
//
//   BATON_ADMIN_TOKEN=… npm run report -- --room onsale --url https://tickets.example.com
//   npm run report -- --journal onsale.jsonl --public --yes        --help has all flags
//
// The journal is fetched as `npm run export` does and kept beside the report, so that both outlive the room's. The program (tools/src/report) counts;
// web/report/ makes pages and tables. Exit 0: done; 1: the journal is not sound, and the report says where; 2: it could not be made.

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { pageOf } from "../web/report/page.js";
import { tables } from "../web/report/tables.js";
import { LANGUAGES, languageOf } from "../web/report/text.js";
import { fail, UserError } from "./common.mjs";
import { exportJournal } from "./export.mjs";
import { flag, text, texts } from "./options.mjs";
import { compilePrograms, programFile } from "./programs.mjs";
import { prepare } from "./setup.mjs";

const LOCAL = "http://localhost:8787";
const [NOT_SOUND, BAD_INPUT] = [1, 2];
const HELP = `npm run report -- --room NAME [--url https://…] [flags]
npm run report -- --journal FILE [flags]

Makes the report after a sale from the journal alone: report.html, tables as CSV, and the journal itself.

  --room NAME       the room whose journal is fetched
  --url ADDRESS     where Baton answers (else ${LOCAL})
  --token FILE      a file with an operator's token; BATON_ADMIN_TOKEN does as well
  --journal FILE    a journal that was fetched before; nothing is asked of Baton
  --out DIR         where the report goes (else reports/ROOM). A journal that is there is gone on with
  --edition N       of that edition: each reset of the room begins another (else the last in which anybody came)
  --from, --to TIME only what happened between, such as 2026-12-01T10:00+09:00
  --lang ${LANGUAGES.join(" | ")}    the report's language; en-GB and its like write dates as that country does (else en, as this machine writes it)
  --time-zone ZONE  whose clocks it shows, such as Asia/Tokyo (else this machine's)
  --beside FILE     the journal of another sale, whose figures stand beside this one's; as often as you like
  --public          also makes public/: a page for everybody, and the journal to check it by. Says first what that tells
  --yes             with --public: yes, make it
  --help            this text

exit: 0 done; 1 the journal is not sound, and the report says where; 2 it could not be made
docs: docs/report.md`;
const WARNING = `A public page tells everybody how the line was kept. The journal beside it holds no name and no key, but:
  - Who knows somebody's number can see when that number came, was called, went in and was over.
  - What was done at the desk is in it, with the time, without who did it: live values, messages to those who waited, tickets that were ended.
  - How many came, got in and were sold to can be counted by everybody.
On the page, groups of fewer than ten people are put together and no ticket is named. The journal shows each row: it must, to be checked.`;

const FLAGS = {
  room: text,
  url: text,
  token: text,
  journal: text,
  out: text,
  edition: text,
  from: text,
  to: text,
  lang: text,
  "time-zone": text,
  beside: texts,
  public: flag,
  yes: flag,
  help: flag,
};

function read(args) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (error) {
    throw new UserError(`${error.message.split(". ")[0]}.\n  cure: --help has all flags`);
  }
}

function instantOf(name, given) {
  const ms = Date.parse(given);
  if (Number.isNaN(ms)) throw new UserError(`--${name} is \`${given}\`\n  cure: a moment such as 2026-12-01T10:00+09:00`);
  return String(ms);
}

/** Returns what was asked for, checked: `{ room, url, token, journal, out, counted, lang, timeZone, beside, isPublic, yes }`. */
export function asked(args, { cwd = process.cwd(), own = Intl.DateTimeFormat().resolvedOptions().locale } = {}) {
  const {
    room,
    url,
    token,
    journal,
    out,
    edition,
    from,
    to,
    lang = own.startsWith("en-") ? own : "en",
    "time-zone": timeZone,
    beside = [],
    public: isPublic = false,
    yes = false,
    help = false,
  } = read(args);
  if (help) return { help };
  const wrong = (what, cure) => new UserError(`${what}\n  cure: ${cure}`);
  if (!room && !journal)
    throw wrong("no --room and no --journal", "--room onsale asks Baton for the room's journal, --journal FILE takes one that was fetched");
  if (room && journal)
    throw wrong("--room and --journal are both given", "--room fetches a journal, --journal takes one that was fetched: give one of them");
  if (room && !/^[a-z0-9-]{1,32}~?$/.test(room)) throw wrong(`--room is \`${room}\``, "a room's name, as in wrangler.toml");
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    throw wrong(`--url is \`${url}\``, "an address such as https://tickets.example.com");
  if (!languageOf(lang)) throw wrong(`--lang is \`${lang}\``, `${LANGUAGES.join(" or ")}, with a country if you like, such as en-GB`);
  if (edition !== undefined && !/^[1-9]\d*$/.test(edition)) throw wrong(`--edition is \`${edition}\``, "a number from 1");
  if (timeZone !== undefined)
    try {
      new Intl.DateTimeFormat("en", { timeZone });
    } catch {
      throw wrong(`--time-zone is \`${timeZone}\``, "a zone such as Asia/Tokyo");
    }
  const file = journal && path.resolve(cwd, journal);
  if (file && !existsSync(file)) throw wrong(`--journal: there is no ${journal}`, "a file that `npm run export` or the desk wrote");
  const others = beside.map((name) => path.resolve(cwd, name));
  const missing = others.findIndex((one) => !existsSync(one));
  if (missing >= 0) throw wrong(`--beside: there is no ${beside[missing]}`, "the journal of another sale, which `npm run report` or the desk wrote");
  const counted = [edition && ["--edition", edition], from && ["--from-ms", instantOf("from", from)], to && ["--to-ms", instantOf("to", to)]]
    .filter(Boolean)
    .flat();
  return {
    room,
    url: url ?? LOCAL,
    token,
    journal: file,
    out: out && path.resolve(cwd, out),
    counted,
    lang,
    timeZone,
    beside: others,
    isPublic,
    yes,
  };
}

function tokenOf(file) {
  const token = file ? readFileSync(file, "utf8").trim() : process.env.BATON_ADMIN_TOKEN;
  if (!token) throw new UserError("no operator's token\n  cure: set BATON_ADMIN_TOKEN, or --token FILE");
  return token;
}

/** Resolves to what the program says of a journal. Throws its words if it refuses. */
export async function reportOf(journal, flags = []) {
  const child = spawn(programFile("report"), [journal, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [out, wrong] = await Promise.all([child.stdout, child.stderr].map(async (stream) => Buffer.concat(await stream.toArray()).toString()));
  if (![0, NOT_SOUND].includes(await code)) throw new UserError(wrong.trimEnd().replace(/^report: /, ""));
  return JSON.parse(out);
}

/** Writes report.html and the tables. Returns the file. */
function write(folder, report, look) {
  const file = path.join(folder, "report.html");
  writeFileSync(file, pageOf(report, look));
  for (const [name, csv] of Object.entries(tables(report))) writeFileSync(path.join(folder, `${name}.csv`), csv);
  return file;
}

/** Writes the public page, and beside it the journal that it is made of. */
async function publish(folder, journal, { counted, lang, timeZone, yes }) {
  console.log(`\n${WARNING}`);
  if (!yes) {
    console.log("\nNothing public was made. With --yes it is.");
    return;
  }
  const report = await reportOf(journal, [...counted, "--public"]);
  const place = path.join(folder, "public");
  mkdirSync(place, { recursive: true });
  copyFileSync(journal, path.join(place, "journal.ndjson"));
  writeFileSync(path.join(place, "index.html"), pageOf(report, { lang, timeZone, journal: "journal.ndjson" }));
  console.log(`\nPublic page: ${shown(place)}. Put the whole folder where everybody can read it.`);
}

const shown = (file) => path.relative(process.cwd(), file) || ".";

async function main() {
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const wanted = asked(process.argv.slice(2), { cwd });
  if ("help" in wanted) return console.log(HELP);
  const token = wanted.room && tokenOf(wanted.token);
  await prepare();
  await compilePrograms("report");
  const name = wanted.room ?? path.basename(wanted.journal).replace(/\.\w+$/, "");
  const folder = wanted.out ?? path.resolve(cwd, "reports", name);
  mkdirSync(folder, { recursive: true });
  const journal = path.join(folder, "journal.ndjson");
  if (wanted.room) await exportJournal({ url: wanted.url, room: wanted.room, token, out: journal });
  else if (wanted.journal !== journal) copyFileSync(wanted.journal, journal);
  const report = await reportOf(journal, wanted.counted);
  const beside = await Promise.all(wanted.beside.map((other) => reportOf(other)));
  const file = write(folder, report, { ...wanted, beside });
  const { verdict, people } = report;
  const said = verdict.is_sound
    ? `sound, ${verdict.rows} rows; fingerprint ${verdict.fingerprint}`
    : `NOT SOUND: row ${verdict.fault.row}, ${verdict.fault.what} [${verdict.fault.law}]`;
  console.log(
    `room ${report.room}: ${people.before + people.entered + people.joined + people.walked_in} people, ${people.got_in} got in\naudit: ${said}\nReport: ${shown(file)}, with its tables and journal beside it.`,
  );
  process.exitCode = verdict.is_sound ? 0 : NOT_SOUND;
  if (!wanted.isPublic) return;
  if (verdict.is_sound) await publish(folder, journal, wanted);
  else console.log("Nothing public was made: the audit found the journal unsound.");
}

const end = (error) => {
  if (!(error instanceof UserError)) fail(error);
  console.error(error.message);
  process.exit(BAD_INPUT);
};
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(end);
