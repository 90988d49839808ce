// Pictures as tests keep and compare them: PNG with a palette, as small as a page of few colours can be. It reads what browsers' screenshots are.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const [RGB, PALETTE, RGBA] = [2, 3, 6];
const CHANNELS = { [RGB]: 3, [PALETTE]: 1, [RGBA]: 4 };
const COLOURS_MAX = 256;

/** A picture: `{ width, height, rgb }`, three bytes a pixel. Transparency is left out: screenshots have none. */
export function readPng(file) {
  const chunks = chunksOf(file);
  const first = (type) => chunks.find((chunk) => chunk.type === type)?.data;
  const header = first("IHDR");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, type, , , interlaced] = header.subarray(8);
  const channels = CHANNELS[type];
  if (depth !== 8 || !channels || interlaced) throw new Error(`a PNG of depth ${depth} and type ${type}, which no test reads`);
  const lines = unfiltered(inflateSync(Buffer.concat(chunks.filter((chunk) => chunk.type === "IDAT").map(({ data }) => data))), {
    width,
    height,
    channels,
  });
  const palette = first("PLTE");
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    if (type === PALETTE) palette.copy(rgb, at * 3, lines[at] * 3, lines[at] * 3 + 3);
    else lines.copy(rgb, at * 3, at * channels, at * channels + 3);
  }
  return { width, height, rgb };
}

function chunksOf(file) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < file.length; ) {
    const length = file.readUInt32BE(at);
    chunks.push({ type: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

/** Takes away the filter that each line of a PNG begins with. */
function unfiltered(raw, { width, height, channels }) {
  const stride = width * channels;
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const here = y * stride + x;
      const left = x < channels ? 0 : out[here - channels];
      const up = y === 0 ? 0 : out[here - stride];
      const corner = x < channels || y === 0 ? 0 : out[here - stride - channels];
      out[here] = raw[y * (stride + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  return out;
}

function paeth(left, up, corner) {
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(left + up - corner - each));
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The file of a picture with the colours that it has most; what has another is given the nearest of them. */
export function writePng({ width, height, rgb }) {
  const colourAt = (at) => rgb.readUIntBE(at * 3, 3);
  const counts = new Map();
  for (let at = 0; at < width * height; at += 1) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, COLOURS_MAX)
    .map(([colour]) => colour);
  const indexes = new Map();
  const indexOf = (colour) => {
    if (!indexes.has(colour))
      indexes.set(
        colour,
        palette.reduce((best, each, index) => (apart(each, colour) < apart(palette[best], colour) ? index : best), 0),
      );
    return indexes.get(colour);
  };
  const lines = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < width * height; at += 1) lines[at + Math.floor(at / width) + 1] = indexOf(colourAt(at));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** How far two colours are apart: the channel in which they differ most. */
const apart = (a, b) => Math.max(Math.abs((a >> 16) - (b >> 16)), Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)), Math.abs((a & 255) - (b & 255)));

/** Which share of the pixels differs by more than `byMax` in a channel. Pictures of other sizes differ everywhere. */
export function difference(one, other, byMax) {
  if (one.width !== other.width || one.height !== other.height) return 1;
  let count = 0;
  for (let at = 0; at < one.rgb.length; at += 3) if (apart(one.rgb.readUIntBE(at, 3), other.rgb.readUIntBE(at, 3)) > byMax) count += 1;
  return count / (one.width * one.height);
}
