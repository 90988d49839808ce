// A font in which every sign is the same box and every space is as wide, made here. On a page in this font nothing depends on the fonts of the machine:
// lines break at the same place and pictures are the same wherever an engine is the same.
//
//   await inBoxes(person)

const EM = 1_000;
const [ASCENT, DESCENT, ADVANCE, WEIGHT] = [800, 200, 500, 400];
const BOX = { left: 40, bottom: 0, right: 460, top: 600 };
const [, SPACE, SIGN] = [0, 1, 2];
/**
 * Code points, from the first to the last, and the glyph that all of them have. What has no width is left out: WebKit gives no width to whatever shares
 * its glyph. So are Arabic presentation forms: where they are, engines make ligatures, and here any two letters would become one.
 */
const GLYPHS = [
  [0x20, 0x20, SPACE],
  [0x21, 0x7e, SIGN],
  [0xa0, 0xa0, SPACE],
  [0xa1, 0xac, SIGN],
  [0xae, 0x1fff, SIGN],
  [0x2000, 0x200a, SPACE],
  [0x2010, 0x2027, SIGN],
  [0x2030, 0x205e, SIGN],
  [0x2070, 0xfaff, SIGN],
  [0x10000, 0x10ffff, SIGN],
];

/** Fields as `[bytes, value]`, in the order of a font's file: big-endian. */
function table(...fields) {
  const bytes = Buffer.alloc(fields.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 8) bytes.writeBigInt64BE(BigInt(value), at);
    else if (size === 4) bytes.writeUInt32BE(value >>> 0, at);
    else if (size === 2) bytes.writeUInt16BE(value & 0xffff, at);
    else bytes.writeUInt8(value, at);
    at += size;
  }
  return bytes;
}
const words = (...values) => values.map((value) => [2, value]);
const longs = (...values) => values.map((value) => [4, value]);
const NONE = 0;

/** The tables of the font, as the OpenType specification lays them out. */
function tables() {
  const { left, bottom, right, top } = BOX;
  const glyph = table(
    ...words(1, left, bottom, right, top, 3, 0),
    ...[1, 1, 1, 1].map((flag) => [1, flag]),
    ...words(left, 0, right - left, 0),
    ...words(bottom, top - bottom, 0, bottom - top),
  );
  const groups = GLYPHS.flatMap((group) => longs(...group));
  // Format 13: each group of code points has one glyph.
  const map = table(...words(13, 0), ...longs(16 + groups.length * 4, 0, GLYPHS.length), ...groups);
  const names = Buffer.from("boxes");
  return {
    "OS/2": table(
      ...words(4, ADVANCE, WEIGHT, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0),
      ...Array(10).fill([1, 0]),
      ...longs(1, 0, 0, 0),
      [4, 0x20202020],
      ...words(0x40, 0x20, 0xffff, ASCENT, -DESCENT, NONE, ASCENT, DESCENT),
      ...longs(1, 0),
      ...words(500, top, 0, 0x20, 1),
    ),
    cmap: Buffer.concat([table(...words(0, 1, 3, 10), [4, 12]), map]),
    glyf: glyph,
    head: table(...longs(0x00010000, 0x00010000, 0, 0x5f0f3cf5), ...words(0, EM), [8, 0], [8, 0], ...words(left, bottom, right, top, 0, 8, 2, 0, 0)),
    hhea: table([4, 0x00010000], ...words(ASCENT, -DESCENT, NONE, ADVANCE, left, ADVANCE - right, right, 1, 0, 0, 0, 0, 0, 0, 0, 3)),
    hmtx: table(...words(ADVANCE, 0, ADVANCE, 0, ADVANCE, left)),
    loca: table(...words(0, 0, 0, glyph.length / 2)),
    maxp: table([4, 0x00010000], ...words(3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)),
    name: Buffer.concat([table(...words(0, 1, 18, 1, NONE, NONE, 1, names.length, 0)), names]),
    post: table(...longs(0x00030000, 0), ...words(-100, 50), ...longs(0, 0, 0, 0, 0)),
  };
}

const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
function checksum(bytes) {
  const whole = padded(bytes);
  let sum = 0;
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0;
  return sum;
}

/** The font's file. */
export function boxFont() {
  const parts = Object.entries(tables());
  const powers = Math.floor(Math.log2(parts.length));
  const head = table([4, 0x00010000], ...words(parts.length, 16 * 2 ** powers, powers, 16 * (parts.length - 2 ** powers)));
  let at = head.length + 16 * parts.length;
  const rows = parts.map(([tag, bytes]) => {
    const row = Buffer.concat([Buffer.from(tag), table(...longs(checksum(bytes), at, bytes.length))]);
    at += padded(bytes).length;
    return row;
  });
  const file = Buffer.concat([head, ...rows, ...parts.map(([, bytes]) => padded(bytes))]);
  const headAt = file.readUInt32BE(head.length + 16 * parts.findIndex(([tag]) => tag === "head") + 8);
  file.writeUInt32BE((0xb1b0afba - checksum(file)) >>> 0, headAt + 8);
  return file;
}

const FONT = boxFont().toString("base64");

/** Shows the page that is open in boxes. */
export async function inBoxes(person) {
  await person.evaluate((font) => {
    const bytes = Uint8Array.from(atob(font), (sign) => sign.charCodeAt(0));
    // For every weight, so that no engine makes a bold face by itself.
    const face = new FontFace("boxes", bytes.buffer, { weight: "1 1000" });
    document.fonts.add(face);
    face.load().then(
      () => {
        window.boxes = "there";
      },
      (error) => {
        window.boxes = String(error);
      },
    );
    document.documentElement.style.setProperty("--font", "boxes");
  }, FONT);
  const said = await person.until(() => window.boxes);
  if (said !== "there") throw new Error(`the engine takes no font of boxes: ${said}`);
}

/** Resolves once the engine has drawn what the page is now. */
export async function drawn(person) {
  await person.evaluate(() => {
    window.drawn = false;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        window.drawn = true;
      }),
    );
  });
  await person.until(() => window.drawn);
}
