/* Every form in which the page writes numbers, times and durations, for one table that holds all engines: tests/fixtures/written.json. */

import { readFileSync } from "node:fs";
import { inRoot } from "../../scripts/common.mjs";

export const WRITTEN = JSON.parse(readFileSync(inRoot("tests", "fixtures", "written.json"), "utf8"));

const FORMAT = readFileSync(inRoot("web", "format.js"), "utf8").replace(/^export /gm, "");

/** The source of a function that writes the table's row of a language, with web/format.js in it: any engine can run it in any page. */
export const WRITES = `(lang) => {
  ${FORMAT}
  const words = { about: "{time}", under: "{time}" }, atMs = Date.UTC(2026, 10, 27, 19, 6, 41);
  const row = {
    time: timeText(atMs, atMs, lang), second: timeText(atMs, atMs, lang, "medium"), day: timeText(atMs, atMs + 86_400_000, lang),
    hours: durationText(4_325_000, lang), days: durationText(93_600_000, lang), seconds: durationText(28_000, lang),
    wait: waitText([200, 290], lang, words), short: waitText([0, 30], lang, words), long: waitText([7_000_000, 9_000_000], lang, words),
  };
  // Which kind of space stands between a number and its unit is a matter of the engine's year.
  return Object.fromEntries(Object.entries(row).map(([name, text]) => [name, text.replace(/\\s/g, " ")]));
}`;
