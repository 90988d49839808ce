// How `npm run house` shows what changes, and what was changed. Pure: values in, text out.

const MARKS = {
  create: ["+", 32, "is new"],
  change: ["~", 33, "changes"],
  reopen: ["+", 32, "is open again"],
  archive: ["-", 31, "is deleted; its paths stay shut"],
  release: ["-", 31, "its paths are released: requests for them go through ungated"],
  brand: ["~", 33, "has another page"],
};
const DEFAULT = "the default";

const shown = (value) => (value === null ? DEFAULT : JSON.stringify(value));

/**
 * Returns a plan as text, room by room. `stay`: rooms that are not touched. `lineOf`: where in `file` a problem is.
 * @param {{ changes: object[], problems: string[] }} plan
 * @param {{ stay?: string[], lineOf?: (problem: string) => number | undefined, file?: string,
 *   pictures?: { name: string, bytes: Buffer, rooms: string[] }[], colours?: boolean }} [options]
 */
export function planText({ changes, problems }, { stay = [], lineOf = () => undefined, file, pictures = [], colours = false } = {}) {
  const dyed = (code, text) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  if (problems.length > 0) {
    const place = (problem) => [file, lineOf(problem)].filter((part) => part !== undefined).join(":");
    return problems.map((problem) => dyed(31, `${place(problem) ? `${place(problem)}: ` : ""}${problem}`)).join("\n");
  }
  const brought = pictures.map(({ name, bytes, rooms }) =>
    dyed(32, `+ the picture ${name} (${Math.ceil(bytes.length / 1_000)} KB), on the page of ${rooms.join(", ")}`),
  );
  const lines = [...changes.flatMap((change) => changeLines(change, dyed)), ...brought];
  const rest =
    stay.length > 0
      ? [`${stay.length === 1 ? "One room stays" : `${stay.length} rooms stay`} as ${stay.length === 1 ? "it is" : "they are"}: ${stay.join(", ")}`]
      : [];
  return [...(lines.length > 0 ? lines : ["Nothing would change."]), ...rest].join("\n");
}

const PEOPLE = {
  create: ["+", 32, "may operate"],
  change: ["~", 33, "has other rights"],
  remove: ["-", 31, "may not operate any more"],
};

function changeLines({ room, operator, does, keys, needs_nobody_for: fixed }, dyed) {
  if (operator !== undefined) {
    const [mark, colour, what] = PEOPLE[does];
    return [dyed(colour, `${mark} ${operator} ${what}`)];
  }
  const [mark, colour, what] = MARKS[does];
  const width = Math.max(0, ...Object.keys(keys).map((key) => key.length));
  const line = ([key, { from, to }]) => {
    const value = does === "create" ? shown(to) : `${shown(from)} -> ${shown(to)}`;
    return `    ${key.padEnd(width)}  ${value}${fixed.includes(key) ? "   (only while nobody has a place)" : ""}`;
  };
  return [dyed(colour, `${mark} ${room} ${what}`), ...Object.entries(keys).map(line)];
}

const STATES = { open: "open", archived: "deleted, its paths stay shut", freed: "released" };

/** Returns the rooms of the house as text, a line each in columns; empty without rooms. */
export function listText(rooms) {
  const lines = Object.entries(rooms).map(([room, { definition, state }]) => {
    const where = [definition.hosts ?? [], definition.paths ?? []].flat(2).join(" ");
    return [room, STATES[state] ?? state, `permits ${definition.permits}`, where];
  });
  const widths = [0, 1, 2].map((at) => Math.max(0, ...lines.map((line) => line[at].length)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const EVENTS = {
  defined: ({ room, generation, table }) => `${room} is defined${generation > 1 ? ` (generation ${generation})` : ""}: ${table}`,
  archived: ({ room }) => `${room} is deleted`,
  branded: ({ room, brand }) => `the page of ${room} ${brand === null ? "is as its table has it" : `shows ${brand}`}`,
  freed: ({ room }) => `the paths of ${room} are released`,
  operator_set: () => "an operator was added or changed",
  operator_removed: () => "an operator was removed",
};

/** Returns a row of the journal in words, a line for each fact. The private half says who did it, and is not shown. */
export function rowText({ version, wall_ms: wallMs, events }) {
  const facts = events.flatMap((event) => Object.entries(event)).filter(([name]) => name !== "changed");
  const says = ([name, fact]) => EVENTS[name]?.(fact) ?? `${name} ${JSON.stringify(fact)}`;
  return facts.map((fact) => `${String(version).padStart(5)}  ${new Date(wallMs).toISOString()}  ${says(fact)}`).join("\n");
}
