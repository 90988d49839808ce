// The table of docs/readings.md, a row for each server, a column for each reading of the gate's list; and the same as the gate's code has it. Pure.

import { tableOn } from "../table.mjs";
import { READINGS } from "../../spellings/spellings.mjs";
import { MIXED } from "../../spellings/targets.mjs";

export const PAGE = "docs/readings.md";
export const CODE = "src/spelling/readers.rs";
const COLUMNS = [...READINGS.map(({ name }) => name), MIXED];
export const HEAD = ["server", ...COLUMNS, "tried"];

const today = () => new Date().toISOString().slice(0, 10);

/** Returns the row of a server. An empty cell: it does not read so. */
export function rowOf({ name, version }, cells, day = today()) {
  return [`${name} ${version}`, ...COLUMNS.map((column) => cells[column].join(", ")), day];
}

/** Returns who reads how, as Rust: what stands on the page. */
export function readersIn({ rows } = tableOn(PAGE, "origins")) {
  const text = JSON.stringify;
  const lines = rows.map(
    ([server, ...cells]) =>
      `    (${text(server)}, &[${READINGS.filter((_, at) => cells[at].trim() !== "")
        .map(({ name }) => text(name))
        .join(", ")}]),`,
  );
  return `//! Which servers read paths in which of the ways of \`readings.rs\`. \`npm run check-world -- origins --docs\` writes it, from what they answered.

/// Each server with its version, and the names of the readings that it has.
#[rustfmt::skip]
pub(super) const READERS: [(&str, &[&str]); ${rows.length}] = [
${lines.join("\n")}
];
`;
}
