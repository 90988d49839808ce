/* Asks what an operator changes of a room's lanes. Each question says what will follow, and resolves to the live values to change. */

import { ask, field } from "./ask.js";
import { filled } from "./filled.js";
import { followsOfShares, followsOfTurn, isOpen, shared, turned } from "./lanes.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Asks whether to open a lane, or to close it. Resolves to the live values, or to null. */
export async function askTurn({ room, report, settings }, name) {
  const lane = report.lanes.find((one) => one.name === name);
  const [title, open] = [lane.title, isOpen(lane)];
  const { lanes: text } = words;
  const said = await ask({
    question: filled(open ? text.ask_close : text.ask_open, { title, room }),
    yes: open ? text.close : text.open_now,
    follows: () => followsOfTurn(report, name, !open, write),
  });
  return said && { lanes: turned(settings.lanes.value, name, !open, Date.now()) };
}

/** Asks for each lane's share. Resolves to the live values, or to null. */
export async function askShares({ room, report, settings }) {
  const { lanes: text } = words;
  const inputs = report.lanes
    .filter(({ is_listed: isListed }) => isListed)
    .map(({ name, title, share }) =>
      field(title, Object.assign(document.createElement("input"), { name, type: "number", min: 1, max: 100, step: 1, required: true, value: share })),
    );
  const numbers = (values) => Object.fromEntries(Object.entries(values).map(([name, share]) => [name, Number(share)]));
  const said = await ask({
    question: filled(text.ask_shares, { room }),
    yes: words.change,
    fields: inputs,
    follows: (values) => followsOfShares(report, numbers(values), write),
  });
  return said && { lanes: shared(settings.lanes.value, numbers(said)) };
}
