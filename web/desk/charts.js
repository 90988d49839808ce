/* The charts of a room at the desk, each with its answer: the hall or the waits, the shop, and how it answers. */

import { answersChart, hallChart, isHall, shopChart, waitChart } from "./questions.js";
import { patch } from "./tree.js";
import { letWalk } from "./walk.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Returns the function that draws the charts. `part(key)` finds a place of the room's view. */
export function createCharts(part) {
  let facts = null;
  /** @type {Record<string, number | null>} */
  const picked = { waits: null, shop: null, answers: null };
  for (const key of Object.keys(picked))
    letWalk(part(key), (moment) => {
      picked[key] = moment;
      draw();
    });

  function draw() {
    const { report, columns, waitMs, asOf } = facts;
    const asked = isHall(report) ? "hall" : "waits";
    const first = asked === "hall" ? hallChart(columns, report, write, picked.waits) : waitChart(columns, { report, waitMs }, write, picked.waits);
    patch(part("waits-title"), [words.questions[asked].title]);
    /** @type {[string, { plot: any, answer: any }][]} */
    const charts = [
      ["waits", first],
      ["shop", shopChart(columns, report, write, picked.shop)],
    ];
    for (const [key, { plot, answer }] of charts) {
      patch(part(key), [plot]);
      patch(part(`${key}-answer`), [`${asOf} ${answer}`.trim()]);
    }
    patch(part("answers"), [answersChart(columns, write, picked.answers)]);
  }

  return (told) => {
    facts = told;
    draw();
  };
}
