/* Draws people's way through a room: arriving, in line, called, inside, done, and who leaves before. Pure: takes a report, returns a piece
 * of page. It is a list with the same words and numbers, so it says the same to people who do not see the circles. */

import { filled } from "./filled.js";
import { isHall as gathers } from "./questions.js";
import { h } from "./tree.js";

const SIZE = 48;
/** The least radius of a circle that stands for somebody, so that one person is seen beside a hundred thousand. */
const LEAST = 5;

/** Returns a circle whose area goes with the people. `most` is the largest count of the picture. */
function circle(count, most, name) {
  const radius = count > 0 ? Math.max(LEAST, (SIZE / 2 - 1) * Math.sqrt(count / most)) : 2;
  return h(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true", class: `dot ${name}` },
    h("circle", { cx: SIZE / 2, cy: SIZE / 2, r: Math.round(radius * 10) / 10 }),
  );
}

/** Returns the picture of a report and of rates a second (`seen`; null if not yet known). */
export function wayOf(report, seen, write) {
  const { way } = write.text;
  // Before the opening people come to the hall, and the draw gives them their numbers.
  const isHall = gathers(report);
  const line = isHall ? report.in_hall : report.present;
  const people = { line, called: report.called, inside: report.inside };
  const most = Math.max(1, ...Object.values(people));
  const rate = (perS) => (perS === null || perS === undefined ? "–" : filled(way.a_minute, { count: write.number(perS * 60) }));
  const lost = report.totals.left + report.totals.grace_ended;
  const exits = {
    line: report.away > 0 ? filled(way.away, { count: write.number(report.away) }) : null,
    called: report.totals.missed > 0 ? filled(way.missed, { count: write.number(report.totals.missed) }) : null,
    came: null,
    done: null,
    inside: null,
  };
  const left = lost > 0 ? filled(way.left, { count: write.number(lost) }) : null;
  const stop = (key, big) =>
    h(
      "li",
      { class: key, key },
      key in people ? circle(people[key], most, key) : h("span", { class: "dot flow", "aria-hidden": "true" }, "→"),
      h("span", { class: "what" }, way[key === "line" && isHall ? "hall" : key]),
      h("strong", {}, big),
      exits[key] && h("span", { class: "exit" }, exits[key]),
    );
  return [
    h(
      "ol",
      { class: "way", "aria-label": way.label },
      stop("came", rate(isHall ? seen.enteredPerS : seen.camePerS)),
      ...Object.entries(people).map(([key, count]) => stop(key, write.number(count))),
      stop("done", rate(seen.donePerS)),
    ),
    left && h("p", { class: "hint" }, left),
  ];
}
