/* What the page writes in each language stands in one table, in Latin digits; Node's Intl is held to it here, browsers' in tests/engines/. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { locales } from "../../scripts/assets.mjs";
import { WRITES, WRITTEN } from "./written.mjs";

// The table's times.
process.env.TZ = "UTC";

test("every language of the page has a row, and what is written is what stands there", async () => {
  const languages = (await locales()).map(({ lang }) => lang).sort();
  assert.deepEqual(Object.keys(WRITTEN), languages);
  const writes = (0, eval)(WRITES);
  for (const lang of languages) assert.deepEqual(writes(lang), WRITTEN[lang], lang);
});

test("every digit is Latin, also in languages that have their own", () => {
  const writes = (0, eval)(WRITES);
  for (const lang of ["ar", "ar-EG", "fa", "ur", "bn", "mr", "ne", "my", "hi"])
    for (const text of Object.values(writes(lang))) assert.doesNotMatch(text, /(?![0-9])\p{Nd}/u, lang);
});
