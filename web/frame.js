/*
 * The frame: the moving picture of the line, and what one ticket can read from it. docs/client.md has its bytes and rules.
 * Pure: no document, no clock. It must never show a visitor fewer people ahead than there are.
 */

const FORMAT = 1;
export const MODES = ["open", "paused", "bypass", "closed", "sold_out", "drain", "observe"];
/** Added to the mode if another lane is called first. Then the time between calls says nothing of this lane's wait. */
const BEHIND = 128;
/** From this rank on, points are far apart, and each but the first of them has a slack. */
const CLOSE = 5000;
const gap = (rank) => (rank < 100 ? 1 : rank < CLOSE ? 3 + Math.floor(rank / 100) : Math.floor(rank / 16));

/**
 * Returns the frame in `bytes` (an ArrayBuffer), or null if they are not exactly one well-formed frame: another format,
 * cut short, bytes left over, an integer past 2^53 − 1, more people than numbers.
 */
export function decode(bytes) {
  const data = new Uint8Array(bytes);
  const mode = MODES[data[1] % BEHIND];
  if (data[0] !== FORMAT || !mode) return null;
  let at = 3;
  const next = () => {
    let value = 0;
    for (let unit = 1; at < data.length && unit < 2 ** 56; unit *= 128) {
      const byte = data[at++];
      // Not with `<<` and `|`, which cut to 32 bits.
      value += (byte % 128) * unit;
      if (byte < 128) return value <= Number.MAX_SAFE_INTEGER ? value : NaN;
    }
    return NaN;
  };
  const version = next(),
    waiting = next(),
    callLowUs = next(),
    callHighUs = next();
  if (!(callLowUs <= callHighUs) || !(version + waiting >= 0)) return null;
  const points = [];
  for (let number = 0, ahead = 0, people = 1; ahead < waiting; ) {
    const step = next(),
      slack = ahead - people < CLOSE ? 255 : data[at++];
    number += step;
    if (!(step >= people && number <= Number.MAX_SAFE_INTEGER)) return null;
    points.push({ number, ahead, slack });
    // One step past the last in line is the end.
    people = Math.min(gap(ahead), waiting - 1 - ahead) || 1;
    ahead += people;
  }
  const seatsTo = at < data.length ? next() : null;
  return at === data.length && !Number.isNaN(seatsTo)
    ? { mode, behind: data[1] >= BEHIND, spreadS: data[2], version, waiting, callLowUs, callHighUs, points, seatsTo }
    : null;
}

/** Returns an upper bound of the people ahead of `number`, which is in the line. It is exact where the frame lists the number. */
export function bound(frame, number) {
  const next = frame.points.find((point) => point.number > number);
  const last = frame.points.filter((point) => point.number <= number).pop();
  if (!last) return 0;
  const past = number - last.number;
  if (!past || !next) return past ? frame.waiting : last.ahead;
  const people = next.ahead - last.ahead;
  const straight = Math.floor((past * people) / (next.number - last.number));
  return last.ahead + Math.min(past, people - 1, straight + Math.ceil((next.slack * people) / 255));
}

/** Returns the wait of a ticket with `ahead` people in front as [low, high] in seconds, or null if nothing was measured yet. */
export function estimate(frame, ahead) {
  if (!frame.callHighUs) return null;
  return [frame.callLowUs, frame.callHighUs].map((us) => ((ahead + 1) * us) / 1e6);
}
