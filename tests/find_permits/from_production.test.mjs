// `npm run find-permits -- --from-production`: what it asks for, what it says, and what it makes of the journal of a real run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromProduction, readFlags, sayProduction, windowsOf } from "../../scripts/find_permits/from_production.mjs";
import { judgeProduction } from "../../scripts/find_permits/production.mjs";
import { startOrigin, startWorld } from "../runtime/support/world.mjs";
import { compileBefore, instead } from "../support/programs.mjs";

compileBefore("audit");

const TOKEN = "operator-operator-operator-operator";
const ENV = { BATON_ADMIN_TOKEN: TOKEN };

test("a command line that makes no sense is named with its cure", () => {
  const base = ["--from-production", "--url", "https://tickets.example.com", "--room", "onsale"];
  assert.deepEqual(readFlags(base, ENV), {
    export: undefined,
    span_s: 60,
    seed: 1,
    json: false,
    url: "https://tickets.example.com",
    room: "onsale",
    token: TOKEN,
  });
  assert.deepEqual(readFlags(["--from-production", "--export", "a.jsonl", "--span-s", "5", "--json"], {}), {
    export: "a.jsonl",
    span_s: 5,
    seed: 1,
    json: true,
  });
  const wrong = [
    [["--from-production"], /--url and --room are missing/],
    [[...base, "--export", "a"], /give one of them/],
    [[...base, "--span-s", "0"], /from 1 to 86400/],
    [["--from-production", "--url", "tickets", "--room", "a"], /needs an address/],
    [[...base, "--steps", "a"], /steps/],
  ];
  for (const [args, why] of wrong) assert.throws(() => readFlags(args, ENV), why);
  assert.throws(() => readFlags(base, {}), /BATON_ADMIN_TOKEN/);
});

test("warnings of the program are no windows, its errors are told as text, and a killed one is said to be", async (t) => {
  const does = instead(t, "audit");
  does("echo 'warning: old' >&2; echo '{\"inside\":3}'; echo '{\"inside\":4}'");
  assert.deepEqual(await windowsOf("a.jsonl", 60), [{ inside: 3 }, { inside: 4 }]);
  does("echo '{\"inside\":3}'; echo 'audit: row 7 is damaged' >&2; exit 2");
  await assert.rejects(windowsOf("a.jsonl", 60), /a\.jsonl: [^]*audit: row 7 is damaged/);
  does("echo '{\"inside\":3}'; kill -KILL $$");
  await assert.rejects(windowsOf("a.jsonl", 60), /was killed \(SIGKILL\)/);
});

const windowOf = (inside, more = {}) => ({ inside, span_ms: 60_000, bad: 0, octaves: [0, 0, 0, 0, 0, 0, 0, 0, inside * 12], ...more });

test("means are exact where the windows say what all answers took together, those beyond the last octave included", () => {
  const windows = [10, 20, 40].map((inside) => windowOf(inside, { answers: inside * 15, sum_ms: inside * 15 * 230 }));
  const found = judgeProduction(windows);
  assert.deepEqual([found.kind, found.people, Math.round(found.answer_ms)], ["carried", 40, 230]);
  assert.ok(Math.abs(judgeProduction([10, 20, 40].map((inside) => windowOf(inside))).answer_ms - 181) < 1, "without them by octaves");
  assert.match(judgeProduction([windowOf(10, { answers: -1 })]).why, /window 1: answers/);
});

test("it says what was carried and how the shop answered then, in sentences", () => {
  const carried = judgeProduction([10, 20, 40].map((inside) => windowOf(inside, { answers: inside * 12, sum_ms: inside * 12 * 240 })));
  assert.match(
    sayProduction(carried),
    /carried 40 people at once: answers took 240 ms on average then, and 240 ms with 20 inside\.\nThe shop did not saturate[^]*permits = 40\.$/,
  );
  assert.match(sayProduction(judgeProduction([])), /^Nothing can be said: /);
  const number = {
    kind: "number",
    people: 200,
    low: 180,
    high: 220,
    recommended: 144,
    carried: 190,
    answer_ms: 1_500,
    quiet_ms: 120,
    quiet_people: 20.4,
  };
  assert.match(sayProduction(number), /carried 190 people[^]*1\.5 s[^]*120 ms with 20 inside\.\nIt saturates at 200 people \(90 %: 180 to 220\)/);
});

test("the journal of a run on workerd: six people inside were carried", { timeout: 240_000 }, async (t) => {
  const ANSWER_MS = 25;
  const origin = await startOrigin(t, (_request, response) => setTimeout(() => response.end("ok"), ANSWER_MS));
  const world = await startWorld(t, { origin: origin.url, room: { permits: 6, claim_within_s: 60 }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const people = Array.from({ length: 6 }, () => world.visitor());
  const until = Date.now() + 24_000;
  await Promise.all(
    people.map(async (person) => {
      await person.arrive();
      while (Date.now() < until) assert.equal((await person.arrive()).state, "shop");
    }),
  );
  // Each asks for something, so that what was counted rides along: a lobby takes it to the room once in ten seconds.
  for (const person of people) await person.leave();
  const said = [];
  const code = await fromProduction(["--from-production", "--url", world.url, "--room", "onsale", "--span-s", "30", "--json"], {
    say: (text) => said.push(text),
    env: ENV,
  });
  const found = JSON.parse(said[0]);
  assert.deepEqual([code, found.kind], [0, "carried"], said[0]);
  assert.ok(found.people >= 4 && found.people <= 6, `${found.people} people`);
  assert.ok(found.answer_ms >= ANSWER_MS && found.answer_ms < 40 * ANSWER_MS, `${found.answer_ms} ms`);
});
