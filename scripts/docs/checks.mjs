// What the docs must keep true, beside the pages that are generated: links and anchors, commands and their flags, files that they name, figures that
// the code knows, and their length. Pure but for reading files. Each check returns sentences, and none if all is well.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { filesUnder, inRoot } from "../common.mjs";
import { missingTests } from "./promises.mjs";
import { wrongRecipes } from "./recipes.mjs";

/** The most words of README.md and the pages below docs/ that somebody writes by hand, code included. */
const WORDS_MAX = 32_000;
/** Pages that stand for one stack or proxy each: a new one takes no words from another page. */
const UNCOUNTED = /^docs\/(?:fronts\.md$|stacks\/)/;
/** The end of a page that the code writes: a new setting, code or limit takes none either. */
const WHOLLY_WRITTEN = /^Written by `npm run docs`\.$/m;
/** A part that a command writes, between `<!-- name -->` and `<!-- /name -->`: a new row takes no words either. */
const WRITTEN = /<!-- ([\w-]+) -->[^]*?<!-- \/\1 -->/g;
/** Pages that a reader may also meet: those at the root and those beside the code. */
const BESIDE = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.ja.md",
  "SECURITY.md",
  "bench/README.md",
  "crowds/README.md",
  "demo/README.md",
  "demo/own-page/README.md",
  "findings/README.md",
  "kits/README.md",
  "kits/indico/README.md",
  "kits/js/README.md",
  "kits/node/README.md",
  "kits/php/README.md",
  "kits/pretix/README.md",
  "kits/python/README.md",
  "kits/ruby/README.md",
  "kits/vendure/README.md",
  "scripts/README.md",
  "tests/README.md",
  "tools/README.md",
  "web/README.md",
];
/** The sources in which a command's flags are read, if not in its script and what that imports. */
const PROGRAMS = {
  plan: "tools/src/plan",
  advice: "tools/src/advise",
  audit: "tools/src/audit",
  report: "tools/src/report",
  "check-config": "tools/check/src",
};
const read = (file) => readFileSync(inRoot(file), "utf8");

/** Returns the pages of the docs, as `name → text`. */
export function docsPages() {
  const names = [
    "README.md",
    ...filesUnder(inRoot("docs"))
      .filter((file) => file.endsWith(".md"))
      .map((file) => path.relative(inRoot(), file)),
  ];
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

/** Returns the docs and the pages beside the code. */
const allPages = () => ({ ...docsPages(), ...Object.fromEntries(BESIDE.map((name) => [name, read(name)])) });

/** Counts words. A word stands between two spaces and has a letter or a digit: the bars of a table are none, a command is. */
export const wordsIn = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Returns a sentence if there are too many words; it names the longest pages. */
export function tooLong(pages, most = WORDS_MAX) {
  const byHand = Object.entries(pages).filter(([name, text]) => !UNCOUNTED.test(name) && !WHOLLY_WRITTEN.test(text));
  const counted = byHand.map(([name, text]) => [name, wordsIn(text.replace(WRITTEN, ""))]).sort(([, a], [, b]) => b - a);
  const all = counted.reduce((sum, [, words]) => sum + words, 0);
  if (all <= most) return [];
  return [
    `The docs have ${all} words, at most ${most}. The longest: ${counted
      .slice(0, 5)
      .map(([name, words]) => `${name} ${words}`)
      .join(", ")}. Cure: say less`,
  ];
}

/** Returns the anchors that GitHub gives to a page's headings. */
export function anchorsOf(text) {
  const seen = new Map();
  const headings = text.replace(/^```[^]*?^```$/gm, "").matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading]) => {
      const plain = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .trim()
        .replaceAll(" ", "-");
      const before = seen.get(plain) ?? 0;
      seen.set(plain, before + 1);
      return before === 0 ? plain : `${plain}-${before}`;
    }),
  );
}

const withoutCode = (text) => text.replace(/^```[^]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");

/** Finds links that lead to no file, or to no heading of one. */
export function deadLinks(pages) {
  const anchors = (file) => anchorsOf(pages[file] ?? read(file));
  return Object.entries(pages).flatMap(([name, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g)].flatMap(([, written, attribute]) => {
      const link = written ?? attribute;
      if (/^(https?|mailto):/.test(link)) return [];
      const [to, anchor] = link.split("#");
      const file = to === "" ? name : path.normalize(path.join(path.dirname(name), decodeURI(to)));
      if (!(file in pages) && !existsSync(inRoot(file))) return [`${name}: ${link} leads nowhere`];
      if (anchor === undefined || !file.endsWith(".md")) return [];
      return anchors(file).has(anchor) ? [] : [`${name}: ${link}: there is no such heading`];
    }),
  );
}

/** Finds pages to which the index does not lead. */
export function notInTheIndex(pages) {
  const leads = (from) => [...(pages[from] ?? "").matchAll(/\]\(([^)#\s]+)/g)].map(([, to]) => path.normalize(path.join(path.dirname(from), to)));
  const found = new Set(leads("docs/README.md").flatMap((to) => [to, ...(to.endsWith("/README.md") ? leads(to) : [])]));
  return Object.keys(pages)
    .filter((name) => name.startsWith("docs/") && name !== "docs/README.md" && !found.has(name))
    .map((name) => `${name} is not in docs/README.md`);
}

/** Finds pages and headings that comments and messages in the code name, but that do not exist. */
export function deadMentions(pages, files) {
  return Object.entries(files).flatMap(([name, text]) =>
    [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:#([\w-]+))?/g)].flatMap(([link, anchor]) => {
      const page = pages[link.split("#")[0]];
      if (page === undefined) return [`${name}: ${link} does not exist`];
      return anchor === undefined || anchorsOf(page).has(anchor) ? [] : [`${name}: ${link}: there is no such heading`];
    }),
  );
}

/** Returns a script and what it imports of this project, as one text. */
function sourceOf(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return "";
  seen.add(file);
  const text = readFileSync(file, "utf8");
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, from]) => path.join(path.dirname(file), from));
  return [text, ...imports.map((each) => sourceOf(each, seen))].join("\n");
}

const programText = (name) =>
  name && existsSync(inRoot(name))
    ? filesUnder(inRoot(name))
        .map((file) => readFileSync(file, "utf8"))
        .join("\n")
    : "";

/** Returns whether a command's source knows this flag, in any spelling. A setting of a room is a flag of `npm start`. */
function knows(source, flag, settings) {
  const name = flag.replace(/^no-/, "");
  const snake = name.replaceAll("-", "_");
  const spellings = [name, snake, name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())];
  return settings.has(snake) || spellings.some((spelling) => new RegExp(`(?<![\\w-])${spelling}(?![\\w-])`).test(source));
}

/** Finds each `npm run X` that is no script, and flags that a script does not know. */
export function deadCommands(pages, scripts, settings) {
  const sources = new Map();
  const source = (name) => {
    if (!sources.has(name))
      sources.set(
        name,
        [sourceOf(inRoot(scripts[name].split(" ").findLast((word) => word.endsWith(".mjs")))), programText(PROGRAMS[name])].join("\n"),
      );
    return sources.get(name);
  };
  return Object.entries(pages).flatMap(([page, text]) =>
    [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test))( -- [^`\n|]*)?/g)].flatMap(([, run, short, given = ""]) => {
      const name = run ?? short;
      if (!scripts[name]) return [`${page}: npm run ${name} is no script of package.json`];
      const ofRoom = ["start", "self-host", "rehearse-live"].includes(name) ? settings : new Set();
      const flags = [...given.replace(/ #.*$/, "").matchAll(/(?<=\s)--([a-z][\w-]*)/g)]
        .map(([, flag]) => flag)
        .filter((flag) => !["help", "dry-run", "env"].includes(flag));
      return flags.filter((flag) => !knows(source(name), flag, ofRoom)).map((flag) => `${page}: npm run ${name} knows no --${flag}`);
    }),
  );
}

/** What a page tells its reader to make. */
const MADE_BY_USERS = ["web/own/"];

/** Finds files and folders of the project that a page names, but that do not exist. `*` stands for anything. */
export function deadFiles(pages) {
  return Object.entries(pages).flatMap(([page, text]) =>
    [...text.matchAll(/`((?:src|tests|tools|scripts|bench|demo|web|kits|crowds|findings|fuzz|worker)\/[\w./*-]*)`/g)].flatMap(([, named]) => {
      const file = named.replace(/\*\*$|[.,]$/, "");
      if (MADE_BY_USERS.includes(file)) return [];
      if (!file.includes("*"))
        return existsSync(inRoot(file)) || existsSync(inRoot(path.dirname(page), file)) ? [] : [`${page}: ${file} does not exist`];
      const [folder, pattern] = [path.dirname(file), new RegExp(`^${path.basename(file).replaceAll(".", "\\.").replaceAll("*", ".*")}$`)];
      const isThere = existsSync(inRoot(folder)) && readdirSync(inRoot(folder)).some((each) => pattern.test(each));
      return isThere ? [] : [`${page}: nothing is ${file}`];
    }),
  );
}

/** Finds calls of the API's document that neither docs/client.md (a visitor's) nor docs/api.md (an operator's) names. */
export function undocumentedCalls(pages, calls) {
  const named = (page, call) => new RegExp(`${call.replace(/[{}.]/g, "\\$&")}(?![\\w/])`).test(pages[page] ?? "");
  return calls.flatMap((call) => {
    const isVisitors = call.startsWith("/__baton/{room}/");
    const page = isVisitors ? "docs/client.md" : "docs/api.md";
    const short = call.replace("/__baton/{room}/", "…/").replace("/__baton/admin/house", "").replace("/__baton/admin", "");
    return short === "" || named(page, short) ? [] : [`${page} does not name ${call}, which docs/openapi.json has`];
  });
}

/** Figures in the docs that the code knows: the page, where it says the figure, and the true figure. @type {[string, RegExp, () => string][]} */
const FIGURES = [
  ["README.md", /speaks (\w+)\s+languages/, () => inWords(readdirSync(inRoot("web", "locales")).filter((file) => file.endsWith(".json")).length)],
  ["docs/correctness.md", /(\d+) deliberate bugs/, () => String([...read("src/facts/planted.rs").matchAll(/^ {4}[A-Z]\w+ = "/gm)].length)],
  ["docs/entry.md", /at most (\w+) keys/, () => inWords(Number(/ENTRY_KEYS_MAX: usize = (\d+)/.exec(read("src/token/entry/keys.rs"))[1]))],
];
const inWords = (number) =>
  [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
  ][number] ?? String(number);

export function wrongFigures(pages) {
  return FIGURES.flatMap(([page, where, truth]) => {
    const said = where.exec(pages[page] ?? "")?.[1];
    if (said === undefined) return [`${page} does not say ${where} any more. Cure: leave the figure out of scripts/docs/checks.mjs`];
    return said === truth() ? [] : [`${page} says ${said}, and it is ${truth()} (${where})`];
  });
}

/** Returns the texts of the code by file, in which comments and messages name the docs. */
function codeTexts() {
  const folders = ["src", "tools/src", "tools/tests", "scripts", "tests", "web", "kits", "bench", "demo"].filter((folder) =>
    existsSync(inRoot(folder)),
  );
  const files = filesUnder(...folders.map((folder) => inRoot(folder))).filter(
    (file) =>
      /\.(rs|mjs|js|py|rb|php|html|css|json|toml)$/.test(file) &&
      !/node_modules|\/target\/|\/vendor\/|\/build\/|corpus|package-lock|tests\/docs\//.test(file),
  );
  return Object.fromEntries(files.map((file) => [path.relative(inRoot(), file), readFileSync(file, "utf8")]));
}

/** Returns every setting of a room, as docs/configuration.md has them. */
const settingsOf = (page) => new Set([...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key));

/** Returns everything that is wrong with the docs, a sentence each. */
export function problems() {
  const [docs, all] = [docsPages(), allPages()];
  const { scripts } = JSON.parse(read("package.json"));
  const code = codeTexts();
  return [
    ...deadLinks(all),
    ...notInTheIndex(docs),
    ...deadMentions(docs, code),
    ...wrongRecipes(all["CONTRIBUTING.md"], { ...docs, ...code }),
    ...deadCommands(all, scripts, settingsOf(docs["docs/configuration.md"])),
    ...deadFiles(all),
    ...undocumentedCalls(docs, Object.keys(JSON.parse(read("docs/openapi.json")).paths)),
    ...wrongFigures(docs),
    ...missingTests(),
    ...tooLong(docs),
  ];
}
