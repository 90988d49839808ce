/* Many rooms at a glance: a sentence for all, then a card for each, worst first. Pure but for the order, which does not move under a thumb. */

import { byNeed } from "./situation.js";
import { sentenceOf, totalOf } from "./sentence.js";
import { filled } from "./filled.js";
import { h, patch } from "./tree.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Returns the mark of a level: a word and a shape, so that no colour is needed. */
export const mark = (level) => h("span", { class: "mark" }, h("i", { "aria-hidden": "true" }), words.levels[level]);

/** From a room of the house that said nothing for longer than this, its card says when that was. */
const FRESH_MS = 60_000;

function card({ room, situation, report, asOfMs }) {
  const { level, says } = sentenceOf(situation, write);
  const used = report ? `${write.number(report.inside)} / ${write.number(report.permits)}` : "–";
  return h(
    "li",
    { key: `room-${room}` },
    h(
      "a",
      { href: `#room/${room}`, class: `card ${level}` },
      h("span", { class: "row" }, h("strong", {}, room), mark(level)),
      h("span", { class: "text" }, says),
      h(
        "span",
        { class: "hint" },
        `${words.gauge.title}: ${used}${asOfMs && Date.now() - asOfMs > FRESH_MS ? ` · ${filled(words.as_of, { time: write.clock(asOfMs) })}` : ""}`,
      ),
    ),
  );
}

/** Creates the overview in `place`. Returns the function that shows rooms, `[{ room, situation, report, asOfMs }]`. */
export function createOverview(place) {
  let order = [];
  return (rooms, { mayChange, callable, undo }) => {
    const rests = !place.matches(":hover, :focus-within") || order.length !== rooms.length;
    if (rests) order = [...rooms].sort((one, other) => byNeed(one.situation, other.situation)).map(({ room }) => room);
    const sorted = [...rooms].sort((one, other) => order.indexOf(one.room) - order.indexOf(other.room));
    const total = totalOf(
      rooms.map(({ situation }) => situation),
      write,
    );
    patch(place, [
      h("div", { class: `say ${total.level}`, key: "say" }, mark(total.level), h("h2", {}, total.says)),
      mayChange &&
        h(
          "div",
          { class: "acts", key: "acts" },
          callable > 0 && h("button", { type: "button", "data-do": "pause_all", key: "pause_all" }, words.actions.pause_all),
          undo > 0 && h("button", { type: "button", "data-do": "undo_all", key: "undo_all" }, filled(words.actions.undo_all, { rooms: undo })),
        ),
      h("ul", { class: "cards", key: "cards" }, sorted.map(card)),
    ]);
  };
}
