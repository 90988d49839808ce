// Reads a trace of arrivals (crowds/README.md) for commands in JavaScript, by the same rules as `rehearse`. Pure.

const AT_MS_MAX = 2 ** 53;
const COLUMNS = ["at_ms", "event", "visitor"];

/** Returns the fields of a line without the spaces around them. A field in double quotes may hold commas. Returns `null` if a quote stays open. */
function fieldsOf(line) {
  if ((line.match(/"/g) ?? []).length % 2 === 1) return null;
  const parts = line.match(/(?:"[^"]*"|[^,"])+|,/g) ?? [];
  const fields = [""];
  for (const part of parts) {
    if (part === ",") fields.push("");
    else fields[fields.length - 1] = part.trim();
  }
  return fields.map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
}

const flaw = (file, line, what, cure) => new Error(`${file}:${line}: ${what}. Cure: ${cure}.`);

function millis(file, line, name, text) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > AT_MS_MAX) throw flaw(file, line, `${name} is "${text}"`, `whole milliseconds from 0 to ${AT_MS_MAX}`);
  return value;
}

/**
 * Returns who comes when, in order: `[{ atMs, visitor, stayMs }]`; `stayMs` is null where the trace does not say it. Throws an
 * error that names line and cure.
 */
export function readArrivals(file, text) {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, at) => [at + 1, line])
    .filter(([, line]) => line.trim() !== "");
  const [first] = lines;
  const names = fieldsOf(first?.[1] ?? "")?.map((name) => name.toLowerCase()) ?? [];
  for (const name of COLUMNS.filter((each) => !names.includes(each)))
    throw flaw(file, first?.[0] ?? 1, `no column "${name}"`, `begin with the header line ${COLUMNS.join(",")}`);
  const arrivals = lines.slice(1).map(([line, row]) => {
    const fields = fieldsOf(row);
    if (fields === null) throw flaw(file, line, "an open quote", "close the quote on the same line, or leave quotes out");
    const field = (name) => fields[names.indexOf(name)] ?? "";
    if (field("event") !== "arrive")
      throw flaw(
        file,
        line,
        `the event "${field("event")}"`,
        "a crowd that really comes does what its visitors do: only arrive counts here, with stay_ms for how long they stay",
      );
    if (field("visitor") === "") throw flaw(file, line, "arrive without a visitor", "name who");
    return {
      atMs: millis(file, line, "at_ms", field("at_ms")),
      visitor: field("visitor"),
      stayMs: field("stay_ms") === "" ? null : millis(file, line, "stay_ms", field("stay_ms")),
      line,
    };
  });
  const backwards = arrivals.find(({ atMs }, nth) => nth > 0 && atMs < arrivals[nth - 1].atMs);
  if (backwards) throw flaw(file, backwards.line, "time runs backwards", "sort the rows by at_ms");
  if (arrivals.length === 0) throw flaw(file, 1, "nobody comes", "add rows such as 0,arrive,ann");
  return arrivals.map(({ line, ...arrival }) => arrival);
}
