/* Looks up one ticket by number: where it stands, and what the journal says of it, page by page until its end. */

import { filled } from "./filled.js";
import { createLaneNumber } from "./lane_numbers.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Makes the look-up in `form` show in `place` what `ask(number, from)` yields. Returns the form's choice of lanes. */
export function createLookUp(form, place, ask) {
  const laneNumber = createLaneNumber(form);
  let asked = 0;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const mine = ++asked;
    const { number, called } = laneNumber.read();
    const list = document.createElement("ol");
    const head = document.createElement("p");
    place.replaceChildren(head, list);
    head.textContent = words.story.reading;
    /** @type {any} */
    let page = null;
    do {
      page = await ask(number, page?.next);
      if (!page || mine !== asked) {
        if (mine === asked) place.replaceChildren();
        return;
      }
      list.append(...page.events.map(entry));
      head.textContent = filled(words.story.so_far, page);
    } while (page.next);
    const stands = filled(words.story[page.state], { ...page, number: called });
    head.textContent = page.cleared ? `${stands} ${filled(words.story.cleared, page)}` : stands;
  });
  return laneNumber;
}

function entry({ at_ms, says, times, until_ms }) {
  const item = document.createElement("li");
  const time = document.createElement("time");
  time.dateTime = new Date(at_ms).toISOString();
  time.textContent = write.exact(at_ms);
  item.append(time, ` ${times > 1 ? filled(words.story.times, { says, times, until: write.exact(until_ms) }) : says}`);
  return item;
}
