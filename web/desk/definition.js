/* A room's definition as the desk edits it: a value a key, written as in the file. Pure. */

/** Keys that a copy must not have: they name one room's own objects. */
const OWN = ["generation"];

/** The definition of a room of the file, as a copy begins: what the file says, not what is set live or by default. */
export function definitionOf({ settings, paths, hosts }) {
  const said = Object.entries(settings).filter(([key, { source }]) => source === "file" && !OWN.includes(key)).map(([key, { value }]) => [key, value]);
  return { paths, ...(hosts?.length > 0 && { hosts }), permits: settings.permits.value, ...Object.fromEntries(said) };
}

/** A value as it is written: JSON, but plain words without quotes. */
export const writtenValue = (value) => (typeof value === "string" && isPlain(value) ? value : JSON.stringify(value));

/** What was written, read: JSON where it is, else a text. */
export function readValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a text read back is itself. */
const isPlain = (text) => text !== "" && readValue(text) === text;
