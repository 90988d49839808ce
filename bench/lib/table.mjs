// Writes judged rows as tables: for the terminal and for docs/benchmarks.md. Pure.

const HEAD = ["what", "value", "ceiling", "ratio", "target", "met"];
const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 6 });
const withUnit = (value, unit) => `${number(value)}${unit ? ` ${unit}` : ""}`;

/** Returns a row's cells as text. */
function cells({ what, value, unit, ceiling, ceiling_of, ratio, target, met }) {
  const best = ceiling === null ? "" : `${number(ceiling)}${ceiling_of ? ` (${ceiling_of})` : ""}`;
  return [what, withUnit(value, unit), best, ratio === null ? "" : `${number(ratio)}×`, target ?? "", met === null ? "" : met ? "yes" : "no"];
}

/** Returns the rows in columns, with numbers aligned to the right. */
export function asText(rows) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const isNumeric = (column) => column === 1 || column === 3;
  const line = (each) =>
    each
      .map((cell, column) => (isNumeric(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join("  ")
      .trimEnd();
  return lines.map(line).join("\n");
}

/** Returns a Markdown table. A target that was missed or not judged says so; the others were met. */
export function asMarkdown(rows) {
  const line = (each) => `| ${each.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const withoutMet = (/** @type {string[]} */ [what, value, ceiling, ratio, target, met]) => [
    what,
    value,
    ceiling,
    ratio,
    target && met !== "yes" ? `${target}, ${met === "no" ? "**missed**" : "not judged"}` : target,
  ];
  return [line(HEAD.slice(0, -1)), "|---|---:|---|---:|---|", ...rows.map((row) => line(withoutMet(cells(row))))].join("\n");
}

/** Returns a Markdown table with the columns of the first entry. */
export function plainMarkdown(entries) {
  const names = Object.keys(entries[0] ?? {});
  const line = (each) => `| ${each.join(" | ")} |`;
  const shown = (value) => (typeof value === "number" ? number(value) : String(value));
  return [line(names), line(names.map(() => "---:")), ...entries.map((entry) => line(names.map((name) => shown(entry[name]))))].join("\n");
}

/** Writes nanoseconds and bytes in the unit that keeps them short. */
function scaled({ value, unit }) {
  const [size, name] = {
    ns: [
      [1e6, "ms"],
      [1e3, "µs"],
      [1, "ns"],
    ],
    bytes: [
      [1e6, "MB"],
      [1e3, "KB"],
      [0, "bytes"],
    ],
  }[unit]?.find(([from]) => value >= from) ?? [1, unit];
  return withUnit(Number((value / (size || 1)).toPrecision(3)), name);
}

/** Returns rows with `{ series, waiting }` as a Markdown table: a line for each series, a column for each length of the line. */
export function byLength(rows) {
  const lengths = [...new Set(rows.map(({ waiting }) => waiting))].sort((a, b) => a - b);
  const series = [...new Set(rows.map((row) => row.series))];
  const cell = (name, length) => rows.find((row) => row.series === name && row.waiting === length);
  return plainMarkdown(
    series.map((name) => {
      const cells = lengths.map((length) => [`${number(length)} waiting`, cell(name, length)]);
      return { what: name, ...Object.fromEntries(cells.map(([head, found]) => [head, found ? scaled(found) : ""])) };
    }),
  );
}

/** Returns `text` with the part between `<!-- name -->` and `<!-- /name -->` replaced. Throws if the marks are missing. */
export function between(text, name, filling) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`the marks ${open} and ${close} are missing`);
  return `${text.slice(0, from + open.length)}\n${filling}\n${text.slice(to)}`;
}
