// An address behind a room's gate, for links that somebody follows.

/** Stands for a segment that may be any. */
const ANY = "1";

/**
 * Returns a path that the room gates and a browser can open: the room's first pattern for GET, with a segment for each `*` in
 * the middle; "/" if there is none.
 */
export function gatedPath({ paths = [] }) {
  const patterns = paths.map((pattern) => /^(?:([A-Z]+) )?(.*)$/.exec(pattern)).filter(([, method]) => method === undefined || method === "GET");
  const path = patterns[0]?.[2] ?? "/";
  return path.replace(/\*+$/, "").replaceAll("*", ANY);
}
