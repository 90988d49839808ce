// `npm run crawlers`: fetches from which addresses search engines crawl, as they publish it themselves, and writes src/gate/crawlers.txt. By this list
// Baton knows a crawler; a name alone counts for nothing. Deploy afterwards.
//
//   npm run crawlers             fetches all, and changes nothing if one of them gives no list
//   npm run crawlers -- --check  says what would change, with exit code 1 if anything would

import { readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { pathToFileURL } from "node:url";
import { UserError, fail, inRoot } from "./common.mjs";

/** Where each engine publishes its list; all have one form. */
const SOURCES = {
  applebot: "https://search.developer.apple.com/applebot.json",
  bingbot: "https://www.bing.com/toolbox/bingbot.json",
  googlebot: "https://developers.google.com/static/crawling/ipranges/common-crawlers.json",
};
const TIMEOUT_MS = 20_000;
/** The fewest bits of a prefix, by family. A shorter one would make crawlers of an operator's customers. */
const BITS_MIN = { 4: 16, 6: 48 };

/** Returns the family of a prefix, 4 or 6; 0 if it is none, or a list should not have it. */
function familyOf(prefix) {
  const [, address, bits] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(prefix) ?? [];
  const family = isIP(address ?? "");
  return Number(bits) >= BITS_MIN[family] && Number(bits) <= (family === 4 ? 32 : 128) ? family : 0;
}

/** Returns the prefixes of a published list, sorted. Throws if it is none: an empty list would make a crawler a stranger. */
export function prefixesOf(name, list) {
  const prefixes = (list?.prefixes ?? []).map(({ ipv4Prefix, ipv6Prefix }) => ipv4Prefix ?? ipv6Prefix);
  if (prefixes.length === 0 || !prefixes.every(familyOf))
    throw new UserError(`The list of ${name} has another form than it had. Look at ${SOURCES[name]}.`);
  return [...new Set(prefixes)].sort((a, b) => familyOf(a) - familyOf(b) || (a < b ? -1 : 1));
}

/** Returns the text of the file for lists by name. */
export function fileOf(lists, day) {
  const head = [
    "# Addresses from which search engines say that they crawl. `npm run crawlers` fetches them from the engines and writes this file.",
    `# These are of ${day}: fetch them anew before a sale.`,
  ];
  return `${[...head, ...Object.entries(lists).flatMap(([name, list]) => [name, ...prefixesOf(name, list)])].join("\n")}\n`;
}

async function fetched([name, url]) {
  const silent = (why) => new UserError(`${url} does not answer (${why}). Nothing was changed.`);
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => Promise.reject(silent(error.message)));
  if (!answer.ok) throw silent(answer.status);
  return [name, await answer.json().catch(() => null)];
}

async function main() {
  const check = process.argv.includes("--check");
  const lists = Object.fromEntries(await Promise.all(Object.entries(SOURCES).map(fetched)));
  const file = inRoot("src", "gate", "crawlers.txt");
  const text = fileOf(lists, new Date().toISOString().slice(0, 10));
  const linesOf = (all) => new Set(all.split("\n").filter((line) => line.includes("/")));
  const [old, fresh] = [linesOf(readFileSync(file, "utf8")), linesOf(text)];
  const [more, gone] = [[...fresh].filter((line) => !old.has(line)), [...old].filter((line) => !fresh.has(line))];
  console.log(`${more.length} addresses are new, ${gone.length} are gone.`);
  if (check) process.exitCode = more.length + gone.length > 0 ? 1 : 0;
  else writeFileSync(file, text);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
