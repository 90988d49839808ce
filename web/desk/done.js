/* Who did what when, as people read it and as a table for other programs. Pure. */

const COLUMNS = ["at", "by", "room", "does", "what", "row"];

/** `{ at, by, room, does, what, row }` as texts of an action that the API tells. */
const cells = ({ at_ms: atMs, by, room, does, what, row }) => [new Date(atMs).toISOString(), by, room, does, JSON.stringify(what), row];

/** One cell: quoted where it must be. A text that a spreadsheet would take for a formula is none after an apostrophe. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Actions as CSV (RFC 4180), a line each, with a head. */
export const csvOf = (actions) => [COLUMNS, ...actions.map(cells)].map((line) => `${line.map(cell).join(",")}\r\n`).join("");

/** What was done exactly, in the API's own names: `permits 300, mode "paused"`. */
export const whatOf = (what) => Object.entries(what).map(([key, value]) => `${key} ${value === null ? "–" : JSON.stringify(value)}`).join(", ");
