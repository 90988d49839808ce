// Ten thousand ways to spell a path: what attackers send, what proxies make, and what nobody would. The same seed makes the
// same paths.

import { readFileSync } from "node:fs";
import { inRoot } from "../../scripts/common.mjs";
import { diceOf, pick } from "../../scripts/dice.mjs";

/** How origins read paths, and the pieces that show it: the gate's own list (src/spelling/readings.rs). */
export const READINGS = JSON.parse(readFileSync(inRoot("kits", "vectors.json"), "utf8")).readings;

/** The list's pieces for one place, each once. */
const all = (place) => [...new Set(READINGS.flatMap((reading) => reading[place]))];
const times = (count, ...pieces) => Array.from({ length: count }, () => pieces).flat();

/** How a letter is written, by one of the list's ways. */
function written(letter, as) {
  const code = letter.charCodeAt(0);
  const hex = (byte) => byte.toString(16).padStart(2, "0");
  return as
    .replace("{hex}", hex(code))
    .replace("{upper}", letter.toUpperCase())
    .replace("{tail}", hex(0x80 | (code & 0x3f)))
    .replace("{wide}", hex(code + 0x20));
}

/** The path `/first/rest` in each spelling that an origin with this reading takes for it. `first` begins with a lower-case letter. */
export function spelt({ heads, blanks, ups, joints, ends, letters }, first, rest) {
  return [
    ...heads.map((head) => `${head}${first}/${rest}`),
    ...blanks.map((blank) => `/${blank}/${first}/${rest}`),
    ...ups.map((up) => `/x/${up}/${first}/${rest}`),
    ...joints.map((joint) => `/${first}${joint}${rest}`),
    ...ends.map((end) => `/${first}${end}/${rest}`),
    ...letters.map((as) => `/${written(first[0], as)}${first.slice(1)}/${rest}`),
  ];
}

/** What paths are made with. The same seed makes the same choices. */
function dice(seed) {
  const roll = diceOf(seed);
  return { below: (end) => Math.floor(roll() * end), of: (list) => pick(roll, list) };
}

const LETTERS = all("letters");
const NAMES = [
  "buy",
  "parking",
  "vip",
  "seat",
  "about",
  "x",
  "a.css",
  "1",
  "BUY",
  "ViP",
  "p%61rking",
  "caf%C3%A9",
  "%E5%BA%A7",
  ...["buy", "parking", "vip"].flatMap((name) => LETTERS.map((as) => written(name[0], as) + name.slice(1))),
];
const UP = ["..", ...all("ups")];
const SAME = all("blanks");
const JOINTS = [...times(6, "/"), ...all("joints")];
const TAILS = [...times(8, ""), "/", "?q=1", "?/../parking/", "?a=%2f..%2fbuy", "#x", "'", "~", "%7e", ...all("ends")];
const HEADS = [...times(8, "/"), ...all("heads"), ...SAME.map((blank) => `/${blank}/`)];

/** One more: a few segments, up and down, joined in odd ways. */
function spell({ below, of }) {
  let path = of(HEADS);
  const parts = 1 + below(5);
  for (let at = 0; at < parts; at += 1) {
    const kind = below(10);
    path += kind < 6 ? of(NAMES) : kind < 9 ? of(UP) : of(SAME);
    if (at + 1 < parts) path += of(JOINTS);
  }
  return path + of(TAILS);
}

/** `count` different ones. One in twenty in absolute form, as proxies are asked. */
export function spellings({ seed, count, host }) {
  const random = dice(seed);
  const found = new Set();
  while (found.size < count) {
    const path = spell(random);
    found.add(random.below(20) === 0 ? `http://${host}${path.startsWith("/") ? path : `/${path}`}` : path);
  }
  return [...found];
}
