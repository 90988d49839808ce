/* The last rows of a room's journal, newest first: when each was written, and what the room decided, in sentences and as it is written. */

import { h, patch } from "./tree.js";
import { filled } from "./filled.js";
import { rowSays } from "./journal_says.js";
import all from "./journal_words.json" with { type: "json" };
import { language, words } from "./words.js";
import { write } from "./written.js";

/** This many rows are fetched at once. */
const PAGE = 50;

const texts = all[language];

/** Returns an event in the journal's own names and with their values. */
function writtenEvent(event) {
  if (typeof event === "string") return event;
  const [[name, more]] = Object.entries(event);
  return `${name} ${JSON.stringify(more)}`;
}

const rowOf = ({ version, at_ms: atMs, events }) => ({ version, atMs, says: rowSays(events, texts, write), raw: events.map(writtenEvent) });

/** Brings the `<details>` to life. `read(after)` resolves to rows, `last()` returns the last row's number. */
export function createJournal(element, { read, last }) {
  const more = element.querySelector("button");
  let rows = [];
  const show = () => {
    patch(
      element.querySelector("ol"),
      rows.map(({ version, atMs, says, raw }) =>
        h(
          "li",
          { key: version },
          h("strong", {}, filled(words.journal.row, { version: write.number(version) })),
          " ",
          h("time", { datetime: new Date(atMs).toISOString() }, write.exact(atMs)),
          says.map((text) => h("p", {}, text)),
          h(
            "details",
            {},
            h("summary", { class: "hint" }, texts.raw),
            raw.map((text) => h("code", {}, text)),
          ),
        ),
      ),
    );
    more.hidden = rows.length === 0 || rows.at(-1).version <= 1;
  };
  const fetchBefore = async (version) => {
    const after = Math.max(0, version - 1 - PAGE);
    const page = (await read(after)).filter((row) => row.version < version).slice(0, PAGE);
    rows = [...rows, ...page.map(rowOf).reverse()];
    show();
  };
  element.addEventListener("toggle", () => {
    if (!element.open) return;
    rows = [];
    fetchBefore(last() + 1);
  });
  more.addEventListener("click", () => fetchBefore(rows.at(-1).version));
}
