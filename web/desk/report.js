/* Makes the report of a room at one click, in the browser and from the room's journal, and saves it. Nothing for it loads before the click. */

import { filled } from "./filled.js";
import { h, patch } from "./tree.js";
import { locale, words } from "./words.js";

const counts = new Intl.NumberFormat(locale);

/** Returns a room's sales side by side, as a table. A wide one scrolls, by keys too. */
const tableOf = ({ head, columns, rows }) =>
  h(
    "div",
    { class: "wide", role: "region", "aria-label": head, tabindex: "0" },
    h(
      "table",
      {},
      h("caption", {}, head),
      h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, column)))),
      h("tbody", {}, ...rows.map(([what, ...values]) => h("tr", {}, h("th", { scope: "row" }, what), ...values.map((value) => h("td", {}, value))))),
    ),
  );

/** Makes a button save the report of a room, says in `place` what comes of it, and shows the room's last sales in `history`. */
export function createReport(button, place, history, room) {
  let urls = [];
  const say = (text) => place.replaceChildren(text);

  function offer({ report, page, journal, sales }) {
    urls.forEach((url) => URL.revokeObjectURL(url));
    const name = `${room}-${new Date(report.to_ms).toISOString().slice(0, 10)}`;
    const links = [
      [new Blob([page], { type: "text/html" }), `${name}-report.html`, words.report.page],
      [journal, `${name}-journal.ndjson`, words.report.journal],
    ].map(([blob, file, text]) => link(blob, file, text));
    urls = links.map(({ href }) => href);
    const { verdict } = report;
    const told = verdict.is_sound
      ? filled(words.report.sound, { rows: counts.format(verdict.rows) })
      : filled(words.report.unsound, { row: counts.format(verdict.fault.row) });
    place.replaceChildren(`${told} ${words.report.saved} `, links[0], " ", links[1]);
    patch(history, sales ? [tableOf(sales)] : []);
    links[0].click();
  }

  button.addEventListener("click", () => {
    const { reporter, report: wasm } = document.documentElement.dataset;
    // It is missing right after a first `npm start`, which builds it in the background.
    if (!reporter) return say(words.report.later);
    button.disabled = true;
    say(words.report.loading);
    const worker = new Worker(reporter, { type: "module" });
    const done = () => {
      worker.terminate();
      button.disabled = false;
    };
    worker.addEventListener("message", ({ data }) => {
      if (data.row !== undefined) return say(filled(words.report.reading, { row: counts.format(data.row) }));
      done();
      if (data.error) say(filled(words.report.failed, { why: data.error }));
      else offer(data);
    });
    worker.addEventListener("error", () => {
      done();
      say(filled(words.report.failed, { why: words.report.unloaded }));
    });
    worker.postMessage({ wasm, room, lang: locale, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  });
}

function link(blob, download, textContent) {
  return Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download, textContent });
}
