// The table that a part of the world writes into a page of the docs, a row for each client of a list.

import { readFileSync, writeFileSync } from "node:fs";
import { between } from "../../bench/lib/table.mjs";
import { inRoot, UsageError } from "../../scripts/common.mjs";

/** Returns the entries of `all` that are named, or all if none is. */
export function chosen(all, names) {
  const unknown = names.filter((name) => !(name in all));
  if (unknown.length > 0) throw new UsageError(`Nothing is called ${unknown.join(", ")}; there are ${Object.keys(all).join(", ")}.`);
  return Object.entries(all).filter(([name]) => names.length === 0 || names.includes(name));
}

const line = (cells) => `| ${cells.join(" | ")} |`;

/**
 * Returns a table in Markdown, in the order of `names`. A row begins with its name, and perhaps a version. The row of a name that was not asked this time
 * is taken from `page`.
 */
export function tableOf(head, rows, { names, page }) {
  const isRowOf = (name) => (text) => text.startsWith(`| ${name} `);
  const lineOf = (name) => rows.map(line).find(isRowOf(name)) ?? page.split("\n").find(isRowOf(name));
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...names.map(lineOf).filter(Boolean)].join("\n");
}

/** Writes the table between the marks of this name on a page. */
export function writeTable(file, mark, head, rows, names) {
  const page = readFileSync(inRoot(file), "utf8");
  writeFileSync(inRoot(file), between(page, mark, tableOf(head, rows, { names, page })));
}

/** Returns the table that stands between these marks of a page, as `{ head, rows }` of cells. */
export function tableOn(file, mark) {
  const page = readFileSync(inRoot(file), "utf8");
  const part = page.slice(page.indexOf(`<!-- ${mark} -->`), page.indexOf(`<!-- /${mark} -->`));
  const [head, , ...rows] = part
    .split("\n")
    .filter((each) => each.startsWith("|"))
    .map((each) => each.slice(2, -2).split(" | "));
  return { head, rows };
}
