/* A room's definition as the desk edits it: one value for each key, written as in the file. Pure. */

/** Keys that a copy must not have, because they name one room's own objects. */
const OWN = ["generation"];

/** Returns the definition with which a copy of a room of the file begins: what the file sets, and the permits in force. */
export function definitionOf({ settings, paths, hosts }) {
  const said = Object.entries(settings)
    .filter(([key, { source }]) => source === "file" && !OWN.includes(key))
    .map(([key, { value }]) => [key, value]);
  return { paths, ...(hosts?.length > 0 && { hosts }), permits: settings.permits.value, ...Object.fromEntries(said) };
}

/** The keys whose dates a copy does not repeat once they have passed. */
const DATED = ["opens_at", "closes_at", "schedule"];
const dateOf = (entry) => Date.parse(typeof entry === "string" ? entry : entry.at);

/** Returns what a new room takes over from a definition: neither its paths, which would collide, nor dates that have all passed. */
export function freshOf(definition, nowMs = Date.now()) {
  const isOver = (key, value) => DATED.includes(key) && [value ?? []].flat().every((entry) => dateOf(entry) < nowMs);
  return Object.fromEntries(Object.entries(definition).filter(([key, value]) => !["paths", ...OWN].includes(key) && !isOver(key, value)));
}

/** Returns a value as it is written: JSON, but plain words without quotes. */
export const writtenValue = (value) => (typeof value === "string" && isPlain(value) ? value : JSON.stringify(value));

/** Reads what was written: as JSON if it is that, else as a text. */
export function readValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns whether a text is itself when it is read back. */
const isPlain = (text) => text !== "" && readValue(text) === text;
