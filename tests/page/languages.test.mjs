/* Every state of the gallery in the languages beside English (states.test.mjs). */

import { after, before, test } from "node:test";
import { DESKTOP } from "./browser.mjs";
import { LOCALES, startWalks } from "./walk.mjs";

/** Languages in which every state is judged by axe, in both schemes, one of them from right to left; the others on one phone. */
const JUDGED = ["ja", "ar"];

let walks;
before(async () => {
  walks = await startWalks();
});
after(() => walks.close());

for (const lang of JUDGED) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${lang}, ${colorScheme}, phone`, (t) => walks.walk(t, lang, { colorScheme }));
    test(`${lang}, ${colorScheme}, desktop`, (t) => walks.walk(t, lang, { colorScheme, viewport: DESKTOP }));
  }
  test(`when JavaScript is unavailable, ${lang}`, (t) => walks.walkWithoutScript(t, lang));
}
for (const lang of Object.keys(LOCALES).filter((each) => each !== "en" && !JUDGED.includes(each))) {
  test(`${lang}, phone`, (t) => walks.walk(t, lang, { axe: false }));
}
