/* Writes who did what when, for people to read and as a table for other programs. Pure. */

const COLUMNS = ["at", "by", "room", "does", "what", "row"];

/** Returns the cells of an action that the API tells, in the order of `COLUMNS`. */
const cells = ({ at_ms: atMs, by, room, does, what, row }) => [new Date(atMs).toISOString(), by, room, does, JSON.stringify(what), row];

/** Returns one cell, quoted if necessary. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns actions as CSV (RFC 4180), a line each, with a head. */
export const csvOf = (actions) => [COLUMNS, ...actions.map(cells)].map((line) => `${line.map(cell).join(",")}\r\n`).join("");

/** Returns exactly what was done, in the API's own names: `permits 300, mode "paused"`. */
export const whatOf = (what) =>
  Object.entries(what)
    .map(([key, value]) => `${key} ${value === null ? "–" : JSON.stringify(value)}`)
    .join(", ");
