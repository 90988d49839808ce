// Durations as the desk writes them, so that a terminal, a report and the desk say the same.

import { LANGUAGES } from "../web/desk/words.js";
import { createWriter } from "../web/desk/written.js";

/** Writes ms in at most two units: 4.2 s, 45 s, 12 min 30 s, 1 h 5 min. */
export const { duration } = createWriter("en", LANGUAGES.en);

/** Writes ms as an estimate: from a minute and a half on without seconds. */
export const roughly = (ms) => duration(ms < 90_000 ? ms : Math.round(ms / 60_000) * 60_000);
