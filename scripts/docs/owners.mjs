// Counts the methods of each type of `src/`, over all files that have some, and finds the files of a type that call each other in a circle through
// `self`. A type with many of either is several parts that share all their data. Pure.

import { blankRust } from "./functions.mjs";

/** No type has more methods. */
export const METHODS_MAX = 60;
/** No more files of a type call each other in a circle. */
export const CIRCLE_MAX = 5;

/** The module that owns a file's types: the shell has one an object, any other crate of `src/` is one. */
const moduleOf = (file) => {
  const [top, next] = file
    .replace(/^src\//, "")
    .replace(/\.rs$/, "")
    .split("/");
  return top === "edge" && next !== undefined ? `${top}/${next}` : top;
};

/** Returns what follows `open` up to its closing brace. */
function blockAt(text, open) {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}" && --depth === 0) return text.slice(open + 1, at);
  }
  return text.slice(open + 1);
}

/** Returns the inherent `impl` blocks of a Rust file: `[{ type, body }]`. */
function implsOf(text) {
  const code = blankRust(text.split(/^#\[cfg\(test\)\]\nmod /m)[0]);
  const heads = code.matchAll(/^impl(?:<[^{;]*?>)? (\w+)(?:<[^{;]*?>)?(?:\s*where[^{]*)? \{/gm);
  return [...heads].map((head) => ({ type: head[1], body: blockAt(code, head.index + head[0].length - 1) }));
}

/** Returns the types that have methods: `Map("module.Type" → Map(file → { methods, calls }))`, names of the methods there and of those called on `self`. */
export function ownersOf(files, textOf) {
  const owners = new Map();
  for (const file of files.filter((name) => /^src\/.*\.rs$/.test(name))) {
    for (const { type, body } of implsOf(textOf(file))) {
      const of = `${moduleOf(file)}.${type}`;
      const parts = owners.get(of) ?? new Map();
      const part = parts.get(file) ?? { methods: new Set(), calls: new Set() };
      for (const [, name] of body.matchAll(/\bfn (\w+)/g)) part.methods.add(name);
      for (const [, name] of body.matchAll(/\b(?:self|front|Self)\s*(?:\.|::)\s*(\w+)\s*\(/g)) part.calls.add(name);
      owners.set(of, parts.set(file, part));
    }
  }
  return owners;
}

/** Returns how many methods a type has. */
export const methodsOf = (parts) => [...parts.values()].reduce((sum, { methods }) => sum + methods.size, 0);

/** Returns the files of a type's longest circle, sorted: each calls the next one's methods, by some way, and the last the first one's. */
export function circleOf(parts) {
  const home = new Map([...parts].flatMap(([file, { methods }]) => [...methods].map((name) => [name, file])));
  const next = (file) => [...parts.get(file).calls].map((name) => home.get(name)).filter((to) => to !== undefined && to !== file);
  const reach = (from) => {
    const seen = new Set();
    for (const open = [from]; open.length > 0; ) for (const to of next(open.pop())) if (!seen.has(to)) open.push((seen.add(to), to));
    return seen;
  };
  const reached = new Map([...parts.keys()].map((file) => [file, reach(file)]));
  const circles = [...parts.keys()].map((file) => [...reached.get(file)].filter((other) => reached.get(other).has(file)));
  return circles.reduce((longest, circle) => (circle.length > longest.length ? circle : longest), []).sort();
}

/** Returns what is wrong: a type that is too large. */
export function ownerProblems(files, textOf) {
  const found = [...ownersOf(files, textOf)].map(([of, parts]) => ({ of, methods: methodsOf(parts), circle: circleOf(parts).length }));
  const isLarge = ({ methods, circle }) => methods > METHODS_MAX || circle > CIRCLE_MAX;
  return found.filter(isLarge).map(({ of, methods, circle }) => {
    const most = `at most ${METHODS_MAX} and ${CIRCLE_MAX}`;
    return `${of} has ${methods} methods, and ${circle} of its files call each other in a circle; ${most}. Cure: give a part data of its own.`;
  });
}
