/*
 * Makes frames for stand-ins of Baton and for tests: the form of docs/client.md, from a whole line. Slow and plain:
 * whoever reads frames is tested against this, so it shares nothing with them.
 */

/** The bytes of a frame of `line`, the rising numbers of all who wait. */
export function encodeFrame({ format = 1, mode = 0, spread = 0, version = 1, low = 0, high = 0, line = [], seatsTo = null }) {
  const bytes = [format, mode, spread, ...[version, line.length, low, high].flatMap(leb)];
  let before;
  for (let rank = 0; rank < line.length; ) {
    bytes.push(...leb(line[rank] - (before === undefined ? 0 : line[before])));
    if (before >= 5000) bytes.push(slackOf(line, before, rank));
    before = rank;
    rank = nextRank(rank, line.length);
  }
  if (seatsTo !== null) bytes.push(...leb(seatsTo));
  return Uint8Array.from(bytes);
}

/** A line of `waiting` people without holes in which `number` has so many ahead. */
export function lineAround(number, ahead, waiting = 90) {
  return Array.from({ length: waiting }, (_, rank) => number - ahead + rank);
}

/** An unsigned LEB128 integer of at most 2^53 − 1. */
export function leb(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** The rank of the point after that at `rank`; `waiting` after the last. */
function nextRank(rank, waiting) {
  if (rank === waiting - 1) return waiting;
  const step = rank < 100 ? 1 : rank < 5000 ? 3 + Math.floor(rank / 100) : Math.floor(rank / 16);
  return Math.min(rank + step, waiting - 1);
}

/** The least slack with which nobody between two points is shown too few people. */
function slackOf(line, from, to) {
  const people = to - from,
    span = line[to] - line[from];
  for (let slack = 0; slack < 255; slack++) {
    const spare = Math.ceil((slack * people) / 255);
    const enough = (number, since) => Math.floor(((number - line[from]) * people) / span) + spare >= since;
    if (line.slice(from, to).every(enough)) return slack;
  }
  return 255;
}
