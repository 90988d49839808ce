// The moving picture of the line, as the room's socket sends it: how many are ahead of a number, at most. The form is that of
// docs/client.md, "Frame".

/** How far the next point is behind one of this rank. */
const gap = (rank) => (rank < 100 ? 1 : rank < 5_000 ? 3 + Math.floor(rank / 100) : Math.floor(rank / 16));

/** `{ version, waiting, ahead(number) }`; undefined: it is not understood. */
export function readFrame(bytes) {
  const view = new Uint8Array(bytes);
  let at = 3;
  const next = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = view[at++];
      if (byte === undefined || scale > 2 ** 49) throw new RangeError("cut");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  if (view[0] !== 1) return undefined;
  try {
    const [version, waiting] = [next(), next()];
    next();
    next();
    const points = [];
    for (let number = 0, rank = 0; rank < waiting; ) {
      const before = points.at(-1);
      number += next();
      const slack = before && before.rank >= 5_000 ? view[at++] : undefined;
      points.push({ number, rank, slack });
      if (rank === waiting - 1) break;
      rank = Math.min(rank + gap(rank), waiting - 1);
    }
    return { version, waiting, ahead: (number) => aheadOf(points, waiting, number) };
  } catch {
    return undefined;
  }
}

function aheadOf(points, waiting, number) {
  const after = points.findIndex((point) => point.number > number);
  const last = after < 0 ? points.length - 1 : after - 1;
  if (last < 0) return 0;
  const here = points[last];
  if (here.number === number) return here.rank;
  const next = points[last + 1];
  if (!next) return waiting;
  const [steps, span, ranks] = [number - here.number, next.number - here.number, next.rank - here.rank];
  const bounds = [here.rank + steps, next.rank - 1];
  if (next.slack !== undefined) bounds.push(here.rank + Math.floor((steps * ranks) / span) + Math.ceil((next.slack * ranks) / 255));
  return Math.min(...bounds);
}
