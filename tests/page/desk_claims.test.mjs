/* Whatever the desk says is true of what it was told. Every situation that can be put together is said, each clause is looked up in a list of
 * claims (claims.mjs), and each claim is checked against the facts by rules that share nothing with the desk's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { roomOf } from "../../scripts/gallery/desk_states.mjs";
import { shopChart, waitChart } from "../../web/desk/questions.js";
import { createSeen } from "../../web/desk/seen.js";
import { sentenceOf } from "../../web/desk/sentence.js";
import { isCalling, situationOf, waitOf } from "../../web/desk/situation.js";
import { LANGUAGES } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";
import { checkClaims } from "./claims.mjs";

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

test("whatever the situation, every clause of the sentence and of the advice is true", () => {
  const said = new Map();
  let count = 0;
  for (const world of combined(WORLDS)) {
    if (isDouble(world)) continue;
    const made = factsOf(world);
    const { told, seen, rehearsal } = made;
    const situation = situationOf({ told, seen, rehearsal, nowMs: NOW_MS });
    const { says, advice } = sentenceOf(situation, write);
    const isWait = (min) => seen.admittedPerMin > 0 && Math.abs(told.report.present / seen.admittedPerMin - min) <= 1;
    const facts = { ...made, report: told.report, shop: told.report.answers.recent, nowMs: NOW_MS, isWait };
    checkClaims(`${says} ${advice}`, facts, JSON.stringify(world));
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
