/* What the desk's sentences can say, clause by clause, and when each is true. The rules share nothing with the desk's own; words that no claim
 * covers fail too.
 *
 * Facts: `report` as the API tells it, `shop` (its recent answers), `mode` (as set), `settings` (plain values, or null of a summary), `seen` (what
 * happened lately), `rehearsal`, `nowMs`, and `isWait(min)`, whether so many minutes are about what the last in line waits. */

import assert from "node:assert/strict";

const MINUTE_MS = 60_000;
const number = (text) => Number(text.replaceAll(",", ""));
/** Whether a time as it is written, of two digits, is this one, ms. */
const isTime = (text, ms) => {
  const [, count, unit] = /^([\d.,]+) (ms|s)$/.exec(text);
  const said = number(count) * (unit === "s" ? 1_000 : 1);
  return Math.abs(said - ms) <= ms * 0.06;
};
const isShare = (text, share) => Math.round(share * 100) === Number(text);

/** Whether somebody may be called now. */
const calls = ({ report: { mode, permits, opens_at_ms: opens, origin } }) =>
  (mode === "open" || mode === "drain") && permits > 0 && opens === null && origin !== "failing";
const free = ({ hand, tray }) => hand + tray;
const passes = ({ report }) => ["observe", "bypass"].includes(report.mode);
const opensByItself = ({ mode, report: { opens_at_ms: opens, in_hall: hall, waiting } }) =>
  opens !== null && (["open", "paused"].includes(mode) || (mode === "drain" && hall + waiting > 0));
const is =
  (key) =>
  ({ report }, count) =>
    report[key] === number(count);
const always = () => true;

/**
 * What can be said: how, and when it is true.
 *
 * @type {[RegExp, (facts: any, ...values: string[]) => unknown][]}
 */
const CLAIMS = [
  [/(\d[\d,]*) (?:are )?(?:still )?inside(?=[,;:.]| and)/, (f, count) => is("inside")(f, count) || f.rehearsal?.inside === number(count)],
  [/(\d[\d,]*) waiting(?=[,;:.]| on)/, (f, count) => is("waiting")(f, count) || f.rehearsal?.waiting === number(count)],
  [/(\d[\d,]*) permits free/, ({ report }, count) => free(report) === number(count) && free(report) > 0],
  [/no permit is free/, ({ report }) => free(report) === 0],
  [
    /, (?:about (\d+) min|less than a minute)(?=[,;:.])/,
    (f, min) => opensByItself(f) || (calls(f) && f.report.present > 0 && f.isWait(Number(min ?? 0.5))),
  ],
  [/the shop answers in ([\d.,]+ m?s)/, ({ shop }, time) => shop.count > 0 && isTime(time, shop.p50_ms)],
  [/(\d+) more than five minutes ago/, ({ report, seen }, count) => report.waiting - seen.waitingBefore === number(count)],
  [/All well/, (f) => calls(f)],
  [/The line grows/, always],
  [/The line is full, so who comes now gets no place/, ({ report }) => report.places_left === 0 && report.waiting > 0],
  [/Nobody waits/, ({ report }) => report.waiting + report.in_hall === 0],
  [/The shop fails: (\d+) % of its last answers were errors/, ({ shop }, share) => isShare(share, shop.failed / (shop.count + shop.failed))],
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
  [
    /The shop is slow: half of its answers take over ([\d.,]+ m?s), one in twenty over ([\d.,]+ m?s)/,
    ({ shop }, half, most) => isTime(half, shop.p50_ms) && isTime(most, shop.p95_ms) && (shop.p50_ms >= 2_000 || shop.p95_ms >= 8_000),
  ],
  [/Many do not come when called: (\d+) % of the calls were missed/, ({ seen }, share) => seen.isWatched && isShare(share, seen.missed / seen.calls)],
  [
    /Many did not come when called: (\d+) % of all calls since this edition began were missed/,
    ({ seen }, share) => isShare(share, seen.missed / seen.calls),
  ],
  [
    /Permits stand idle: the cap of (\d+) a second holds people back, (\d+) % of permit time is lost/,
    (f, cap, share) =>
      calls(f) &&
      f.seen.isWatched &&
      f.settings.admissions_per_s === Number(cap) &&
      f.seen.admittedPerMin > 48 * Number(cap) &&
      isShare(share, f.seen.deadShare),
  ],
  [
    /Permits stand idle: (\d+) % of permit time is lost while (\d+) wait/,
    (f, share, count) =>
      calls(f) && f.seen.isWatched && f.report.present > 0 && f.report.waiting === number(count) && isShare(share, f.seen.deadShare),
  ],
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
  [/with (\d+) still inside/, is("inside")],
  [/Sold out, and everybody was told/, ({ mode }) => mode === "sold_out"],
  [/By its dates it opens .*?, in (?:\d+ min|less than a minute)/, ({ report, settings }) => settings === null && report.opens_at_ms !== null],
  [
    /It opens .*?, in (?:(\d+) min|less than a minute)/,
    (f, min) => opensByItself(f) && Math.abs(f.report.opens_at_ms - f.nowMs - Number(min ?? 0) * MINUTE_MS) <= MINUTE_MS,
  ],
  [/By its dates it should have opened .*?; the room has not reported since/, (f) => f.report.opens_at_ms < f.nowMs - MINUTE_MS],
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
  [/New visitors go straight in/, (f) => calls(f) && free(f.report) > 0 && f.settings.walk_in && f.settings.admissions_per_s === 0],
  [/New visitors are let in at once, or with one of the next calls/, (f) => calls(f) && free(f.report) > 0],
  [/A new visitor waits until a visitor inside leaves/, ({ report }) => free(report) === 0],
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
const claims = CLAIMS.map(([pattern, holds]) => ({ pattern: new RegExp(pattern, "g"), holds }));
const asks = ASKS.map((pattern) => new RegExp(pattern, "g"));

/** Throws unless each clause of a sentence and its advice is true of the facts. `about` says in the failure where it stood. */
export function checkClaims(text, facts, about) {
  let left = text;
  for (const { pattern, holds } of claims) {
    if (left.search(pattern) < 0) continue;
    for (const [clause, ...values] of left.matchAll(pattern)) assert.ok(holds(facts, ...values), `“${clause}” is not so.\n${text}\n${about}`);
    left = left.replace(pattern, "");
  }
  for (const pattern of asks) left = left.replace(pattern, "");
  assert.doesNotMatch(left.replace(/\b(?:and|but|with|in)\b/g, ""), /[\p{L}\d]/u, `no claim covers “${left}”\n${text}\n${about}`);
}
