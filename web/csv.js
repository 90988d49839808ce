/* Writes tables for other programs: CSV (RFC 4180), UTF-8. Pure. */

/** Returns a cell. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function cell(value) {
  const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns a line for each row. */
export const csv = (rows) => rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
