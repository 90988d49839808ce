// Guesses which word a mistyped word was meant to be.

/** Returns how many letters must be put in, left out or changed to turn one word into the other (Levenshtein). O(a · b). */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let to = 0; to < b.length; to++) next.push(Math.min(next[to] + 1, row[to + 1] + 1, row[to] + (letter === b[to] ? 0 : 1)));
    row = next;
  }
  return row.at(-1);
}

/** Returns the nearest of these words, the first of equals; undefined if all are further than `distanceMax`. */
export function nearest(word, known, distanceMax = Infinity) {
  const [best] = known.map((each) => [editDistance(word, each), each]).sort(([a], [b]) => a - b);
  return best && best[0] <= distanceMax ? best[1] : undefined;
}
