/* The report as one HTML file that needs no other: from the value of tools/src/report/ to text. Pure. Node and the desk's browser run the
 * same code. */

import { besideSection } from "./beside.js";
import { courseChart, flowChart, frameOf, orderCharts, originChart, permitsChart, spreadChart, stockChart, waitsChart } from "./charts.js";
import { forecastsFigure } from "./forecasts.js";
import { actsOf, actsSection, drawsSection, headsSection, lanesSection, marksOf, peopleSection, settingsSection, verifySection } from "./sections.js";
import { STYLE } from "./style.js";
import { cameOf, shareOf } from "./sums.js";
import { tables } from "./tables.js";
import { escaped, filled, speaker } from "./text.js";

const TICK =
  '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2"><circle cx="12" cy="12" r="10"/><path d="m7 12.5 3.5 3.5L17 9"/></svg>';
const CROSS =
  '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2"><circle cx="12" cy="12" r="10"/><path d="m8 8 8 8m0-8-8 8"/></svg>';

const paragraph = (text, name = "") => (text ? `<p${name && ` class="${name}"`}>${escaped(text)}</p>` : "");
const framed = (figure, more = "") =>
  figure ? `<figure><figcaption><h2>${escaped(figure.title)}</h2>${paragraph(figure.text)}</figcaption>${figure.body}${more}</figure>` : "";

function verdictBox({ verdict }, { words, number }) {
  const { is_sound: isSound, rows, fault } = verdict;
  const text = isSound ? filled(words.sound_text, { rows: number(rows) }) : filled(words.unsound_text, { ...fault, row: number(fault.row) });
  return `<div class="verdict${isSound ? "" : " bad"}">${isSound ? TICK : CROSS}<div><strong>${escaped(isSound ? words.sound : words.unsound)}</strong>${paragraph(text)}</div></div>`;
}

/** Returns the whole in a few sentences. */
function sentencesOf(report, { words, number, duration, lang }) {
  const { people, waits, is_public: isPublic } = report;
  const { lead } = words;
  const came = filled(people.entered > 0 ? lead.hall : lead.came, {
    came: number(cameOf(report)),
    entered: number(people.entered),
    got_in: number(people.got_in),
  });
  const waited =
    waits.count > 0 ? filled(lead.waits, { half: duration(waits.half_ms), most: duration(waits.most_ms), longest: duration(waits.longest_ms) }) : "";
  const none = isPublic && cameOf(report) < 10 ? lead.merged : report.counted.calls === 0 ? lead.nobody_waited : "";
  return [came, waited || none].filter(Boolean).join(lang === "ja" ? "" : " ");
}

function figuresOf(report, { words: { figures }, number, duration }) {
  const share = shareOf(report);
  const all = [
    [figures.came, number(cameOf(report))],
    [figures.got_in, number(report.people.got_in)],
    report.waits.count > 0 && [figures.half, duration(report.waits.half_ms)],
    [figures.longest_line, number(report.longest_line.count)],
    [figures.most_inside, number(report.most_inside.count)],
    !report.is_public && share && [figures.dead, `${number(share.dead)} %`],
    !report.is_public && report.counted.attempts > 0 && [figures.attempts, number(report.counted.attempts)],
  ];
  return `<dl class="figures">${all
    .filter(Boolean)
    .map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`)
    .join("")}</dl>`;
}

function waitsFigure(report, frame, say) {
  const { words, duration } = say;
  const drawn = report.drawn_waits;
  const text =
    drawn.count > 0
      ? filled(words.waits.drawn, { half: duration(drawn.half_ms), most: duration(drawn.most_ms), longest: duration(drawn.longest_ms) })
      : "";
  const figure = waitsChart(report, frame, say);
  if (figure) return framed(figure, paragraph(text));
  return text ? `<section><h2>${escaped(words.waits.head)}</h2>${paragraph(text)}</section>` : "";
}

function permitsFigure(report, frame, say) {
  const { words, number, duration } = say;
  const share = shareOf(report);
  if (!share) return "";
  const told = Object.fromEntries(Object.entries(share).map(([key, part]) => [key, number(part)]));
  const times = ({ half_ms: half, most_ms: most }) => ({ half: duration(half), most: duration(most) });
  const more = [
    report.claims.count > 0 && filled(words.permits.claims, times(report.claims)),
    report.stays.count > 0 && filled(words.permits.stays, times(report.stays)),
  ];
  return framed(permitsChart(report, frame, filled(words.permits.text, told), say), paragraph(more.filter(Boolean).join(" ")));
}

/** Returns how the shop did: its answers, what they led to, and what its own check said. */
function originFigures(report, frame, say) {
  const { words, number, duration, moment } = say;
  const { origin, stock, stops, proofs } = report;
  const failed = Math.max(origin.failed, origin.bad);
  const text = filled(words.origin.text, {
    answers: number(origin.answers),
    half: duration(origin.half_ms),
    most: duration(origin.most_ms),
    failed: number(failed),
  });
  const stopped =
    stops.length > 0
      ? filled(words.origin.stops, { count: number(stops.length), time: duration(stops.reduce((sum, [from, to]) => sum + to - from, 0)) })
      : "";
  const { ok = 0, ...refusals } = proofs;
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  const reasons = Object.entries(refusals)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${number(count)}`)
    .join(", ");
  const checked =
    ok + refused > 0 ? filled(words.origin.proofs, { checked: number(ok + refused), refused: number(refused), reasons: reasons || "–" }) : "";
  const left = stock && filled(words.stock.text, { first: number(stock.first), at: moment(stock.first_ms), last: number(stock.last) });
  const shop = originChart(report, frame, text, say);
  const more = paragraph([stopped, checked].filter(Boolean).join(" "));
  const rest = more ? `<section><h2>${escaped(words.origin.head)}</h2>${more}</section>` : "";
  return (stock ? framed(stockChart(report, frame, left, say)) : "") + (shop ? framed(shop, more) : rest);
}

/** Returns links to the tables, which are inside the page. */
function tableLinks(report, { words }) {
  const links = Object.entries(tables(report)).map(
    ([name, text]) =>
      `<a download="${escaped(`${report.room}-${name}.csv`)}" href="data:text/csv;charset=utf-8,${encodeURIComponent(text)}">${escaped(words.tables[name])}</a>`,
  );
  return `<section class="tables"><h2>${escaped(words.tables.head)}</h2>${paragraph(words.tables.text)}${links.join("")}</section>`;
}

/**
 * Returns the page. `report` is what the program prints; `lang` and `timeZone` are as a browser names them; `journal` is the name of the
 * file beside a public page; `beside` are reports of other sales, which no public page shows.
 * @param {any} report
 * @param {{ lang?: string, timeZone?: string, journal?: string, beside?: object[] }} [told]
 */
export function pageOf(report, { lang, timeZone, journal = "journal.ndjson", beside = [] } = {}) {
  const say = speaker({ lang, timeZone, from: report.from_ms, to: report.to_ms });
  const { words } = say;
  const isPublic = report.is_public;
  const title = filled(isPublic ? words.title_public : words.title, { room: report.room });
  const when = filled(words.from_to, { from: say.moment(report.from_ms), to: say.moment(report.to_ms), zone: say.zone });
  const edition = report.editions > 1 ? ` ${filled(words.edition, report)}` : "";
  const acts = actsOf(report, say);
  const frame = frameOf(report, marksOf(acts), say);
  const parts = [
    peopleSection(report, say),
    isPublic ? "" : besideSection(report, beside, say),
    framed(courseChart(report, frame, say)),
    acts.length > 0 || !isPublic ? actsSection(acts, report, say) : "",
    drawsSection(report, say),
    waitsFigure(report, frame, say),
    framed(spreadChart(report, say)),
    lanesSection(report, say),
    ...orderCharts(report, say).map((figure) => framed(figure)),
    framed(flowChart(report, frame, say)),
    ...(isPublic ? [] : [permitsFigure(report, frame, say), originFigures(report, frame, say), framed(forecastsFigure(report, frame, say))]),
    headsSection(report, say),
    isPublic ? verifySection(report, journal, say) : tableLinks(report, say) + settingsSection(report, say),
  ];
  return `<!doctype html>
<html lang="${say.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${isPublic ? "" : '<meta name="robots" content="noindex">'}
<title>${escaped(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><header><h1>${escaped(title)}</h1>${paragraph(when + edition, "soft")}</header>
<main>${verdictBox(report, say)}
${paragraph(sentencesOf(report, say), "lead")}
${figuresOf(report, say)}
${parts.filter(Boolean).join("\n")}</main>
<footer>${paragraph(words.made)}</footer></body></html>
`;
}
