/* Numbers and dates are the same signs in every engine and language: of the functions that write them, and on the page. */

import assert from "node:assert/strict";
import { startGallery } from "../../scripts/gallery.mjs";
import { WRITES, WRITTEN } from "../page/written.mjs";
import { inEachEngine, startEngine } from "../support/engines/index.mjs";

// The table's times; the browsers take it from here.
process.env.TZ = "UTC";

inEachEngine("numbers, times and durations are those of the table", {}, async (t, name) => {
  const engine = await startEngine(name);
  t.after(() => engine.close());
  const person = await engine.person();
  await person.goto("about:blank");
  for (const lang of Object.keys(WRITTEN)) assert.deepEqual(await person.evaluate(WRITES, lang), WRITTEN[lang], `${engine.version}, ${lang}`);
});

for (const scripts of [true, false]) {
  inEachEngine(`one number on the page in every language, ${scripts ? "with" : "without"} scripts`, {}, async (t, name) => {
    const gallery = await startGallery();
    t.after(() => gallery.close());
    const engine = await startEngine(name, { scripts });
    t.after(() => engine.close());
    const person = await engine.person();
    for (const lang of Object.keys(WRITTEN)) {
      await person.goto(`${gallery.url}/${lang}/waiting-million`);
      if (scripts) await person.until(() => document.querySelector("[data-baton=heard]")?.textContent);
      const { number, ahead, text } = await person.evaluate(() => {
        const of = (place) => document.querySelector(`[data-baton=${place}]`).textContent;
        return { number: of("number"), ahead: of("ahead"), text: document.body.innerText };
      });
      assert.deepEqual([number, ahead], ["12345678", "1234567"], lang);
      assert.doesNotMatch(text, /(?![0-9])\p{Nd}/u, lang);
    }
  });
}
