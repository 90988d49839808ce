/*
 * The draw, done again. It knows nothing of Baton but what docs/draw.md says. The page and `npm run check-draw` use it.
 */

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const AT_ONCE = 2_000;

/** Resolves to whether the seed is the one whose hash was published before the draw. */
async function keepsItsWord({ seed, commitment }) {
  return hexOf(await sha256(bytesOf(seed))) === commitment;
}

/** Resolves to an entry's lot: SHA-256 of the seed and of the entry as eight bytes, the highest byte first. */
async function lot(seed, entry) {
  const bytes = new Uint8Array(40);
  bytes.set(bytesOf(seed));
  new DataView(bytes.buffer).setBigUint64(32, BigInt(entry));
  return hexOf(await sha256(bytes));
}

/** Resolves to the entries in the order of their numbers; the first gets `first_number`. `entries` are runs, from and to. */
export async function order({ draw, seed, entries }) {
  const all = entries.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  if (draw === "arrival") return all;
  const lots = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE).map(async (entry) => [await lot(seed, entry), entry]);
    lots.push(...(await Promise.all(some)));
  }
  lots.sort(([one, a], [other, b]) => (one < other ? -1 : one > other ? 1 : a - b));
  return lots.map(([, entry]) => entry);
}

/** Resolves to the number of each entry, how many there are, and whether the seed matches its commitment. */
export async function drawAgain(draw) {
  const ordered = await order(draw);
  const numbers = new Map(ordered.map((entry, at) => [entry, draw.first_number + at]));
  return { kept: await keepsItsWord(draw), count: ordered.length, numbers };
}
