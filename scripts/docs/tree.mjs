// What the tree of files must keep true: each folder says what it is for, files and functions are short, what a request wants is read in one
// place, and no function that reads like a question changes anything. It reads the files that git has, and nothing that is built. Each check returns sentences, and none if all is well.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../common.mjs";
import { wordsIn } from "./checks.mjs";
import { functionsOf } from "./functions.mjs";
import { ownerProblems } from "./owners.mjs";

/** The most lines of a source file: what one reads in one sitting. */
export const FILE_LINES_MAX = 500;
/** The most lines of a function: what one sees at once. */
const FUNCTION_LINES_MAX = 60;
/** The fewest words that say what something is for. */
const WORDS_MIN = 4;

const SOURCE = /\.(rs|mjs|js|css|py|rb|php|java|lua|njs)$/;

const read = (file) => readFileSync(inRoot(file), "utf8");

/** Returns every file that git has. */
const trackedFiles = () =>
  execFileSync("git", ["ls-files", "-z"], { cwd: inRoot(), encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(inRoot(file)));

/** Returns the folders that hold a file. */
export const foldersOf = (files) => [...new Set(files.map((file) => path.dirname(file)))].filter((folder) => folder !== ".").sort();

/** Returns the files that may open a folder. A Rust module may have its head beside it: `gate.rs`, `gate/`. */
function headsOf(folder, has) {
  const files = ["README.md", "mod.rs", "lib.rs", "main.rs", "index.mjs", "index.js", "__init__.py"].map((name) => path.join(folder, name));
  return [...files, ...(folder === "." ? ["ARCHITECTURE.md"] : [`${folder}.rs`])].filter(has);
}

/** Returns the comment with which a file opens; for Markdown the whole text. */
function openingOf(file, text) {
  if (file.endsWith(".md")) return text;
  if (file.endsWith(".rs")) return (/^(\/\/!.*\n?)+/.exec(text)?.[0] ?? "").replace(/^\/\/! ?/gm, "");
  if (file.endsWith(".py")) return /^"""([^]*?)"""/.exec(text)?.[1] ?? "";
  return (/^(\/\/.*\n?)+/.exec(text)?.[0] ?? "").replace(/^\/\/ ?/gm, "");
}

/** Returns what the tables of a text say of folders: `name → words`. A name that ends in `**` stands for everything below it too. */
export function rowsOf(text) {
  const rows = [...text.matchAll(/^\|([^|]+)\|(.+)\|\s*$/gm)].map(([, names, said]) => [
    names.replace(/\*\*([^*`]+)\*\*/g, "$1").replace(/[[\]`]|\([^)]*\)/g, " "),
    said,
  ]);
  return Object.fromEntries(rows.flatMap(([names, said]) => [...names.matchAll(/[\w./-]+\/(\*\*)?(?=[\s,*]|$)/g)].map(([name]) => [name, said])));
}

const isInRows = (rows, name) =>
  Object.entries(rows).some(
    ([row, said]) => wordsIn(said) >= WORDS_MIN && (row === `${name}/` || (row.endsWith("/**") && `${name}/`.startsWith(row.slice(0, -2)))),
  );

/** Finds folders that nobody explains: neither a head of their own nor a row in the table of the nearest head above. */
export function foldersWithoutAWord(folders, has = (file) => existsSync(inRoot(file)), textOf = read) {
  return folders.flatMap((folder) => {
    if (headsOf(folder, has).some((file) => wordsIn(openingOf(file, textOf(file))) >= WORDS_MIN)) return [];
    let above = path.dirname(folder);
    while (above !== "." && headsOf(above, has).length === 0) above = path.dirname(above);
    const heads = headsOf(above, has);
    const name = path.relative(above, folder);
    if (heads.some((file) => isInRows(rowsOf(openingOf(file, textOf(file))), name))) return [];
    return [`${folder}/ has no README.md and no header that says what it is for. Cure: a row \`${name}/\` in a table of ${heads.join(" or ")}`];
  });
}

/** Finds source files that are too long. */
export function filesTooLong(files, textOf = read) {
  return files
    .filter((file) => SOURCE.test(file))
    .flatMap((file) => {
      const lines = textOf(file).replace(/\n$/, "").split("\n").length;
      return lines <= FILE_LINES_MAX ? [] : [`${file} has ${lines} lines, at most ${FILE_LINES_MAX}. Cure: give one concern of it a file of its own`];
    });
}

/** Finds functions that are too long and give no reason. */
export function functionsTooLong(files, textOf = read) {
  const mayBe = (text) => text.split("\n").length > FUNCTION_LINES_MAX;
  const texts = files
    .filter((file) => SOURCE.test(file))
    .map((file) => [file, textOf(file)])
    .filter(([, text]) => mayBe(text));
  return texts.flatMap(([file, text]) =>
    functionsOf(file, text)
      .filter(({ lines, reason }) => lines > FUNCTION_LINES_MAX && !reason)
      .map(
        ({ name, line, lines }) =>
          `${file}:${line}: ${name} has ${lines} lines, at most ${FUNCTION_LINES_MAX}. Cure: split it, or give the reason in the comment above it: "Long because it has an arm for each fact."`,
      ),
  );
}

/** Where what a request wants is read from its headers, and the lists of headers that may go on, which read none. */
const INTENT_HOMES = ["src/gate/intent.rs", "src/gate/routers.rs", "src/gate/headers.rs"];
/** Headers in the same `Vary` that say something else: who asks, and in which language. */
const NOT_INTENT = ["accept-language", "baton-credentials", "cookie"];

/** Returns the headers that say what a request wants: those in the `Vary` of src/gate/intent.rs, in lower case. */
export function intentHeaders(text) {
  const vary = /pub const VARY: &str = "([^"]*)"/.exec(text)?.[1] ?? "";
  return vary
    .replace(/\\\s*/g, "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && !NOT_INTENT.includes(name));
}

/** Finds code that reads what a request wants from a header by itself. */
export function intentElsewhere(files, textOf = read) {
  const names = intentHeaders(textOf(INTENT_HOMES[0]));
  if (names.length === 0) return [`${INTENT_HOMES[0]} names no header in VARY. Cure: name those that it reads`];
  const literal = new RegExp(`["'](${names.join("|")})["']`, "i");
  return files
    .filter((file) => /^src\/.*\.(rs|js)$/.test(file) && !INTENT_HOMES.includes(file))
    .flatMap((file) =>
      textOf(file)
        .split("\n")
        .flatMap((line, at) => {
          const name = literal.exec(line)?.[1];
          return name ? [`${file}:${at + 1} reads ${name}. Cure: ask src/gate/intent.rs, the one home of what a request wants`] : [];
        }),
    );
}

/** Functions that read like a question, as far as their lists of arguments can tell that they change something. */
const CHANGING_QUESTION = /fn ((?:is|are|has|have|was|were|may|can|should|does|needs|wants)_\w+)(?:<[^>]*>)?\(\s*&(?:'\w+ )?mut self/g;

/** Finds functions of the code that read like a question and change what they are asked about. */
export function changingQuestions(files, textOf = read) {
  const sources = files.filter((file) => /^(?:src|tools\/src|web)\/.*\.rs$/.test(file));
  return sources.flatMap((file) =>
    [...textOf(file).matchAll(CHANGING_QUESTION)].map(
      ([, name]) => `${file}: ${name} reads like a question and takes &mut self. Cure: say what it does, as in note_seen`,
    ),
  );
}

/** Returns everything that is wrong with the tree, a sentence each. */
export function treeProblems(files = trackedFiles()) {
  return [
    ...foldersWithoutAWord(foldersOf(files)),
    ...filesTooLong(files),
    ...functionsTooLong(files),
    ...ownerProblems(files, read),
    ...intentElsewhere(files),
    ...changingQuestions(files),
  ];
}
