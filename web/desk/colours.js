/* Works out contrasts and the style sheet from the colours that an operator chooses, as src/brand/ does for the page. It serves the preview
 * and what is said while somebody types; Baton's own result counts. tests/fixtures/colours.json holds both to the same results. */

export const SHADES = ["light", "dark"];
export const NAMES = ["accent", "ground", "ink"];
/** The colours of theme.css, for what is not chosen. */
export const OURS = {
  light: { accent: "#1f6f66", ground: "#f4f2ec", ink: "#1c2a33", paper: "#fffefb" },
  dark: { accent: "#84d0c2", ground: "#11171b", ink: "#e8ecec", paper: "#1a2328" },
};
/** The least contrast of text, in thousandths. */
export const CONTRAST_MIN = 4_500;
const FLARE = 500_000_000;
const [BLACK, WHITE] = [
  [0, 0, 0],
  [255, 255, 255],
];

const linear = (channel) => Math.round(1_000_000 * (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
/** @type {(colour: number[]) => number} */
const luminance = ([red, green, blue]) => linear(red) * 2_126 + linear(green) * 7_152 + linear(blue) * 722;
/** Returns `[r, g, b]` of `#rrggbb`, or undefined for any other text. */
export const parsed = (text) => (/^#[0-9a-f]{6}$/i.test(text ?? "") ? [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) : undefined);
const written = (colour) => `#${colour.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
const towards = (from, to, percent) => from.map((channel, at) => Math.floor((channel * (100 - percent) + to[at] * percent + 50) / 100));

function contrast(one, two) {
  const [high, low] = [luminance(one), luminance(two)].sort((a, b) => b - a);
  return Math.floor(((high + FLARE) * 1_000) / (low + FLARE));
}

const least = (colour, others) => Math.min(...others.map((other) => contrast(colour, other)));

/** Returns the first colour on the way to black or white that can be read on all of `behind`, or null. */
function readable(colour, behind) {
  for (let percent = 0; percent <= 100; percent++) {
    for (const end of [BLACK, WHITE]) {
      const tried = towards(colour, end, percent);
      if (least(tried, behind) >= CONTRAST_MIN) return written(tried);
    }
  }
  return null;
}

function coloursOf(chosen, shade) {
  const { accent, ground, ink } = Object.fromEntries(NAMES.map((name) => [name, parsed(chosen[name]) ?? parsed(OURS[shade][name])]));
  const isDark = luminance(ink) > luminance(ground);
  const paper = parsed(chosen.ground) ? towards(ground, WHITE, isDark ? 5 : 75) : parsed(OURS[shade].paper);
  return { accent, ground, ink, paper };
}

/** Returns how text and accent contrast with page and ticket: `{ ink: { milli, nearest }, accent: … }`. `nearest` is set if it is too little. */
export function contrasts(chosen, shade) {
  const { accent, ground, ink, paper } = coloursOf(chosen, shade);
  const judged = (colour) => {
    const milli = least(colour, [ground, paper]);
    return { milli, nearest: milli < CONTRAST_MIN ? readable(colour, [ground, paper]) : undefined };
  };
  return { ink: judged(ink), accent: judged(accent) };
}

function properties(chosen, shade) {
  const { accent, ground, ink, paper } = coloursOf(chosen, shade);
  const found = [];
  if (parsed(chosen.accent)) found.push(["accent", accent], ["on-accent", contrast(WHITE, accent) >= CONTRAST_MIN ? WHITE : BLACK]);
  if (parsed(chosen.ground) || parsed(chosen.ink)) {
    let soft = ink;
    for (let percent = 100; percent >= 65; percent--) {
      const tried = towards(ground, ink, percent);
      if (least(tried, [ground, paper]) >= CONTRAST_MIN) soft = tried;
    }
    found.push(["ground", ground], ["ink", ink], ["line", towards(ground, ink, 15)], ["paper", paper], ["soft", soft]);
  }
  return found.map(([name, colour]) => `--${name}:${written(colour)};`).join("");
}

/** Returns the style sheet for `{ light, dark }`; empty if nothing is chosen. */
export function sheetOf(chosen) {
  const rules = SHADES.map((shade) => [shade, properties(chosen[shade] ?? {}, shade)]).filter(([, text]) => text);
  const text = rules.map(([shade, own]) => `@media (prefers-color-scheme:${shade}){:root{${own}}}`).join("");
  return text && `@layer theme{${text}}`;
}
