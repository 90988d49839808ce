/* Reads a ticket's number as an operator hears it on the phone, "12, Members": the lane is chosen beside the number. */

import { words } from "./words.js";

/** Adds a choice of lanes to a form with a number, if the room has lanes. `read()` returns the ticket's number and how people call it. */
export function createLaneNumber(form) {
  const input = form.querySelector("input");
  const select = document.createElement("select");
  select.setAttribute("aria-label", words.lanes.lane);
  select.hidden = true;
  form.querySelector("button").before(select);
  let from = {};
  return {
    take(lanes = []) {
      const names = lanes.map(({ name }) => name).join(" ");
      from = Object.fromEntries(lanes.map(({ name, numbers_from: numbersFrom, title }) => [name, { numbersFrom, title }]));
      if (select.dataset.names === names) return;
      select.dataset.names = names;
      // Everybody's lane, the last, is asked for most often.
      select.replaceChildren(...lanes.map(({ name, title }, at) => new Option(title, name, at === lanes.length - 1, at === lanes.length - 1)));
      select.hidden = lanes.length === 0;
    },
    read() {
      const lane = from[select.value];
      return lane
        ? { number: lane.numbersFrom + Number(input.value), called: `${input.value} (${lane.title})` }
        : { number: input.value, called: input.value };
    },
  };
}
