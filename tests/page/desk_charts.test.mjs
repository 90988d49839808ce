// The desk's charts as values, without a browser: what each answers, draws, names on its axes and tells of the moment that is picked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { roomOf } from "../../scripts/gallery/desk_states.mjs";
import { momentsOf, plotOf, roundUp, thinned } from "../../web/desk/plot.js";
import { answersChart, hallChart, shopChart, stepsOf, waitChart } from "../../web/desk/questions.js";
import { textOf } from "../../web/desk/tree.js";
import { LANGUAGES } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";

const en = createWriter("en", LANGUAGES.en);
const at = Date.UTC(2030, 0, 1, 10);

test("the charts answer their questions, and say nothing that is not known", () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  const columns = [minutes.map((m) => m * 60), minutes.map(() => 1_900), minutes.map(() => 200), minutes.map((m) => m * 190), minutes.map(() => 200)];
  const [, perMin, wait] = stepsOf(columns).at(-1);
  assert.deepEqual([Math.round(perMin), Math.round(wait)], [190, 600_000]);
  const { report } = roomOf("onsale");
  assert.match(
    waitChart(columns, { report, waitMs: 600_000 }, en).answer,
    /^Who comes now waits about 10 min\. That is about the same as 58 min ago\. Of those called lately half/,
  );
  assert.match(waitChart(columns, { report, waitMs: null }, en).answer, /^Not known yet/);
  assert.match(waitChart(columns, { report: { ...report, mode: "paused" }, waitMs: null }, en).answer, /^Nobody is called now/);
  assert.match(shopChart(columns, report, en).answer, /^190 come in a minute\. That is about the same as 58 min ago\. The shop answers in 240 ms/);
  const drawn = { name: "x", label: "x", caption: "x", minute: 1, tick: String, moment: String, says: String };
  assert.equal(plotOf({ ...drawn, series: [{ name: "a", points: [[1, 1]] }] }), null);
  const [, gap] = plotOf({
    ...drawn,
    series: [
      {
        name: "a",
        points: [
          [0, 1],
          [1, null],
          [2, 1],
        ],
      },
    ],
  });
  assert.equal(gap.children[0].children.find(({ tag }) => tag === "path").attrs.d.match(/M/g).length, 2, "a gap is not bridged");
  assert.deepEqual([0, 3, 14, 204, 26, 1_000].map(roundUp), [2, 4, 20, 250, 30, 1_000]);
  const many = minutes.map((m) => [m, m]);
  assert.deepEqual(thinned(many, 10).at(-1), [59, 59]);
  assert.ok(thinned(many, 10).length <= 10);
});

test("an axis names round moments, none twice, and the picked one is told beside the legend", () => {
  assert.deepEqual(momentsOf(7_230, 7_250, 60), [7_250], "less than a minute has its end alone");
  for (const minutes of [1, 2, 7, 33, 60, 300]) {
    const named = momentsOf(7_230, 7_230 + minutes * 60, 60);
    assert.ok(named.length >= 1 && named.length <= 5, `${minutes}: ${named}`);
    assert.ok(named.every((at) => at % 60 === 0 && at >= 7_230 && at <= 7_230 + minutes * 60));
    assert.ok(7_230 + minutes * 60 - named.at(-1) < (named[1] ?? Infinity) - named[0], `${minutes}: the end has no name: ${named}`);
    assert.equal(new Set(named.map((s) => en.clock(s * 1_000))).size, named.length);
  }
  const points = Array.from({ length: 200 }, (_, at) => [at, at]);
  const drawn = { name: "x", label: "Which?", caption: "in people", minute: 10, tick: String, moment: String, says: (at) => `at ${at}` };
  const of = (picked) => plotOf({ ...drawn, picked, series: [{ name: "a", points, text: "the line" }] });
  const [caption, walk, legend] = of(null);
  assert.deepEqual([walk.attrs.role, walk.attrs["aria-label"], walk.attrs["aria-valuetext"]], ["slider", "Which?", "at 199"]);
  assert.deepEqual([textOf(caption), textOf(legend).trim()], ["in people", "the line"]);
  assert.equal(textOf(of(100)[0]), "at 103", "what was there stands in the caption's place");
  assert.deepEqual(
    [-5, 1_000].map((at) => of(at)[1].attrs["aria-valuetext"]),
    ["at 7", "at 199"],
  );
});

test("the hall's chart says how it fills; the shop's answers are drawn once there are some", () => {
  const minutes = Array.from({ length: 40 }, (_, minute) => minute);
  const none = minutes.map(() => 0);
  const columns = [
    minutes.map((m) => m * 60),
    none,
    none,
    none,
    none,
    minutes.map((m) => m * 100),
    minutes.map((m) => (m < 10 ? null : 200 + m)),
    minutes.map((m) => (m < 10 ? null : 900)),
  ];
  const { report } = roomOf("onsale", { report: { mode: "closed", in_hall: 3_900, opens_at_ms: at } });
  const hall = hallChart(columns, report, en);
  assert.equal(hall.answer, "3,900 are in the hall. That is more than 39 min ago.");
  assert.ok(hall.plot);
  assert.equal(hallChart(columns.slice(0, 5), report, en).answer, "3,900 are in the hall.", "an hour of an older room has no hall");
  const readAt = (s) => answersChart(columns, en, s)[1].attrs["aria-valuetext"];
  assert.match(readAt(60), /no answers/);
  assert.match(readAt(2_400), /half within 240 ms, nineteen of twenty within 900 ms/);
  assert.match(textOf({ tag: "div", attrs: {}, children: answersChart(columns, en) }), /half within .*nineteen of twenty within/);
  assert.equal(answersChart(columns.slice(0, 6), en), null);
});
