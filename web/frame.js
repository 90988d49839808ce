/*
 * The frame: the moving picture of the line, and what one ticket can read from it. Bytes and rules are those of
 * docs/protocol.md. Pure: no document, no clock. Must never show a visitor fewer people ahead than there are.
 */

const FORMAT = 1;
const MODES = ["open", "paused", "bypass"];

/**
 * The frame in `bytes` (an ArrayBuffer), or null for anything that is not exactly one well-formed frame: another
 * format, cut short, bytes left over, an integer past 2^53 − 1, a table that does not rise.
 */
export function decode(bytes) {
  const data = new Uint8Array(bytes);
  if (data[0] !== FORMAT || !(data[1] < MODES.length)) return null;
  let at = 2;
  const next = () => {
    let value = 0;
    for (let unit = 1; at < data.length && unit < 2 ** 56; unit *= 128) {
      const byte = data[at++];
      // Not with `<<` and `|`: those cut to 32 bits.
      value += (byte % 128) * unit;
      if (byte < 128) return value <= Number.MAX_SAFE_INTEGER ? value : NaN;
    }
    return NaN;
  };
  const version = next(), waiting = next(), callLowUs = next(), callHighUs = next();
  const length = next();
  // Two bytes a point at least: what claims more is refused before anything is made for it.
  if (!(callLowUs <= callHighUs) || !(length * 2 <= data.length - at)) return null;
  const points = [];
  for (let number = 0, ahead = 0; points.length < length;) {
    const step = next(), aheadStep = next();
    number += step;
    ahead += aheadStep;
    if (!(step > 0 && aheadStep <= step && number <= Number.MAX_SAFE_INTEGER)) return null;
    points.push({ number, ahead });
  }
  if (at !== data.length || !(version + waiting >= 0)) return null;
  return { mode: MODES[data[1]], version, waiting, callLowUs, callHighUs, points };
}

/** An upper bound of the people ahead of `number`, exact where the frame lists it. */
export function bound(frame, number) {
  let last = null, next = null;
  for (const point of frame.points) {
    if (point.number > number) {
      next = point;
      break;
    }
    last = point;
  }
  if (!last) return 0;
  return Math.min(last.ahead + (number - last.number), next ? next.ahead : frame.waiting);
}

/** The wait of a ticket with `ahead` people in front, [low, high] in seconds, or null when nothing was measured yet. */
export function estimate(frame, ahead) {
  if (!frame.callHighUs) return null;
  return [frame.callLowUs, frame.callHighUs].map((us) => ((ahead + 1) * us) / 1e6);
}
