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

/** Returns the table that sets a report beside `others`, as texts: `{ head, text, columns, rows }`; null without others. */
export function besideOf(report, others, say) {
  if (others.length === 0) return null;
  const { beside } = say.words;
  const sales = [report, ...others].sort((one, other) => other.from_ms - one.from_ms);
  const name = (sale) => [`${sale.room}, ${say.moment(sale.from_ms)}`, sale === report && beside.this].filter(Boolean).join(" · ");
  const row = ([key, of]) => [beside[key], ...sales.map((sale) => of(sale, say) ?? "–")];
  return { head: beside.head, text: beside.text, columns: [beside.what, ...sales.map(name)], rows: Object.entries(FIGURES).map(row) };
}

/** Returns the section that sets a report beside `others`; empty without others. */
export function besideSection(report, others, say) {
  const told = besideOf(report, others, say);
  if (!told) return "";
  const row = ([what, ...values]) => `<tr><td>${escaped(what)}</td>${values.map((value) => `<td class="n">${escaped(value)}</td>`).join("")}</tr>`;
  const table = `${heads(told.columns.map((column, at) => [column, at > 0]))}<tbody>${told.rows.map(row).join("")}</tbody>`;
  return `<section><h2>${escaped(told.head)}</h2><p>${escaped(told.text)}</p>${wide(told.head, table)}</section>`;
}
