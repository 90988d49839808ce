// What an app keeps of an answer's credentials. They are `name=token` pairs with "; " between them; the answer has all that its
// request showed, with what changed. Two requests at once must not undo each other's changes.

const read = (text) =>
  new Map(
    (text ?? "")
      .split("; ")
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );

/** `kept` as it is now, with what an answer changed of what its request had shown. */
export function merged(kept, shown, answered) {
  const [now, before, after] = [read(kept), read(shown), read(answered)];
  for (const name of before.keys()) if (!after.has(name) && now.get(name) === before.get(name)) now.delete(name);
  for (const [name, token] of after) if (before.get(name) !== token) now.set(name, token);
  return [...now].map(([name, token]) => `${name}=${token}`).join("; ");
}
