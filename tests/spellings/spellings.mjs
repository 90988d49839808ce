// Ten thousand ways to spell a path: what attackers send, what proxies make, and what nobody would. The same seed makes the
// same paths.

import { diceOf, pick } from "../../scripts/dice.mjs";

/** What paths are made with. The same seed makes the same choices. */
function dice(seed) {
  const roll = diceOf(seed);
  return { below: (end) => Math.floor(roll() * end), of: (list) => pick(roll, list) };
}

const NAMES = ["buy", "parking", "vip", "seat", "about", "BUY", "Parking", "ViP", "x", "a.css", "%62uy", "p%61rking", "%42uy", "caf%C3%A9", "%E5%BA%A7", "1"];
const UP = ["..", "%2e%2e", ".%2e", "%2E.", "..;", "..;x=1", "%252e%252e", "..%00", "%c0%ae%c0%ae", "...", "..%20", "..%ff", "%2e%2e;", "..::$DATA"];
const SAME = [".", "%2e", "", ";", ";v=1", "%20", ".;", "%252e"];
const JOINTS = ["/", "/", "/", "/", "//", "\\", "%2f", "%2F", "%5c", "%252f", "%255c", "/./", "/%2e/", "///", ";/", "/;/", "%00/", "%3b/", "%c0%af", "%EF%BC%8F", "%E2%88%95", "\\/"];
const TAILS = ["", "", "", "", "/", "?q=1", "?/../parking/", "?a=%2f..%2fbuy", ";v=1", ";jsessionid=A1", "%00", "%00.css", "%20", ".", "%3f", "%3fx=1", "%23", "#x", "%0a", "%ff", "%zz", "%", "::$DATA", "%u002f", "'", "~", "%7e", "%E2%80%8B"];
const HEADS = ["/", "/", "/", "/", "/", "/", "//", "/./", "\\", "/%2f", "/;/", "/.;/", "/%2e/", "//x/", "///x/", "/\\x/", "//u@x:80/"];

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
