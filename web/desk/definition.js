/* A room's definition as the desk edits it: one value for each key, written as in the file. Pure. */

/** Keys that a copy must not have, because they name one room's own objects. */
const OWN = ["generation"];

/** Returns the definition with which a copy of a room of the file begins: what the file sets, and the permits in force. */
export function definitionOf({ settings, paths, hosts }) {
  const said = Object.entries(settings).filter(([key, { source }]) => source === "file" && !OWN.includes(key)).map(([key, { value }]) => [key, value]);
  return { paths, ...(hosts?.length > 0 && { hosts }), permits: settings.permits.value, ...Object.fromEntries(said) };
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
