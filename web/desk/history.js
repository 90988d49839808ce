/* Who did what when: a list from all journals, the newest first, and the same as a file. */

import { csvOf, whatOf } from "./done.js";
import { filled } from "./filled.js";
import { h, patch } from "./tree.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Creates the screen in `place`. `read({ room, before })` asks the API, `why(error)` says what went wrong. */
export function createHistory(place, { read, why }) {
  let actions = [];
  let more = [];
  let silent = [];
  let failed = null;
  let isReading = false;

  async function add(asked) {
    failed = null;
    isReading = true;
    // The title at once: with a slow answer nothing at all would stand here.
    show();
    try {
      const pages = await Promise.all(asked.map((one) => read(one)));
      actions = [...actions, ...pages.flatMap((page) => page.actions)].sort((a, b) => b.at_ms - a.at_ms);
      [more, silent] = [pages.flatMap((page) => page.more), pages.flatMap((page) => page.silent)];
    } catch (error) {
      failed = why(error);
    }
    isReading = false;
    show();
  }

  function show() {
    const { history } = words;
    const line = ({ at_ms: atMs, by, room, does, what, row }) =>
      h(
        "li",
        { key: `${room}-${row}-${does}-${whatOf(what)}` },
        h("time", { class: "hint", datetime: new Date(atMs).toISOString() }, write.exact(atMs)),
        h("strong", {}, by || history.forgotten),
        h("span", {}, `${room.startsWith("~") ? history.house : room}: ${history.does[does] ?? does}`),
        h("code", {}, whatOf(what)),
      );
    patch(place, [
      h("h1", {}, history.title),
      h("p", { class: "hint" }, history.hint),
      failed && h("p", { class: "note" }, failed),
      silent.length > 0 && h("p", { class: "note" }, filled(history.silent, { rooms: silent.join(", ") })),
      actions.length === 0 && !failed && !isReading ? h("p", {}, history.none) : h("ol", { class: "done" }, actions.map(line)),
      h(
        "div",
        { class: "row" },
        more.length > 0 && h("button", { type: "button", "data-history": "more" }, history.older),
        actions.length > 0 &&
          h(
            "a",
            { class: "button", href: `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(actions))}`, download: "baton-actions.csv" },
            history.save,
          ),
      ),
    ]);
  }

  place.addEventListener("click", (event) => {
    if (event.target.closest("[data-history=more]")) add(more);
  });
  return {
    look() {
      [actions, more, silent] = [[], [], []];
      return add([{}]);
    },
  };
}
