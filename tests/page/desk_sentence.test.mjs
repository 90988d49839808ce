/* What the desk says, without a browser: each situation by the figures that make it, in both languages; the pictures and what follows
 * from an action as values. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { roomOf } from "../../scripts/gallery/desk_states.mjs";
import { definitionOf, freshOf, readValue, writtenValue } from "../../web/desk/definition.js";
import { followsOf, followsOfForecast, followsOfPermits } from "../../web/desk/follows.js";
import { gaugeOf } from "../../web/desk/gauge.js";
import { wayOf } from "../../web/desk/people.js";
import { closesFirst, isPast, messageOf, shown } from "../../web/desk/knobs.js";
import { shopChart, waitChart } from "../../web/desk/questions.js";
import { createSeen } from "../../web/desk/seen.js";
import { sentenceOf, totalOf } from "../../web/desk/sentence.js";
import { byNeed, situationOf, waitOf } from "../../web/desk/situation.js";
import { textOf } from "../../web/desk/tree.js";
import { LANGUAGES, chosen, localeOf } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";

const [en, ja] = ["en", "ja"].map((tag) => createWriter(tag, LANGUAGES[tag]));
const SEEN = { silentSinceMs: null, isWatched: true, admittedPerMin: 190, waitingBefore: 4_300, deadShare: 0.02, calls: 900, missed: 20, opened: 0 };
const slow = { count: 9, sum_ms: 9, failed: 0, octaves: [], recent: { count: 900, failed: 0, p50_ms: 2_400, p95_ms: 9_100 } };
const errors = { ...slow, recent: { count: 80, failed: 20, p50_ms: 240, p95_ms: 800 } };
const few = { ...slow, recent: { count: 10, failed: 5, p50_ms: 5_000, p95_ms: 9_000 } };
const NOBODY = { waiting: 0, present: 0, away: 0, inside: 0, hand: 200 };
const at = Date.UTC(2030, 0, 1, 10);

/** Each row: the situation, its level, what makes it, and what the sentence says in English and Japanese. */
const TABLE = [
  [
    "well",
    "well",
    {},
    "All well: 200 inside, 4,310 waiting, about 21 min; the shop answers in 240 ms.",
    "順調です：入場中 200 人、待機 4,310 人（約 21 分）、店の応答は 240 ミリ秒。",
  ],
  [
    "well",
    "well",
    { seen: { admittedPerMin: null }, shop: { ...slow, recent: { count: 0, failed: 0, p50_ms: null, p95_ms: null } } },
    "All well: 200 inside, 4,310 waiting.",
    "順調です：入場中 200 人、待機 4,310 人。",
  ],
  ["well", "well", { forecast: { silence: null, newcomer: { p50: 600_000 } } }, "about 10 min", "約 10 分"],
  ["quiet", "well", { report: { ...NOBODY, inside: 3, hand: 197 } }, "Nobody waits: 3 inside, 197 permits free", "空き許可証 197 枚"],
  ["quiet", "well", { report: { ...NOBODY, inside: 200, hand: 0 } }, "Nobody waits: 200 inside, no permit is free", "空いている許可証はありません"],
  ["grows", "look", { seen: { waitingBefore: 3_000 } }, "4,310 waiting, about 21 min, 1,310 more than five minutes ago", "5 分前より 1,310 人増"],
  [
    "line_full",
    "look",
    { settings: { line_max: 4_310 }, report: { places_left: 0 } },
    "The line is full, so who comes now gets no place: 4,310 waiting, about 21 min, 200 inside",
    "列がいっぱいで、いま来た人は並べません：待機 4,310 人（約 21 分）",
  ],
  ["well", "well", { settings: { line_max: 5_000 }, report: { places_left: 690 } }, "All well", "順調"],
  ["slow", "look", { shop: slow }, "half of its answers take over 2.4 s, one in twenty over 9.1 s", "応答の半分が 2.4 秒"],
  ["errors", "act", { shop: errors, settings: { origin_errors_max_percent: 0 } }, "20 % of its last answers were errors", "20 % がエラー"],
  ["errors", "act", { shop: errors }, "20 % of its last answers were errors", "20 % がエラー"],
  ["well", "well", { shop: few }, "All well", "順調"],
  ["failing", "act", { report: { origin: "failing" } }, "calling has stopped: 200 inside, 4,310 keep their places", "呼び出しを止めています"],
  ["recovering", "look", { report: { origin: "recovering" } }, "calling begins with a few", "少人数から"],
  [
    "paused",
    "look",
    { settings: { mode: "paused" } },
    "Paused: nobody is called, 4,310 keep their places; 200 inside.",
    "一時停止中：誰も呼ばれません、4,310 人の順番は保たれています。入場中 200 人。",
  ],
  ["closed_inside", "off", { settings: { mode: "closed" }, report: { ...NOBODY, inside: 34 } }, "Closed, with 34 still inside", "まだ 34 人が入場中"],
  ["closed_line", "look", { settings: { mode: "closed" } }, "Closed, and 4,310 still hold places", "4,310 人がまだ順番を持っています"],
  ["closed", "off", { settings: { mode: "closed" }, report: NOBODY }, "Closed: nobody waits", "閉じています"],
  [
    "hall",
    "off",
    { report: { ...NOBODY, in_hall: 40_112, opens_at_ms: at } },
    ", in 12 min; 40,112 are in the hall",
    "あと 12 分で開場します。40,112 人がロビーで待っています",
  ],
  ["before", "off", { report: { ...NOBODY, mode: "closed", opens_at_ms: at } }, "nobody is here yet", "まだ誰もいません"],
  ["closed", "off", { settings: { mode: "closed" }, report: { ...NOBODY, opens_at_ms: at } }, "Closed: nobody waits", "閉じています"],
  ["between", "off", { report: { mode: "closed", opens_at_ms: at } }, ", in 12 min; 4,310 waiting, 200 inside", "待機 4,310 人、入場中 200 人"],
  [
    "opens_paused",
    "look",
    { settings: { mode: "paused" }, report: { ...NOBODY, in_hall: 61, opens_at_ms: at } },
    "but it is paused; 61 are here",
    "一時停止中です。61 人",
  ],
  [
    "opens_without",
    "look",
    { settings: { permits: 0 }, report: { ...NOBODY, in_hall: 61, opens_at_ms: at } },
    "but there are no permits; 61 are here",
    "許可証が 0 枚です。61 人",
  ],
  [
    "overdue",
    "look",
    { report: { ...NOBODY, mode: "closed", opens_at_ms: at - 1_440_000 } },
    "the room has not reported since",
    "その後の知らせがありません",
  ],
  [
    "one_address",
    "look",
    { report: { inside_of_one_address: 50 } },
    "One address holds 50 of 200 permits (25 %): 200 inside",
    "200 枚のうち 50 枚（25 %）",
  ],
  ["well", "well", { report: { inside_of_one_address: 40 } }, "All well", "順調"],
  ["well", "well", { report: { permits: 10, inside_of_one_address: 5 } }, "All well", "順調"],
  [
    "drawn",
    "well",
    { totals: { entered: 40_112, claimed: 120 } },
    "40,112 had come to the hall, and who stayed has a number by lot",
    "抽選が終わりました：ロビーに 40,112 人",
  ],
  ["drawn", "well", { totals: { entered: 40_112, claimed: 120 }, settings: { draw: "arrival" } }, "in the order they came", "来た順"],
  [
    "sold_out",
    "off",
    { settings: { mode: "sold_out" }, report: { ...NOBODY, inside: 12 } },
    "Sold out, and everybody was told; 12 inside.",
    "完売です",
  ],
  [
    "drained",
    "look",
    { settings: { mode: "drain" }, report: { ...NOBODY, inside: 12 } },
    "The line has run out: nobody waits, and there are no new tickets; 12 inside",
    "列がなくなりました",
  ],
  ["drain", "look", { settings: { mode: "drain" } }, "no new tickets, 4,310 are still called", "新しい番号は出しません"],
  ["dead", "look", { seen: { deadShare: 0.4 } }, "40 % of permit time is lost", "40 % が無駄"],
  ["dead", "look", { seen: { deadShare: 0.4 }, settings: { admissions_per_s: 10 } }, "40 % of permit time is lost while", "40 % が無駄"],
  ["well", "well", { seen: { deadShare: 0.4 }, report: { present: 0 } }, "All well", "順調"],
  ["capped", "look", { seen: { deadShare: 0.4 }, settings: { admissions_per_s: 2 } }, "the cap of 2 a second", "1 秒 2 人の上限"],
  ["missed", "look", { seen: { missed: 300 } }, "33 % of the calls were missed", "33 % に応答がありません"],
  [
    "missed",
    "look",
    { seen: { missed: 300, isWatched: false } },
    "33 % of all calls since this edition began were missed",
    "この版が始まってからの呼び出しの 33 %",
  ],
  ["well", "well", { seen: { deadShare: 0.4, isWatched: false } }, "All well", "順調"],
  ["rolled_back", "act", { seen: { rolledBack: 2 } }, "2 showed places that it has lost", "2 人が示しました"],
  ["opened", "act", { seen: { opened: 14 } }, "14 were let in past the line", "14 件が列を通らずに"],
  [
    "rehearsal",
    "off",
    { settings: { mode: "closed" }, report: NOBODY, rehearsal: { inside: 12, waiting: 30 } },
    "12 inside and 30 waiting on the stage",
    "リハーサル中",
  ],
  ["unusable", "act", { live: { permits: 300 }, report: { permits: 200 } }, "permits is 200, not 300", "permits は 300 ではなく 200"],
  ["unusable", "act", { live: { mode: "paused" }, report: { mode: "open" } }, "mode is open, not paused", "mode は paused ではなく open"],
  ["no_permits", "act", { settings: { permits: 0 } }, "There are no permits", "許可証が 0 枚"],
  ["observe", "look", { settings: { mode: "observe" } }, "Only observing", "観察だけ"],
  ["bypass", "look", { settings: { mode: "bypass" } }, "nobody is counted", "誰も数えられていません"],
];

const build = ({ seen, forecast, rehearsal, ...room }) => ({
  nowMs: at - 720_000,
  told: roomOf("onsale", room),
  seen: { ...SEEN, ...seen },
  forecast,
  rehearsal,
});

for (const [name, level, made, english, japanese] of TABLE) {
  test(`${name}: ${english}`, () => {
    const situation = situationOf(build(made));
    assert.deepEqual([situation.name, situation.level], [name, level]);
    for (const [write, text] of [
      [en, english],
      [ja, japanese],
    ]) {
      const { says, advice } = sentenceOf(situation, write);
      assert.ok(says.includes(text), `${says}\n${text}`);
      assert.doesNotMatch(says + advice, /[{}]|undefined|null|NaN/);
    }
  });
}

test("a room that does not answer: since when, and what people meet", () => {
  const last = roomOf("onsale");
  const silent = situationOf({ told: { report: null }, last, seen: { silentSinceMs: at } });
  assert.equal(silent.level, "act");
  const { says, advice } = sentenceOf(silent, en);
  assert.match(says, /^The room does not answer since .*, 4,310 keep their places\.$/);
  const open = sentenceOf(
    situationOf({ told: { report: null }, last: roomOf("onsale", { settings: { fail: "open" } }), seen: { silentSinceMs: at } }),
    en,
  );
  assert.notEqual(open.advice, advice, "who fails open lets people in");
  assert.match(
    sentenceOf(situationOf({ told: null, seen: { silentSinceMs: at } }), en).says,
    /^The room does not answer since [^,]*\.$/,
    "of a room that was never seen no number is said",
  );
});

test("a room of which nothing was heard is new or quiet, and no alarm", () => {
  const unheard = situationOf({ told: null, seen: { silentSinceMs: null } });
  assert.deepEqual([unheard.level, unheard.name], ["off", "unheard"]);
  for (const [write, text] of [
    [en, "it is new, or nothing has happened in it lately"],
    [ja, "新しい部屋か、最近動きのない部屋"],
  ])
    assert.ok(sentenceOf(unheard, write).says.includes(text));
  assert.match(totalOf([unheard, situationOf(build({}))], en).says, /^All well in 1 of 2 rooms: 200 inside.*Nothing was heard yet of the others\.$/);
  assert.deepEqual(totalOf([unheard, unheard], en), { level: "off", says: "Nothing was heard of the rooms yet." });
});

test("a summary without settings is judged by what it says", () => {
  const summary = { ...roomOf("onsale"), settings: null, changed: null, undo: null };
  assert.equal(situationOf({ told: summary, seen: SEEN }).name, "well");
  assert.equal(situationOf({ told: { ...summary, report: { ...summary.report, origin: "failing" } }, seen: SEEN }).name, "failing");
  const failing = sentenceOf(situationOf({ told: { ...roomOf("onsale", { shop: errors }), settings: null }, seen: SEEN }), en);
  assert.match(failing.says, /20 % of its last answers were errors/);
  assert.doesNotMatch(failing.advice, /Nothing stops calling|Calling stops by itself/, "what stops calling is not known");
});

test("every situation has its words, and what brakes by itself says so", () => {
  assert.deepEqual(
    new Set([
      ...TABLE.map(([name]) => name),
      "unheard",
      "unshown",
      "unreachable",
      "unreachable_open",
      "errors_braked",
      "errors_told",
      "errors_passing",
      "drawn_arrival",
      "missed_all",
      "quiet_full",
      "quiet_turn",
      "by_dates",
    ]),
    new Set(Object.keys(LANGUAGES.en.situations)),
  );
  const advice = (settings) => sentenceOf(situationOf(build({ shop: errors, settings })), en).advice;
  assert.match(advice({ origin_errors_max_percent: 0 }), /Nothing stops calling by itself/);
  assert.match(advice({ origin_errors_max_percent: 20 }), /stops by itself/);
});

test("a closing before the opening is told of in the question, whichever of the two is set", () => {
  const [now, first, second] = [0, 1, 2].map((day) => new Date(at + day * 86_400_000).toISOString());
  const settings = { opens_at: { value: [second] }, closes_at: { value: [first] } };
  assert.ok(closesFirst("closes_at", [first], { opens_at: { value: second } }, at));
  assert.ok(closesFirst("opens_at", second, settings, at));
  assert.ok(!closesFirst("opens_at", [now], settings, at));
  assert.ok(!closesFirst("closes_at", [first], {}, at), "without an opening it is open until then, as is meant");
  assert.ok(!closesFirst("closes_at", [first], settings, at + 2 * 86_400_000), "it has passed");
  assert.ok(!closesFirst("permits", 5, settings, at));
});

test("every live setting has a name of people's, in both languages", () => {
  const rows = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8").matchAll(/^\| `(\w+)` \|[^\n]*\| live \|/gm);
  const keys = [...rows].map(([, key]) => key).filter((key) => !["lanes", "schedule"].includes(key));
  assert.ok(keys.length > 15, keys.join());
  for (const words of Object.values(LANGUAGES))
    assert.deepEqual(
      keys.filter((key) => !words.knobs[key]),
      [],
    );
});

test("dates that have all passed are told of in the question", () => {
  const [gone, toCome] = ["2020-12-01T10:00:00+09:00", "2030-12-01T10:00:00+09:00"];
  const nowMs = Date.UTC(2026, 10, 1);
  for (const value of [gone, [gone], [gone, "2021-01-01T00:00:00Z"]]) assert.ok(isPast("opens_at", value, nowMs), value);
  for (const [key, value] of [
    ["opens_at", [gone, toCome]],
    ["opens_at", []],
    ["opens_at", null],
    ["message", gone],
    ["closes_at", toCome],
  ])
    assert.ok(!isPast(key, value, nowMs), value);
});

test("both languages have the same texts with the same gaps", () => {
  const flat = (texts, path = "") =>
    Object.entries(texts).flatMap(([key, text]) =>
      typeof text === "object" ? flat(text, `${path}${key}.`) : [[path + key, [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()]],
    );
  assert.deepEqual(flat(LANGUAGES.ja), flat(LANGUAGES.en));
  assert.equal(chosen("?lang=ja", ["en-GB"]), "ja");
  assert.equal(chosen("", ["de", "ja-JP"]), "ja");
  assert.equal(chosen("?lang=toString", ["de"]), "en");
  assert.deepEqual([localeOf("en", ["de", "en-GB", "en-US"]), localeOf("ja", ["en-GB"])], ["en-GB", "ja"]);
  assert.match(createWriter(localeOf("en", ["en-GB"]), LANGUAGES.en).exact(Date.UTC(2026, 10, 27, 12)), /^27 Nov 2026/);
});

test("the worst room is first, and all rooms are one sentence", () => {
  const all = [
    {},
    { settings: { mode: "closed" }, report: NOBODY },
    { report: { origin: "failing" } },
    { shop: slow },
    { report: { waiting: 9_000 } },
  ].map((made) => situationOf(build(made)));
  assert.deepEqual(
    [...all].sort(byNeed).map(({ name }) => name),
    ["failing", "grows", "slow", "well", "closed"],
  );
  assert.equal(totalOf(all, en).says, "Act in 1 of 5 rooms and look at 2 more: 800 inside, 21,930 waiting.");
  assert.equal(totalOf([all[0], all[1]], en).says, "All well in 2 rooms: 200 inside, 4,310 waiting.");
});

test("what was seen: rates by what the room kept, and nothing of an earlier edition", () => {
  const seen = createSeen();
  const nowMs = 10_000_000;
  seen.prefill([
    [nowMs / 1_000 - 360, 1_000, 200, 3_000, 200],
    [nowMs / 1_000 - 300, 2_000, 200, 3_630, 200],
  ]);
  const first = seen.take(roomOf("onsale"), nowMs);
  assert.equal(first.waitingBefore, 2_000);
  assert.equal(first.admittedPerMin, 190);
  assert.equal(first.camePerS, null);
  const later = seen.take(roomOf("onsale", { totals: { joined: 8_930 } }), nowMs + 10_000);
  assert.equal(later.camePerS, 3);
  assert.equal(seen.silent(nowMs + 11_000).silentSinceMs, nowMs + 11_000);
  assert.equal(seen.silent(nowMs + 12_000).silentSinceMs, nowMs + 11_000, "it is silent since then");
  const anew = seen.take(roomOf("onsale", { totals: { claimed: 5, walked_in: 0, missed: 1, called: 6, handed: 0 } }), nowMs + 13_000);
  assert.deepEqual(
    [anew.missed, anew.calls, anew.isWatched, anew.admittedPerMin],
    [1, 6, false, null],
    "what was not watched for a minute is of the whole edition",
  );
});

test("a roll-back is told for five minutes", () => {
  const seen = createSeen();
  const room = (proofs) => roomOf("onsale", { report: { rolled_back: proofs } });
  assert.equal(seen.take(roomOf("onsale"), 0).rolledBack, 0, "an older build counts none");
  assert.equal(seen.take(room(2), 1_000).rolledBack, 2);
  assert.equal(seen.take(room(2), 299_000).rolledBack, 2);
  assert.equal(seen.take(room(2), 302_000).rolledBack, 0);
});

test("let in past the line is told for five minutes, and no longer", () => {
  const seen = createSeen();
  const room = (opened) => roomOf("onsale", { report: { opened } });
  assert.equal(seen.take(room(7), 0).opened, 7);
  assert.equal(seen.take(room(7), 299_000).opened, 7);
  assert.equal(seen.take(room(7), 301_000).opened, 0);
  assert.equal(seen.take(room(9), 302_000).opened, 2);
});

test("what follows from other permits is counted", () => {
  const { report } = roomOf("onsale");
  assert.deepEqual(followsOfPermits(report, 150, {}, en), [
    "200 → 150 permits.",
    "No visitor inside is removed; 50 must leave before the next is called.",
  ]);
  assert.deepEqual(followsOfPermits({ ...report, inside: 100 }, 150, {}, en)[1], "No visitor inside is removed, and none needs to leave first.");
  assert.deepEqual(followsOfPermits(report, 250, { tried: 200 }, en), [
    "200 → 250 permits.",
    "50 of those who wait are called at once.",
    "At most 200 were inside at once in the last hour; more is untried.",
  ]);
  assert.deepEqual(followsOfPermits({ ...report, debt: 40 }, 250, {}, en)[1], "10 of those who wait are called at once.");
  assert.deepEqual(followsOfPermits({ ...report, mode: "paused" }, 250, {}, en)[1], "Nobody is called as long as the mode is paused.");
  assert.deepEqual(followsOfPermits(report, 200, {}, en), ["That is its value now."]);
  assert.match(followsOfPermits(report, 250, { overS: 300 }, en).join(" "), /step by step/);
  assert.match(followsOf("sold_out", report, en)[0], /^4,310 in line are told/);
  assert.match(followsOf("resume", { ...report, hand: 30, tray: 4 }, en)[0], /^34 are called at once/);
});

test("what follows for the line is said as far as the outlook says so", () => {
  const of = (p50, silence = null) => ({ silence, line_ends: { p50 }, measured: { from: 120, to: 220 } });
  assert.equal(followsOfForecast(of(600_000), of(1_440_000), en), "The line then ends about 14 min later.");
  assert.equal(followsOfForecast(of(1_440_000), of(600_000), en), "The line then ends about 14 min sooner.");
  assert.equal(followsOfForecast(of(600_000), of(610_000), en), "The line then ends about as it would anyway.");
  assert.equal(followsOfForecast(of(600_000), of(null), en), "The line then does not end in the time that can be foreseen.");
  assert.equal(
    followsOfForecast(of(600_000), of(null, "not_measured"), en),
    "What that does to the line is not known: 120 to 220 permits can be judged.",
  );
  assert.equal(followsOfForecast(of(null, "little"), of(null, "little"), en), "What that does to the line is not known yet.");
});

test("the picture and the gauge say in words what they draw", () => {
  const { report } = roomOf("onsale", { report: { inside: 170, called: 8, hand: 20, tray: 2, debt: 0 } });
  const way = textOf(wayOf(report, { camePerS: 3, donePerS: null }, en)[0]);
  for (const text of ["arriving", "180/min", "4,020", "290 away", "120 missed", "170", "done –"])
    assert.ok(way.replace(/\s+/g, " ").includes(text), `${way}: ${text}`);
  const gauge = gaugeOf(report, 0.02, en);
  const rects = gauge.children[0].children.filter(({ tag }) => tag === "rect").map(({ attrs }) => [attrs.class, attrs.width]);
  assert.deepEqual(rects, [
    ["ground", 600],
    ["inside", 510],
    ["called", 24],
    ["free", 66],
  ]);
  const owed = textOf(gaugeOf({ ...report, inside: 230, called: 0, hand: 0, tray: 0, debt: 30 }, null, en));
  assert.match(owed, /30 more are inside than there are permits/);
});

test("a message in languages is one value: a new text leaves no older translation behind", () => {
  assert.deepEqual(messageOf({ message: "Soon", ja: "まもなく", de: " " }), { any: "Soon", ja: "まもなく" });
  assert.deepEqual([messageOf({ message: "Soon" }), messageOf({ message: "", ja: "まもなく" })], ["Soon", ""]);
  assert.equal(shown({ any: "Soon", ja: "まもなく", de: "Bald" }), "Soon (ja, de)");
});

test("nothing is said of an hour that was not, and no wait where nobody can come in", () => {
  const columnsOf = (minutes) => [0, 1, 2, 3, 4].map((column) => Array.from({ length: minutes * 60 }, (_, s) => [s, 30, 10, s / 2, 10][column]));
  const { report } = roomOf("onsale", { report: { permits: 10, inside: 10, waiting: 30, present: 30 } });
  for (const minutes of [2, 5, 8, 30, 60]) {
    const columns = columnsOf(minutes);
    const said = waitChart(columns, { report, waitMs: 60_000 }, en).answer + shopChart(columns, report, en).answer;
    // A pace takes a minute to be known.
    const watched = [...said.matchAll(/as (\d+) min/g)].map(([, count]) => Number(count));
    assert.deepEqual(watched, minutes < 6 ? [] : [minutes - 1, minutes - 1], `${minutes}: ${said}`);
    assert.doesNotMatch(said, /hour/);
  }
  const shut = [{ permits: 0 }, { opens_at_ms: at, in_hall: 61 }, { origin: "failing" }, { mode: "paused" }];
  for (const more of shut) {
    const told = roomOf("onsale", { report: { ...report, present: 0, waiting: 0, ...more } });
    for (const [waitMs, write] of [
      [0, en],
      [60_000, ja],
    ])
      assert.ok(
        waitChart(columnsOf(10), { report: told.report, waitMs }, write).answer.startsWith(write.text.questions.waits.stopped),
        JSON.stringify(more),
      );
    for (const forecast of [null, { silence: null, newcomer: { p50: 600_000 } }])
      assert.equal(waitOf(told, SEEN, forecast), null, JSON.stringify(more));
    assert.doesNotMatch(sentenceOf(situationOf({ told, seen: SEEN, nowMs: at - 720_000 }), en).says, /less than a minute|about \d/);
  }
});

test("more than five minutes ago is said of what was five minutes ago", () => {
  const seen = createSeen();
  const room = (waiting) => roomOf("onsale", { report: { waiting, present: waiting } });
  assert.equal(seen.take(room(100), 0).waitingBefore, null);
  for (let ms = 1_000; ms < 300_000; ms += 1_000)
    assert.equal(seen.take(room(100 + ms / 1_000), ms).waitingBefore, null, "no line grows before that");
  assert.equal(seen.take(room(500), 300_000).waitingBefore, 100);
});

test("a definition that was written and read again is itself", () => {
  for (const value of [200, true, "text", "200", "true", "", ["/a/*"], "[x", null]) assert.deepEqual(readValue(writtenValue(value)), value);
  const [past, toCome] = ["2020-05-01T10:00:00Z", "2030-05-01T10:00:00Z"];
  const dated = (date) => ({ paths: ["/a/*"], permits: 5, opens_at: date, closes_at: [date], schedule: [{ at: date, set: {} }], generation: 2 });
  assert.deepEqual(Object.keys(freshOf(dated(past), at - 7e10)), ["permits"], "a new room does not begin with what is over");
  assert.deepEqual(Object.keys(freshOf(dated(toCome), at - 7e10)), ["permits", "opens_at", "closes_at", "schedule"]);
  assert.deepEqual(definitionOf(roomOf("onsale", { settings: { draw: "arrival", generation: 3 }, live: { message: "hello" } })), {
    paths: ["/buy/*"],
    permits: 200,
    draw: "arrival",
  });
});
