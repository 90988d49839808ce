/* The report's page and tables by themselves: `sale.json` is what the program said of a played sale. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chart, durationScale, scaleOf, timeTicks } from "../../web/report/chart.js";
import { pageOf } from "../../web/report/page.js";
import { actsOf, marksOf } from "../../web/report/sections.js";
import { tables } from "../../web/report/tables.js";
import { LANGUAGES, speaker } from "../../web/report/text.js";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const sale = () => JSON.parse(read("sale.json"));
const words = JSON.parse(read("../../web/report/words.json"));
const TOKYO = { timeZone: "Asia/Tokyo" };

/** Every text with its place, such as `people.head`. */
const textsOf = (of, place = "") =>
  Object.entries(of).flatMap(([key, value]) => (typeof value === "string" ? [[`${place}${key}`, value]] : textsOf(value, `${place}${key}.`)));
const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

test("every language says everything, with the same values", () => {
  const english = new Map(textsOf(words.en));
  for (const lang of LANGUAGES) {
    const texts = new Map(textsOf(words[lang]));
    assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort(), lang);
    for (const [place, text] of texts) assert.deepEqual(holes(text), holes(english.get(place)), `${lang}: ${place}`);
  }
});

test("sales stand side by side, the newest first, and in no public page", () => {
  const before = {
    ...sale(),
    room: "spring <b>",
    from_ms: 1_780_000_000_000,
    permits: { fewest: 50, most: 50, used_ms: 0, called_ms: 0, idle_ms: 0 },
    origin: { ...sale().origin, answers: 0, half_ms: null },
  };
  for (const lang of LANGUAGES) {
    const page = (more) => pageOf({ ...sale(), ...more }, { lang, ...TOKYO, beside: [before] });
    const { head, dead, permits, answer } = words[lang].beside;
    const section = page({}).match(new RegExp(`<section><h2>${head}</h2>[^]*?</section>`))[0];
    const cells = (name) =>
      [...section.match(new RegExp(`<tr><td>${name}</td>(.*?)</tr>`))[1].matchAll(/<td class="n">(.*?)<\/td>/g)].map(([, cell]) => cell);
    assert.deepEqual(cells(permits), ["40–80", "50"], lang);
    assert.deepEqual([cells(dead)[1], cells(answer)[1]], ["–", "–"], "what a report does not say is left open");
    assert.ok(section.indexOf("onsale") < section.indexOf("spring &lt;b&gt;"), section);
    assert.doesNotMatch(section, /undefined|NaN|null/);
    assert.ok(!page({ is_public: true }).includes(head), lang);
    assert.ok(!pageOf(sale(), { lang, ...TOKYO }).includes(head), "nothing stands beside nothing");
  }
});

test("a message is told with its languages, as it was set and as the room keeps it", () => {
  const keeps = (message) => pageOf({ ...sale(), settings: { ...sale().settings, message } }, TOKYO);
  assert.match(keeps({ any: "Soon", by_language: [["ja", "まもなく"]] }), /Soon · ja: まもなく/);
  assert.doesNotMatch(keeps({ any: "", by_language: [] }), /by_language/);
  const acts = [{ at_ms: sale().from_ms, row: 2, what: "adjusted", changes: [{ key: "message", from: "", to: { any: "Soon", de: "Bald" } }] }];
  assert.match(pageOf({ ...sale(), acts }, TOKYO), /Soon · de: Bald/);
});

test("a page has its figures, no hole and no undefined, in every language, for its owner and for everybody", () => {
  for (const lang of LANGUAGES) {
    for (const isPublic of [false, true]) {
      const page = pageOf({ ...sale(), is_public: isPublic }, { lang, ...TOKYO });
      assert.match(page, new RegExp(`<html lang="${lang}">`));
      assert.doesNotMatch(page.replace(/<style>[^]*?<\/style>|<pre[^]*?<\/pre>/g, ""), /\{\w+\}|undefined|NaN|\[object/);
      for (const told of ["1,200", "769", "960", sale().verdict.fingerprint, sale().draws[0].drawn.seed])
        assert.ok(page.includes(told), `${lang}: ${told}`);
      assert.ok((page.match(/<svg class="chart"/g) ?? []).length >= 4);
      assert.doesNotMatch(page, /(?:src|href)="(?:https?:)?\/\//, "it needs no other file");
    }
  }
});

test("what is for the owner alone is not on the public page", () => {
  const page = pageOf({ ...sale(), is_public: true }, TOKYO);
  for (const own of [words.en.permits.head, words.en.origin.head, words.en.settings.head, words.en.figures.dead]) assert.ok(!page.includes(own), own);
  for (const shown of [words.en.verify.head, "audit verify journal.ndjson", words.en.order.head]) assert.ok(page.includes(shown), shown);
});

/** The played sale as one of two lanes. */
function saleWithLanes() {
  const report = sale();
  const lane = (name, title, numbers) => ({
    name,
    title,
    share: 2,
    issued: 600,
    walked_in: 0,
    came_over: 5,
    went_over: 0,
    called: 400,
    calls: 401,
    calls_percent: 66.7,
    half_ms: 4_000,
    nine_of_ten_ms: 61_000,
    longest_ms: 70_000,
    ...numbers,
  });
  report.lanes = [
    lane("members", "Members <b>"),
    lane("everybody", "Everybody", { share: 1, came_over: 0, calls_percent: 33.3, half_ms: null, nine_of_ten_ms: null }),
  ];
  const half = report.numbers.length / 2;
  report.numbers = report.numbers.map((group, nth) => ({ ...group, lane: nth < half / 2 ? "members" : "everybody" }));
  report.draws = report.draws.map((draw) => ({ ...draw, lane: "members" }));
  report.doors = [
    { at_ms: report.from_ms, lane: "everybody", is: { open: { closes_at_ms: null } } },
    ...report.doors.map((door) => ({ ...door, lane: "members" })),
  ];
  report.settings = { ...report.settings, lanes_rule: "shares", lanes: [{ name: "members" }] };
  return report;
}

test("each lane has its row, its chart, its draw and its doors; a room of one line has none of it", () => {
  for (const lang of LANGUAGES) {
    for (const isPublic of [false, true]) {
      const page = pageOf({ ...saleWithLanes(), is_public: isPublic }, { lang, ...TOKYO });
      const { lanes, order } = words[lang];
      assert.doesNotMatch(page.replace(/<style>[^]*?<\/style>|<pre[^]*?<\/pre>/g, ""), /\{\w+\}|undefined|NaN|\[object/);
      const row = page.match(/<tr><td>Members &lt;b&gt;<\/td>.*?<\/tr>/)[0];
      for (const told of [">600<small>", ">2<", ">400<", "66.7 %"]) assert.ok(row.includes(told), `${lang}: ${told} in ${row}`);
      assert.ok(page.includes(lanes.came_over.replace("{count}", "5")));
      assert.match(page, /<tr><td>Everybody<\/td>.*?<td class="n">–<\/td><td class="n">–<\/td><\/tr>/);
      for (const title of ["Members &lt;b&gt;", "Everybody"]) assert.ok(page.includes(`<h2>${title}: ${order.head}</h2>`), `${lang}: ${title}`);
      assert.equal(page.includes(lanes.public), isPublic);
    }
  }
  const [hall, drawn] = [words.en.acts.hall.split("{")[0], words.en.acts.drawn];
  const acts = actsOf(saleWithLanes(), speaker({ from: 0, to: 1, ...TOKYO })).map(({ text }) => text);
  assert.ok(
    acts.some((text) => text.startsWith(`Members <b>: ${hall}`)),
    acts.join("\n"),
  );
  assert.ok(acts.includes(`Members <b>: ${drawn}`));
  assert.ok(!acts.some((text) => text.startsWith("Everybody")), "its doors stood open from the first");
  assert.match(tables(saleWithLanes()).lanes, /^name,title,share,.*\r\nmembers,/);
  assert.ok(!pageOf(sale(), TOKYO).includes(words.en.lanes.head));
  assert.equal(tables(sale()).lanes, undefined);
});

/** The played sale with forecasts of it: `counts` are the forecasts of each kind, and how many of them lay in their bands. */
function saleWithForecasts(counts) {
  const report = sale();
  const kinds = ["line_ends_ms", "newcomer_ms", "waiting_in_10_min", "waiting_in_30_min"];
  const scores = kinds.map((of, nth) => {
    const [count, within] = counts[nth] ?? [0, 0];
    return {
      of,
      count,
      within,
      below: Math.min(1, count - within),
      is_judged: count >= 10,
      width_percent: count > 0 ? 38.4 : null,
      miss_percent: count > 0 ? 7.6 : null,
    };
  });
  const said = scores.flatMap(({ of, count, within }) =>
    Array.from({ length: count }, (_, nth) => ({
      at_ms: report.from_ms - 600_000 + (nth + 1) * 5_000,
      of,
      low: 100,
      middle: 150,
      high: 211,
      came: 160,
      is_within: nth < within,
    })),
  );
  report.forecasts = { every_ms: 600_000, moments: 13, silent: 2, judged_from: 10, scores, said };
  return report;
}

/** The page's section of forecasts. */
const forecastsOf = (page, lang) =>
  page.match(/<figure><figcaption><h2>([^<]*)<\/h2>[^]*?<\/figure>/g).find((one) => one.includes(`<h2>${words[lang].forecasts.head}</h2>`));

test("how good the forecasts were is told, with its chart and its table, and never in public", () => {
  const report = saleWithForecasts([
    [12, 10],
    [11, 9],
    [10, 8],
    [4, 3],
  ]);
  for (const lang of LANGUAGES) {
    const { forecasts } = words[lang];
    const page = pageOf(report, { lang, ...TOKYO });
    const section = forecastsOf(page, lang);
    assert.doesNotMatch(section, /\{\w+\}|undefined|NaN|null|\[object/);
    const rowOf = (of) => section.match(new RegExp(`<tr><td[^>]*>${forecasts[of]}</td>.*?</tr>`))[0];
    assert.ok(rowOf("line_ends_ms").includes("<small>83 %</small>"), rowOf("line_ends_ms"));
    for (const told of ["38 %", "8 %", `<small>${forecasts.too_few}</small>`]) assert.ok(rowOf("waiting_in_30_min").includes(told), told);
    assert.equal(section.match(/<rect class="bars/g).length, 10, "a band for each of what was said 10 minutes before");
    for (const told of [
      forecasts.chart,
      forecasts.columns,
      forecasts.lead.replace("{within}", "30").replace("{count}", "37").replace("{percent}", "81"),
    ])
      assert.ok(section.includes(told), told);
    const open = pageOf({ ...report, is_public: true }, { lang, ...TOKYO });
    for (const own of [forecasts.head, forecasts.chart]) assert.ok(!open.includes(own), own);
  }
  const { forecasts } = tables(report);
  assert.match(forecasts, /^at,of,low,middle,high,came,is_within\r\n/);
  assert.equal(forecasts.trimEnd().split("\r\n").length, 38);
});

test("too few forecasts are not judged, poor ones are called so, and a report of the desk's has none", () => {
  const told = (report) => forecastsOf(pageOf(report, TOKYO), "en");
  const few = told(
    saleWithForecasts([
      [3, 3],
      [3, 2],
    ]),
  );
  assert.match(few, /in the band in 5 of 6 forecasts\. These are too few to judge: it takes 10 of one kind\./);
  assert.match(few, /Nothing was said at 2 of 13 moments/);
  assert.doesNotMatch(few, /83 %|<svg|people waiting 10 min later/);
  assert.match(told(saleWithForecasts([[12, 3]])), /only 3 of 12 forecasts: 25 %\. In this sale the bands were too narrow/);
  assert.match(told(saleWithForecasts([])), /There is no forecast that can be held against what came/);
  const { forecasts: _, ...desks } = sale();
  assert.match(told(desks), /made at the desk[^]*npm run report/);
  assert.equal(tables(desks).forecasts, undefined);
});

test("an unsound journal is said first, and what is wrong", () => {
  const report = sale();
  report.verdict = { ...report.verdict, is_sound: false, fault: { row: 17, law: "the order is kept", what: "number 12 <script>" } };
  const page = pageOf(report, TOKYO);
  assert.match(page, /class="verdict bad"/);
  assert.match(page, /Row 17 breaks a law: the order is kept \(number 12 &lt;script&gt;\)/);
  assert.ok(!page.includes(words.en.sound));
});

test("what an operator wrote is text, on the page and in a spreadsheet", () => {
  const report = sale();
  report.acts = [{ at_ms: report.from_ms, row: 1, what: "adjusted", changes: [{ key: "message", from: "=1+1", to: '</script><img src=x>"' }] }];
  assert.doesNotMatch(pageOf(report, TOKYO), /<img/);
  report.room = "=cmd()";
  const { acts, heads } = tables({ ...report, heads: [{ at_ms: 0, row: 1, hash: "=A1" }] });
  assert.equal(heads, "at,row,hash\r\n1970-01-01T00:00:00.000Z,1,'=A1\r\n");
  assert.match(acts, /^at,row,what,detail\r\n2026-[^\n]*,"message: ""=1\+1"" -> /);
});

test("tables have a row for each thing, as wide as their heads", () => {
  const report = sale();
  const all = tables(report);
  assert.deepEqual(Object.keys(all), ["people", "course", "arrivals", "numbers", "acts", "heads"]);
  for (const name of ["course", "arrivals", "numbers", "heads"]) {
    const lines = all[name].trimEnd().split("\r\n");
    assert.equal(lines.length, report[name].length + 1, name);
    for (const line of lines) assert.equal(line.split(",").length, lines[0].split(",").length, `${name}: ${line}`);
  }
  assert.equal(tables({ ...report, acts: [] }).acts, undefined);
});

test("durations are told to two units, times by the zone's clocks", () => {
  const en = speaker({ lang: "en", timeZone: "Asia/Tokyo" });
  assert.deepEqual([null, 0, 12, 4_050, 30_000, 185_000, 3_720_000, 180_000_000, 59_999].map(en.duration), [
    "–",
    "0 ms",
    "12 ms",
    "4.1 s",
    "30 s",
    "3 min 5 s",
    "1 h 2 min",
    "2 d 2 h",
    "1 min",
  ]);
  assert.equal(speaker({ lang: "ja-JP" }).duration(185_000), "3分5秒");
  assert.equal(speaker({ lang: "tlh" }).lang, "en");
  assert.equal(en.clock(0), "09:00:00");
  const day = speaker({ timeZone: "UTC", from: 0, to: 1_000 });
  assert.deepEqual([day.when(5_000), day.when(90_000_000).includes("1970")], ["00:00:05", true]);
});

test("axes have round steps, and reach what they show", () => {
  for (const most of [0, 1, 3, 4, 9, 40, 77, 1_000, 999_999]) {
    const { to, ticks } = scaleOf(most);
    assert.ok(to >= most && ticks.length >= 2 && ticks.length <= 7, `${most}: ${ticks}`);
    assert.ok(ticks.every(Number.isInteger), `${most}: ${ticks}`);
  }
  for (const ms of [1, 900, 61_000, 4_000_000, 90_000_000_000]) {
    const { to, ticks } = durationScale(ms);
    assert.ok(to >= ms && ticks.length <= 7, `${ms}: ${ticks}`);
  }
  // India is half an hour off: its hours are not UTC's.
  const say = speaker({ timeZone: "Asia/Kolkata" });
  const [from, to] = [Date.UTC(2026, 10, 22, 4), Date.UTC(2026, 10, 22, 12)];
  const ticks = timeTicks(from, to, say);
  assert.ok(
    ticks.every(({ at }) => at >= from && at <= to),
    JSON.stringify(ticks),
  );
  assert.ok(ticks.length > 4 && ticks.every(({ text }) => text.endsWith(":00")), JSON.stringify(ticks));
});

test("a chart draws what it is given: steps, gaps, marks", () => {
  const x = {
    from: 0,
    to: 10,
    ticks: [
      { at: 0, text: "a" },
      { at: 10, text: "b" },
    ],
  };
  const y = { to: 4, ticks: [{ at: 4, text: "4" }] };
  const made = (series, marks) => chart({ title: "t. <x>", x, y, series: [series], marks, height: 150 });
  assert.match(
    made({
      kind: "line",
      name: "n",
      hue: 0,
      parts: [
        [0, 2, 4],
        [2, 4, 2],
        [6, 10, 1],
      ],
    }),
    /d="M0 0H200V50H400V100H600V75H1000"/,
  );
  assert.match(
    made({
      kind: "line",
      hue: 0,
      breaks: true,
      parts: [
        [0, 2, 4],
        [6, 10, 1],
      ],
    }),
    /d="M0 0H200M600 75H1000"/,
  );
  assert.match(made({ kind: "area", hue: 0, parts: [[0, 10, 4]] }), /d="M0 100V0H1000V100Z"/);
  assert.match(made({ kind: "line", hue: 0, parts: [] }, [{ at: 5, text: "1" }]), /x="50%"[^>]*>1</);
  assert.match(made({ kind: "line", hue: 0, parts: [] }), /aria-label="t. &lt;x&gt;"/);
});

test("a schedule that was changed is told by its steps, and lanes by what they are", () => {
  const report = sale();
  const [kept, wanted] = [
    {
      at_ms: 0,
      set: [
        ["permits", '{"over_s":60,"to":80}'],
        ["mode", '"open"'],
      ],
    },
    { at: "1970-01-01T01:00:00Z", set: { message: null } },
  ];
  report.acts = [
    {
      at_ms: report.from_ms,
      row: 1,
      what: "adjusted",
      changes: [
        { key: "schedule", from: [kept], to: [kept, wanted] },
        { key: "lanes", from: [], to: [{ name: "members" }] },
      ],
    },
  ];
  const say = speaker(TOKYO);
  const [step, next] = [`${say.moment(0)}: permits 80 over 1 min, mode open`, `${say.moment(3_600_000)}: message none`];
  const told = actsOf(report, say).find(({ row }) => row === 1).text;
  assert.equal(told, `At the desk: schedule: ${step} → ${step}; ${next}; lanes: none → {"name":"members"}`);
  assert.doesNotMatch(pageOf(report, TOKYO), /\[object Object\]/);
});

test("what a schedule did is told as the schedule's, and why a step was refused not in public", () => {
  const report = sale();
  const step = { at_ms: report.from_ms, step_ms: 0, row: 1 };
  const refused = { ...step, what: "step_refused", why: "permits: at most 9" };
  const say = speaker(TOKYO);
  const told = (act) => actsOf({ ...report, acts: [act] }, say).find(({ row }) => row === 1).text;
  assert.equal(told({ ...step, what: "scheduled", changes: [{ key: "mode", from: "closed", to: "open" }] }), "By the schedule: mode: closed → open");
  assert.equal(told(refused), `The schedule's step of ${say.when(0)} was refused: permits: at most 9`);
  assert.equal(told({ ...refused, why: undefined }), `The schedule's step of ${say.when(0)} was not carried out`);
  assert.match(told({ ...step, what: "step_passed" }), /passed over/);
});

test("what happens in one moment has one mark", () => {
  const report = sale();
  const acts = actsOf(report, speaker(TOKYO));
  assert.deepEqual(
    acts.map(({ mark }) => mark),
    acts.map((_, nth) => String(nth + 1)),
  );
  assert.deepEqual(
    marksOf([
      { at: 1, mark: "1" },
      { at: 2, mark: "2" },
      { at: 2, mark: "3" },
    ]),
    [
      { at: 1, text: "1" },
      { at: 2, text: "2–3" },
    ],
  );
});

test("a room in which nobody was has a page all the same", () => {
  const empty = {
    ...sale(),
    course: [],
    arrivals: [],
    numbers: [],
    acts: [],
    draws: [],
    doors: [],
    stops: [],
    wait_twentieths_ms: [],
    stock: null,
    proofs: {},
  };
  const none = { count: 0, half_ms: null, most_ms: null, longest_ms: null, mean_ms: null };
  for (const [key, value] of Object.entries(empty.people)) empty.people[key] = typeof value === "number" ? 0 : value;
  const page = pageOf(
    {
      ...empty,
      waits: none,
      drawn_waits: none,
      claims: none,
      stays: none,
      permits: { fewest: 1, most: 1, used_ms: 0, called_ms: 0, idle_ms: 0 },
      counted: { ...empty.counted, calls: 0 },
    },
    TOKYO,
  );
  assert.match(page, /Nobody had to wait in line/);
  assert.doesNotMatch(page, /NaN|undefined|Infinity/);
});
