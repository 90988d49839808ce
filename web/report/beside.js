/* Sales side by side: the figures of a sale and of others in one table, the newest first. Pure. */

import { heads, wide } from "./sections.js";
import { cameOf, shareOf } from "./sums.js";
import { escaped } from "./text.js";

/** The figures, in their order: what a sale's report says, as text; null if it says nothing of it. */
const FIGURES = {
  came: (report, { number }) => number(cameOf(report)),
  got_in: ({ people }, { number }) => number(people.got_in),
  half: ({ waits }, { duration }) => (waits.count > 0 ? duration(waits.half_ms) : null),
  most: ({ waits }, { duration }) => (waits.count > 0 ? duration(waits.most_ms) : null),
  longest_line: (report, { number }) => number(report.longest_line.count),
  most_inside: (report, { number }) => number(report.most_inside.count),
  permits: ({ permits: { fewest, most } }, { number }) => (fewest === most ? number(most) : `${number(fewest)}–${number(most)}`),
  stay: ({ stays }, { duration }) => (stays.count > 0 ? duration(stays.half_ms) : null),
  answer: ({ origin }, { duration }) => (origin.answers > 0 ? duration(origin.half_ms) : null),
  failed: ({ origin }, { number }) => number(Math.max(origin.failed, origin.bad)),
  dead: (report, { number }) => (shareOf(report) ? `${number(shareOf(report).dead)} %` : null),
};

/** Returns the section that sets a report beside `others`; empty without others. */
export function besideSection(report, others, say) {
  if (others.length === 0) return "";
  const { beside } = say.words;
  const sales = [report, ...others].sort((one, other) => other.from_ms - one.from_ms);
  const name = (sale) => [`${sale.room}, ${say.moment(sale.from_ms)}`, sale === report && beside.this].filter(Boolean).join(" · ");
  const row = ([key, of]) =>
    `<tr><td>${escaped(beside[key])}</td>${sales.map((sale) => `<td class="n">${escaped(of(sale, say) ?? "–")}</td>`).join("")}</tr>`;
  const table = `${heads([[beside.what, false], ...sales.map((sale) => [name(sale), true])])}<tbody>${Object.entries(FIGURES).map(row).join("")}</tbody>`;
  return `<section><h2>${escaped(beside.head)}</h2><p>${escaped(beside.text)}</p>${wide(beside.head, table)}</section>`;
}
