// Paths as they may be written down: whatever names a person or one order is `*`. Pure.

/** Fields whose value a buyer types about themselves. A segment of a path with the same value is theirs too. */
const PERSONAL_FIELDS =
  /name|mail|phone|tel|user|login|street|address|line\d|city|town|zip|post|company|birth|card|iban|note|comment|person|first|last/i;
const VALUE_CHARS_MIN = 3;
/** A cookie's worth of text and no more is compared: a longer one is a document. */
const VALUE_CHARS_MAX = 200;

/** What ids look like: numbers, UUIDs, hashes, words with digits in the middle of letters, tokens in both cases. */
const IDS = [
  /^\d+$/,
  /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  /^[0-9a-f]{12,}$/i,
  /@/,
  /%/,
  /[^\w.~!$&'()+,;=:-]/,
  // A file of one order, such as ticket-4711.pdf.
  /\d{3,}\.\w{2,5}$/,
];

/** Words with digits in them that somebody wrote. */
const WRITTEN = /^(?:js)?i18n$|^l10n$|^a11y$|^oauth2$|^v\d{1,2}$|^[A-Z]?[a-z]+\d{1,4}$/;

/** Returns whether a long segment in both cases falls into pieces of one or two letters, as the base64 of an id does even where it has no digit. */
function isInPieces(segment) {
  const isBothCases = /[a-z]/.test(segment) && /[A-Z]/.test(segment);
  const pieces = segment.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  const turns = segment.match(/[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d|[-_](?=[-_]|$)|^[-_]/g) ?? [];
  return segment.length >= 10 && isBothCases && turns.length >= 2 && pieces.filter((piece) => piece.length <= 2).length >= 3;
}

/** Returns whether a word of letters and digits is rather made by a machine: digits between letters, or long and in both cases. */
function isToken(segment) {
  if (!/^[A-Za-z0-9_-]+$/.test(segment)) return false;
  if (isInPieces(segment)) return true;
  const words = segment.split(/[-_]/);
  return words.some((word) => {
    const isMixed = /[a-z]/i.test(word) && /\d/.test(word) && !WRITTEN.test(word);
    const isBothCases = /[a-z]/.test(word) && /[a-z][A-Z]{2}|[A-Z][a-z]?[A-Z].*[A-Z]/.test(word);
    return (
      (word.length >= 6 && isMixed) ||
      (word.length >= 10 && isBothCases) ||
      (word.length >= 5 && /^[A-Z0-9]+$/.test(word) && !WRITTEN.test(word.toLowerCase()))
    );
  });
}

export const isId = (segment) => IDS.some((form) => form.test(segment)) || isToken(segment);

/** Returns what a buyer typed, in small letters, from a form's fields or from a body in JSON. */
export function personalOf(fields, json) {
  const found = [];
  const walk = (value, key) => {
    if (Array.isArray(value)) for (const each of value) walk(each, key);
    else if (value && typeof value === "object") for (const [name, each] of Object.entries(value)) walk(each, name);
    else if (["string", "number"].includes(typeof value) && PERSONAL_FIELDS.test(key) && key !== "operationName")
      found.push(String(value).toLowerCase().trim());
  };
  for (const [name, value] of fields ?? []) walk(value, name);
  walk(json, "");
  return found.filter((value) => value.length >= VALUE_CHARS_MIN && value.length <= VALUE_CHARS_MAX);
}

/** Returns a function from a path to its segments, each as it is or as `*`. `values` is what buyers typed. */
export function speller(values) {
  const typed = new Set(values);
  const isTyped = (segment) => {
    const words = segment.toLowerCase();
    return typed.has(words) || typed.has(words.replaceAll(/[-_.+]/g, " "));
  };
  return (path) =>
    path
      .split("/")
      .filter(Boolean)
      .map((segment) => (isId(segment) || isTyped(segment) ? "*" : segment));
}

/** Returns the names of a query's keys that are surely names, each once, and `*` for any other. */
export const keysOf = (keys) => [...new Set(keys.map((key) => (/^[A-Za-z_][A-Za-z_.[\]-]{0,30}$/.test(key) ? key : "*")))];
