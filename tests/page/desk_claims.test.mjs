/* Whatever the desk says is true of what it was told. Every situation that can be put together is said, each clause is looked up in a list of
 * claims, and each claim is checked against the facts by rules that share nothing with the desk's. Words that no claim covers fail too. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { roomOf } from "../../scripts/gallery/desk_states.mjs";
import { shopChart, waitChart } from "../../web/desk/questions.js";
import { createSeen } from "../../web/desk/seen.js";
import { sentenceOf } from "../../web/desk/sentence.js";
import { isCalling, situationOf, waitOf } from "../../web/desk/situation.js";
import { LANGUAGES } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2030, 0, 1, 10);
const write = createWriter("en", LANGUAGES.en);
const number = (text) => Number(text.replaceAll(",", ""));

/** Returns every combination of one value of each list. */
function* combined(lists) {
  const [[key, values], ...rest] = Object.entries(lists);
  for (const value of values) {
    if (rest.length === 0) yield { [key]: value };
    else for (const more of combined(Object.fromEntries(rest))) yield { [key]: value, ...more };
  }
}

const shops = {
  well: { count: 900, failed: 0, p50_ms: 240, p95_ms: 800 },
  none: { count: 0, failed: 0, p50_ms: null, p95_ms: null },
  slow: { count: 900, failed: 0, p50_ms: 2_400, p95_ms: 9_100 },
  errors: { count: 80, failed: 20, p50_ms: 240, p95_ms: 800 },
};
/** The people of a room: `[waiting, present, away, inside, hand]`, of ten permits. */
const PEOPLE = [
  [0, 0, 0, 0, 10],
  [0, 0, 0, 10, 0],
  [0, 0, 0, 4, 6],
  [300, 290, 10, 10, 0],
  [8, 0, 8, 10, 0],
  [8, 0, 8, 4, 6],
];
const WORLDS = {
  mode: ["open", "paused", "closed", "sold_out", "drain", "observe", "bypass"],
  opensInMs: [null, 12 * MINUTE_MS, -1_000, -30 * MINUTE_MS],
  hall: [0, 61],
  permits: [10, 0],
  people: PEOPLE,
  placesLeft: [null, 0],
  origin: ["well", "failing", "recovering"],
  shop: Object.keys(shops),
  isSummary: [false, true],
  isRehearsed: [false, true],
  watched: ["nothing", "a calm line", "a line that grows", "missed calls", "idle permits", "totals alone"],
  settings: [{}, { walk_in: false, origin_errors_max_percent: 0 }, { admissions_per_s: 1, draw: "arrival" }],
};
const WATCHED = {
  nothing: { admittedPerMin: null, waitingBefore: null, deadShare: null, calls: 0, missed: 0 },
  "a calm line": { admittedPerMin: 60, waitingBefore: 298, deadShare: 0.02, calls: 300, missed: 4 },
  "a line that grows": { admittedPerMin: 60, waitingBefore: 100, deadShare: 0.02, calls: 300, missed: 4 },
  "missed calls": { admittedPerMin: 20, waitingBefore: 298, deadShare: 0.1, calls: 300, missed: 100 },
  "idle permits": { admittedPerMin: 59, waitingBefore: 298, deadShare: 0.4, calls: 300, missed: 4 },
  "totals alone": { admittedPerMin: null, waitingBefore: null, isWatched: false, deadShare: 0.4, calls: 300, missed: 100 },
};

/** Returns whether another world has the same facts, or nearly: there is a hall before an opening alone, a summary has no settings, and a room that calls nobody rises nowhere. */
const isDouble = ({ mode, opensInMs, hall, isSummary, settings, watched, isRehearsed, placesLeft, people }) =>
  (hall > 0 && opensInMs === null) ||
  (isSummary && settings !== WORLDS.settings[0]) ||
  (watched !== WORLDS.watched[0] && (opensInMs !== null || !["open", "drain"].includes(mode))) ||
  (isRehearsed && !["open", "closed"].includes(mode)) ||
  (placesLeft === 0 && (people[0] === 0 || isSummary || isRehearsed));

/** Returns the facts of a world, as the API and the page would have them. */
function factsOf({
  mode,
  opensInMs,
  hall,
  permits,
  people: [waiting, present, away, inside, hand],
  placesLeft,
  origin,
  shop,
  isSummary,
  isRehearsed,
  watched,
  settings,
}) {
  // As the room has it: before a hall opens, a room that would be open is told as closed.
  const opens = opensInMs === null ? null : NOW_MS + opensInMs;
  const told = roomOf("onsale", {
    settings: { mode, permits, ...settings },
    shop: { count: 1, sum_ms: 1, failed: 0, octaves: [], recent: shops[shop] },
    totals: { entered: hall > 0 ? 90 : 0 },
    report: {
      mode: opens && hall === 0 && ["open", "paused", "drain"].includes(mode) ? "closed" : mode,
      permits,
      in_hall: opens ? hall : 0,
      opens_at_ms: opens,
      waiting,
      present,
      away,
      places_left: placesLeft,
      inside,
      hand: permits > 0 ? hand : 0,
      tray: 0,
      debt: 0,
      origin,
    },
  });
  const rehearsal = isRehearsed ? { waiting: 30, inside: 12 } : null;
  return {
    told: isSummary ? { ...told, settings: null, changed: null, undo: null } : told,
    seen: { silentSinceMs: null, opened: 0, isWatched: true, ...WATCHED[watched] },
    rehearsal,
    mode,
    settings: isSummary ? null : { walk_in: true, origin_errors_max_percent: 20, admissions_per_s: 0, draw: "shuffle", ...settings },
  };
}

/** Whether somebody may be called now. */
const calls = ({ report: { mode, permits, opens_at_ms: opens, origin } }) =>
  (mode === "open" || mode === "drain") && permits > 0 && opens === null && origin !== "failing";
const passes = ({ report }) => ["observe", "bypass"].includes(report.mode);
const opensByItself = ({ mode, report: { opens_at_ms: opens, in_hall: hall, waiting } }) =>
  opens !== null && (["open", "paused"].includes(mode) || (mode === "drain" && hall + waiting > 0));
const is =
  (key) =>
  ({ report }, count) =>
    report[key] === number(count);
const always = () => true;

/** What can be said: how, and when it is true. */
const CLAIMS = [
  [/(\d[\d,]*) (?:are )?(?:still )?inside(?=[,;:.]| and)/, (f, count) => is("inside")(f, count) || f.rehearsal?.inside === number(count)],
  [/(\d[\d,]*) waiting(?=[,;:.]| on)/, (f, count) => is("waiting")(f, count) || f.rehearsal?.waiting === number(count)],
  [/(\d[\d,]*) permits free/, ({ report }, count) => report.hand === number(count) && report.hand > 0],
  [/no permit is free/, ({ report }) => report.hand === 0],
  [
    /, (?:about (\d+) min|less than a minute)(?=[,;:.])/,
    (f, min) =>
      opensByItself(f) ||
      (calls(f) && f.report.present > 0 && f.seen.admittedPerMin > 0 && Math.abs(f.report.present / f.seen.admittedPerMin - Number(min ?? 0.5)) <= 1),
  ],
  [/the shop answers in 240 ms/, ({ shop }) => shop.p50_ms === 240],
  [/(\d+) more than five minutes ago/, ({ report, seen }, count) => report.waiting - seen.waitingBefore === number(count)],
  [/All well/, (f) => calls(f)],
  [/The line grows/, always],
  [/The line is full, so who comes now gets no place/, ({ report }) => report.places_left === 0 && report.waiting > 0],
  [/Nobody waits/, ({ report }) => report.waiting + report.in_hall === 0],
  [
    /The shop fails: (\d+) % of its last answers were errors/,
    ({ shop }, share) => (shop.failed * 100) / (shop.count + shop.failed) === Number(share),
  ],
  [
    /The shop fails, so calling has stopped/,
    ({ report, mode }) => report.origin === "failing" && ["open", "drain"].includes(mode) && report.permits > 0 && !report.opens_at_ms,
  ],
  [/calling begins again by itself/, ({ mode }) => ["open", "drain"].includes(mode)],
  [
    /(\d+) (?:still )?(?:keep their|hold) places/,
    ({ report }, count) => report.waiting === number(count) || report.waiting + report.in_hall === number(count),
  ],
  [/The shop answers again: calling begins with a few and doubles/, (f) => calls(f) && f.report.origin === "recovering"],
  [/The shop is slow: half of its answers take over 2.4 s, one in twenty over 9.1 s/, ({ shop }) => shop.p50_ms === 2_400],
  [
    /Many do not come when called: (\d+) % of the calls were missed/,
    ({ seen }, share) => seen.isWatched && Math.round((seen.missed / seen.calls) * 100) === Number(share),
  ],
  [
    /Many did not come when called: (\d+) % of all calls since this edition began were missed/,
    ({ seen }, share) => Math.round((seen.missed / seen.calls) * 100) === Number(share),
  ],
  [
    /Permits stand idle: the cap of 1 a second holds people back, 40 % of permit time is lost/,
    (f) => calls(f) && f.seen.isWatched && f.settings.admissions_per_s === 1 && f.seen.admittedPerMin > 48,
  ],
  [/Permits stand idle: 40 % of permit time is lost while (\d+) wait/, (f) => calls(f) && f.seen.isWatched && f.report.present > 0],
  [/There are no permits, so nobody can come in/, (f) => f.report.permits === 0 && !passes(f)],
  [/there are no permits/, ({ report }) => report.permits === 0],
  [/Paused: nobody is called/, (f) => f.mode === "paused" && !calls(f)],
  [/it is paused/, ({ mode }) => mode === "paused"],
  [/The line runs out/, ({ mode }) => mode === "drain"],
  [/(?:there are )?no new tickets/, ({ mode }) => mode === "drain"],
  [/(\d+) are still called/, (f) => calls(f)],
  [/The line has run out/, ({ mode, report }) => mode === "drain" && report.waiting === 0],
  [/Closed/, ({ report }) => report.mode === "closed"],
  [/nobody (?:waits and nobody )?is inside/, ({ report }) => report.inside === 0 && report.waiting + report.in_hall === 0],
  [/nobody waits(?=[.,])/, ({ report }) => report.waiting + report.in_hall === 0],
  [/with \d+ still inside/, always],
  [/Sold out, and everybody was told/, ({ mode }) => mode === "sold_out"],
  [/By its dates it opens .*?, in (12 min|less than a minute)/, ({ report, settings }) => settings === null && report.opens_at_ms !== null],
  [
    /It opens .*?, in (12 min|less than a minute)/,
    (f, left) =>
      opensByItself(f) &&
      (left === "12 min" ? f.report.opens_at_ms - NOW_MS === 12 * MINUTE_MS : Math.abs(f.report.opens_at_ms - NOW_MS) <= MINUTE_MS),
  ],
  [/By its dates it should have opened .*?; the room has not reported since/, (f) => f.report.opens_at_ms < NOW_MS - MINUTE_MS],
  [/(\d+) are in the hall/, is("in_hall")],
  [/nobody is here yet/, ({ report }) => report.in_hall + report.waiting + report.inside === 0],
  [/(\d+) are here/, ({ report }, count) => report.in_hall + report.waiting === number(count)],
  [/The doors open by themselves|which it does by itself/, (f) => opensByItself(f) && f.mode !== "paused" && f.report.permits > 0],
  [/Nobody is called until it opens/, (f) => !calls(f)],
  [/Otherwise nobody is called when it opens/, ({ mode }) => mode === "paused"],
  [/Otherwise nobody can come in/, ({ report }) => report.permits === 0],
  [/A rehearsal runs:|on the stage/, ({ rehearsal }) => rehearsal !== null],
  [/The public sees a closed room/, ({ report }) => report.mode === "closed" && report.in_hall === 0],
  [/Only observing: everybody passes/, ({ mode }) => mode === "observe"],
  [/Everybody passes and nobody is counted/, ({ mode }) => mode === "bypass"],
  [/everybody passes, so nothing holds people back|The shop has no protection/, passes],
  [
    /The draw is done: (\d+) had come to the hall, and who stayed has a number by lot/,
    ({ report, settings }) => report.in_hall === 0 && settings.draw === "shuffle",
  ],
  [
    /The doors are open: (\d+) had come to the hall, and who stayed has a number in the order they came/,
    ({ report, settings }) => report.in_hall === 0 && settings.draw === "arrival",
  ],
  [/New visitors go straight in/, (f) => calls(f) && f.report.hand > 0 && f.settings.walk_in && f.settings.admissions_per_s === 0],
  [/New visitors are let in at once, or with one of the next calls/, (f) => calls(f) && f.report.hand > 0],
  [/A new visitor waits until a visitor inside leaves/, ({ report }) => report.hand === 0],
  [/Nothing stops calling by itself: origin_errors_max_percent is 0/, ({ settings }) => settings.origin_errors_max_percent === 0],
  [/Calling stops by itself if it gets worse/, (f) => calls(f) && f.settings.origin_errors_max_percent > 0],
  [/The first are on their way in/, (f) => calls(f)],
  [/They keep their order while they stay, until it opens/, ({ report }) => report.mode === "closed"],
  [/Nothing to do until it opens/, ({ mode }) => mode !== "open"],
  [/They finish and leave by themselves|People inside finish|no visitor inside is removed/, ({ report }) => report.inside >= 0],
];
/** What asks for something, or holds everywhere. */
const ASKS = [
  /Nothing to do(?: but watch the shop for a few minutes)?/,
  /If more people should wait, raise line_max/,
  /A place that becomes free goes to the next visitor who looks/,
  /As long as the shop is quick, a few more permits shorten the wait/,
  /Otherwise tell people with a message/,
  /Fewer permits lower its load/,
  /Look at the shop/,
  /Pause, or take fewer permits/,
  /Open the room to see whether calling stops by itself/,
  /Mend the shop(?:, or pause)?/,
  /If load broke it, take fewer permits first/,
  /Each missed call leaves a permit idle for claim_within_s/,
  /Usual after a long wait; a message wakes people/,
  /If the shop is quick, raise the admissions a second/,
  /People are slow to come in, or the line was short for a while/,
  /Look at missed calls/,
  /Set permits, or pause so that people are told/,
  /Let the line move when the shop is ready/,
  /A message tells people why they wait/,
  /Close, or say sold out(?:, when the line is empty)?/,
  /If all is over, say sold out, so that nobody waits in vain/,
  /A good moment for a last look at permits and message/,
  /Let it end before people come/,
  /What was observed, and the settings that follow, stand below/,
  /Let the line move (?:again as soon as you can|before then)/,
  /Pause, or let the line move, to take load off the shop/,
  /Open the room here: that asks it/,
  /Open the room to see whether its mode lets people in then/,
  /Set permits before then, now or by a step of the schedule/,
];
const [claims, asks] = [CLAIMS.map(([pattern, holds]) => [new RegExp(pattern, "g"), holds]), ASKS.map((pattern) => new RegExp(pattern, "g"))];

test("whatever the situation, every clause of the sentence and of the advice is true", () => {
  const said = new Map();
  let count = 0;
  for (const world of combined(WORLDS)) {
    if (isDouble(world)) continue;
    const made = factsOf(world);
    const { told, seen, rehearsal } = made;
    const situation = situationOf({ told, seen, rehearsal, nowMs: NOW_MS });
    const { says, advice } = sentenceOf(situation, write);
    const facts = { ...made, report: told.report, shop: told.report.answers.recent };
    let left = `${says} ${advice}`;
    for (const [pattern, holds] of claims) {
      if (left.search(pattern) < 0) continue;
      for (const [clause, ...values] of left.matchAll(pattern))
        assert.ok(holds(facts, ...values), `“${clause}” is not so.\n${says} ${advice}\n${JSON.stringify(world)}`);
      left = left.replace(pattern, "");
    }
    for (const pattern of asks) left = left.replace(pattern, "");
    assert.doesNotMatch(left.replace(/\b(?:and|but|with|in)\b/g, ""), /[\p{L}\d]/u, `no claim covers “${left}”\n${says} ${advice}`);
    said.set(situation.name, (said.get(situation.name) ?? 0) + 1);
    count++;
  }
  assert.ok(said.size >= 24 && count > 10_000, `${count} worlds, ${said.size} situations: ${[...said.keys()]}`);
});

/** A dice whose throws are the same in each run. */
function diceOf(seed) {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Returns an hour that wanders, a sample every ten seconds: `[s, waiting, inside, admitted, permits]`. It may have a gap, as a page that was hidden has. */
function hourOf(dice, minutes) {
  const columns = [[], [], [], [], []];
  let [waiting, perS, admitted] = [Math.round(dice() * 400), dice(), 0];
  const gap = dice() < 0.3 ? dice() * minutes * 60 : Infinity;
  for (let s = 0; s <= minutes * 60; s += 10) {
    if (dice() < 0.02) perS = dice() < 0.3 ? 0 : dice() * 2;
    waiting = Math.max(0, Math.round(waiting + (dice() - 0.5) * 30));
    admitted = dice() < 0.002 ? 0 : admitted + Math.round(perS * 10);
    if (s < gap || s > gap + 1_200) [s, waiting, 10, admitted, 10].forEach((value, at) => columns[at].push(value));
  }
  return columns;
}

test("whatever the hour was, what is said of time is true of it", () => {
  const dice = diceOf(7);
  const heard = new Set();
  for (let round = 0; round < 4_000; round++) {
    const minutes = Math.ceil(dice() * 60);
    const columns = hourOf(dice, minutes);
    const livedMin = (columns[0].at(-1) - columns[0][0]) / 60;
    const seen = createSeen();
    const samples = columns[0].map((s, at) => columns.map((column) => column[at]));
    seen.prefill(samples.slice(0, -1));
    const [, waiting, inside, admitted] = samples.at(-1);
    const mode = dice() < 0.2 ? "drain" : dice() < 0.2 ? "paused" : "open";
    const present = dice() < 0.2 ? 0 : waiting;
    const told = roomOf("onsale", {
      settings: { mode, permits: dice() < 0.1 ? 0 : 10 },
      report: { waiting, present, inside, hand: dice() < 0.2 ? 3 : 0, debt: 0 },
      totals: { claimed: admitted, walked_in: 0 },
    });
    const { report } = told;
    const lately = seen.take(told, columns[0].at(-1) * 1_000);
    const waitMs = waitOf(told, lately, null);
    const says = `${waitChart(seen.history.columns, { report, waitMs }, write).answer} ${shopChart(seen.history.columns, report, write).answer}`;
    const trends = [...says.matchAll(/That is (longer than|shorter than|about the same as|more than|fewer than) (?:(\d+) (min|h)|less)/g)];
    for (const [, , time, unit] of trends) assert.ok((unit === "h" ? 60 : Number(time)) <= livedMin + 0.5, `${says}: it lived ${livedMin} min`);
    for (const [, word] of trends) heard.add(word);
    if (!isCalling(report)) assert.match(says, /^Nobody is called now/);
    if (!isCalling(report)) assert.doesNotMatch(says, /come in a minute|waits (?:about|less)/);
    if (/Who comes now waits/.test(says)) assert.notEqual(mode, "drain", "nobody joins a line that runs out");
    if (/waits less than a minute/.test(says)) assert.ok(present < lately.admittedPerMin || (present === 0 && report.hand > 0), says);
    const pace = /(\d[\d,.]*) come in a minute/.exec(says)?.[1];
    if (pace !== undefined) {
      const from = samples.findLast(([s]) => s <= samples.at(-1)[0] - 300) ?? samples[0];
      const measured = ((admitted - from[3]) * 60) / (samples.at(-1)[0] - from[0]);
      assert.ok(Math.abs(number(pace) - measured) <= 0.5 + measured * 0.01, `${says}: it was ${measured}`);
    }
    if (lately.waitingBefore !== null) {
      const before = samples.findLast(([s, count]) => count === lately.waitingBefore && s <= samples.at(-1)[0] - 300);
      assert.ok(before && samples.at(-1)[0] - before[0] < 390, "five minutes ago is five minutes ago");
    }
  }
  assert.deepEqual([...heard].sort(), ["about the same as", "fewer than", "longer than", "more than", "shorter than"]);
});
