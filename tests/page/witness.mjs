/* Watches a desk from its first second to its last: whatever stands on the screen, each time that it changes and once a second, is judged by what
 * the API had told the page. A test goes on meanwhile; `check()` fails with all that was untrue until then. */

import assert from "node:assert/strict";
import { checkClaims } from "./claims.mjs";

/** The desk gives an answer six seconds, the list's and that of the open room one after the other; the rest is for a machine with much else to do. */
const LIVE_MS_MAX = 20_000;
const LATELY_MS = 300_000;
const LITTLE_MS = 60_000;
/** So many of the last tellings of a room may be what is on the screen: one is being drawn while the next has come. */
const TELLINGS = 4;
const HOLES = /\{[a-z_]+\}|\bundefined\b|\bNaN\b|\bInfinity\b|\[object|Invalid Date/;

/** Runs in the page before its own scripts: keeps what the API tells, and hands on what is shown. */
function look() {
  const told = {};
  let poll = null;
  const real = window.fetch;
  const isTold = /\/__baton\/admin\/rooms(?:\/([\w-]+)(?:\/(?:undo|reset))?)?$/;
  window.fetch = async (input, init) => {
    const call = isTold.exec(new URL(String(input), location.href).pathname);
    if (!call) return real(input, init);
    const isPoll = call[1] === undefined;
    const answer = await real(input, init).catch((error) => {
      if (isPoll) poll = { atMs: Date.now(), ok: false };
      throw error;
    });
    const json = await answer
      .clone()
      .json()
      .catch(() => null);
    if (isPoll) poll = { atMs: Date.now(), ok: answer.ok };
    const rooms = isPoll ? json?.rooms : answer.ok ? [json] : [];
    for (const one of rooms ?? []) (told[one.room] ??= []).push({ atMs: Date.now(), isOwn: !isPoll, one });
    // A room that is gone has told nothing.
    if (isPoll && answer.ok)
      for (const [room, all] of Object.entries(told))
        if (!rooms.some((one) => one.room === room)) all.push({ atMs: Date.now(), one: { report: null } });
    // What a room said itself stands until it says something newer.
    for (const all of Object.values(told)) {
      const own = all.findLast(({ isOwn }) => isOwn);
      const recent = all.slice(-8);
      all.splice(0, all.length, ...(own && !recent.includes(own) ? [own] : []), ...recent);
    }
    return answer;
  };
  const isShown = (element) => Boolean(element?.checkVisibility());
  const text = (element) => element?.textContent.trim().replace(/\s+/g, " ") ?? "";
  const shown = (selector, of = document) => [...of.querySelectorAll(selector)].filter(isShown);
  let last = "";
  const tell = (isHeartbeat) => {
    if (!document.body || poll === null) return;
    const says = shown("article").map((article) => ({
      room: article.getAttribute("aria-label"),
      text: text(article.querySelector(".say h2")),
      advice: text(article.querySelector(".say .advice")),
      waits: text(article.querySelector('[data-part="waits-answer"]')),
      shop: text(article.querySelector('[data-part="shop-answer"]')),
    }));
    const cards = shown("#overview .card").map((card) => ({ room: text(card.querySelector("strong")), text: text(card.querySelector(".text")) }));
    const total = shown("#overview .say h2").map(text)[0] ?? null;
    const screens = shown("main > section, #sign-in").map(({ id }) => id);
    const words = document.body.innerText;
    const view = { says, cards, total, screens, words, main: document.querySelector("main").innerText.trim().length };
    const now = JSON.stringify([view, text(document.getElementById("news")), poll.ok]);
    if (now === last && !isHeartbeat) return;
    last = now;
    window.sawDesk({ ...view, news: text(document.getElementById("news")), poll, told, atMs: Date.now() });
  };
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => tell(false)).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    let beatMs = Date.now();
    setInterval(() => {
      const isAwake = Date.now() - beatMs < 5_000;
      beatMs = Date.now();
      // What stands there in the first moment after a sleep, before any script has run, is what stood there before.
      if (isAwake && !document.hidden) tell(true);
    }, 1_000);
  });
}

/** Watches every page of a context, from before its first page. Resolves to `{ check, faults, counts }`. */
export async function watchDesk(context) {
  const faults = new Map();
  const counts = { views: 0, sentences: new Set() };
  const samples = createSamples();
  await context.exposeFunction("sawDesk", (view) => {
    counts.views++;
    for (const judge of [isThere, isLive, isWhole, areTrue]) {
      try {
        judge(view, samples, counts);
      } catch (error) {
        const kind = error.message.slice(0, 80).replaceAll(/\d+/g, "#");
        if (!faults.has(kind)) faults.set(kind, error.message.slice(0, 1_500));
      }
    }
  });
  await context.addInitScript(look);
  return { counts, faults: () => [...faults.values()], check: () => assert.deepEqual([...faults.values()], []) };
}

/** Something can be read. */
function isThere({ main, screens, says, words }) {
  assert.ok(main > 5, `the desk is blank: ${screens} “${words}”`);
  assert.ok(screens.length + says.length > 0, "the desk shows no screen and no room");
}

/** Live is said while polls come, and not after one that failed. */
function isLive({ news, poll, atMs }) {
  if (news !== "Live") return;
  assert.ok(poll.ok, "Live after a poll that failed");
  assert.ok(atMs - poll.atMs < LIVE_MS_MAX, `Live, and the last poll ended ${Math.round((atMs - poll.atMs) / 1_000)} s ago`);
}

/** No text has a gap. */
function isWhole({ words }) {
  assert.doesNotMatch(words, HOLES);
  assert.ok(!words.includes("This page cannot show the room"), "a room is not shown");
}

/** Every sentence is true of one of the last tellings. */
function areTrue({ says, cards, total, told }, samples, counts) {
  for (const [room, tellings] of Object.entries(told)) for (const telling of tellings) samples.take(room, telling);
  const holds = (room, text, about) => {
    counts.sentences.add(text.replaceAll(/\d[\d,.]*/g, "#"));
    const recent = [...told[room].slice(-TELLINGS), ...told[room].filter(({ isOwn }) => isOwn).slice(-1)];
    const errors = [];
    for (const telling of recent)
      try {
        return isTrueOf(text, samples.factsOf(room, telling), about);
      } catch (error) {
        errors.push(error);
      }
    throw errors.at(-1);
  };
  for (const { room, text, advice, waits, shop } of says) {
    holds(room, `${text} ${advice}`, `the screen of ${room}`);
    holds(room, waits, `the waits of ${room}`);
    samples.checkTimes(room, `${waits} ${shop}`);
  }
  for (const { room, text } of cards) holds(room, text, `the card of ${room}`);
  if (total !== null) isSum(total, told);
}

function isTrueOf(text, facts, about) {
  if (text.startsWith("Nothing was heard of it yet")) return assert.equal(facts.report, null, text);
  if (about.startsWith("the waits") && facts.report === null) return assert.equal(text, "", "nothing is said of a room that was not heard of");
  assert.ok(facts.report, `${about}: it was not heard of: ${text}`);
  const { durations, answers, lanes, proofs, ...told } = facts.report;
  const from = `${about}: ${JSON.stringify({ mode: facts.mode, recent: answers.recent, seen: facts.seen, ...told })}`;
  if (about.startsWith("the waits")) return isWaitTrue(text, facts, from);
  checkClaims(text, facts, from);
}

/** The answer about the wait: nobody is called where nobody can be, and a wait is about the line's. */
function isWaitTrue(text, facts, told) {
  const { mode, permits, opens_at_ms: opens, origin, in_hall: hall } = facts.report;
  const isCalling = ["open", "drain"].includes(mode) && permits > 0 && !opens && origin !== "failing";
  if (opens && hall > 0) return assert.match(text, new RegExp(`^${hall} are in the hall`), told);
  assert.equal(/^Nobody is called now/.test(text), !isCalling, `${text}\n${told}`);
  const said = /(?:comes now|in line) waits (?:about (\d+) min|less than a minute)/.exec(text);
  if (said) assert.ok(facts.isWait(Number(said[1] ?? 0.5)), `${text}\n${told}`);
}

/** Those inside and waiting of all rooms are the sum of what each told. */
function isSum(total, told) {
  const [inside, waiting] = [/(\d+) inside/, /(\d+) waiting/].map((pattern) => Number(pattern.exec(total)?.[1] ?? 0));
  let sums = ["0 0"];
  for (const tellings of Object.values(told)) {
    const recent = [...tellings.slice(-TELLINGS), ...tellings.filter(({ isOwn }) => isOwn).slice(-1)];
    const counts = recent.map(({ one: { report } }) => [report?.inside ?? 0, report?.waiting ?? 0]);
    const added = sums.flatMap((sum) =>
      counts.map(([more, others]) => [Number(sum.split(" ")[0]) + more, Number(sum.split(" ")[1]) + others].join(" ")),
    );
    sums = [...new Set(added)];
  }
  assert.ok(sums.includes(`${inside} ${waiting}`), `“${total}” is no sum of what the rooms told: ${sums.join(", ")}`);
}

function sampleOf(atMs, { totals, waiting, dead_permit_ms: dead, used_permit_ms: used }) {
  const calls = totals.called + totals.handed;
  return { atMs, admitted: totals.claimed + totals.walked_in, waiting, calls, missed: totals.missed, dead, used };
}

/** Keeps what was told of each room over time, and makes facts of a telling. */
function createSamples() {
  const rooms = new Map();
  const of = (room) => {
    if (!rooms.has(room)) rooms.set(room, { samples: [], settings: new Map(), firstMs: null, seen: new Set() });
    return rooms.get(room);
  };
  return {
    take(room, { atMs, one }) {
      const kept = of(room);
      kept.firstMs ??= atMs;
      if (one.settings) kept.settings.set(one.revision, one.settings);
      if (!one.report || kept.seen.has(atMs)) return;
      kept.seen.add(atMs);
      const entry = sampleOf(atMs, one.report);
      const { samples } = kept;
      if (samples.length > 0 && entry.admitted < samples.at(-1).admitted) samples.length = 0;
      samples.push(entry);
    },
    /** No time is longer than the room has lived. */
    checkTimes(room, text) {
      const lived = Date.now() - of(room).firstMs + 2 * LITTLE_MS;
      for (const [clause, count, unit] of text.matchAll(/than (?:(\d+) (min|h)|less than a minute) ago/g))
        assert.ok(Number(count ?? 0) * (unit === "h" ? 60 : 1) * LITTLE_MS <= lived, `“${clause}” of ${room}, which is known for ${lived / 1_000} s`);
    },
    factsOf(room, { atMs, one }) {
      const { samples, settings } = of(room);
      if (!one.report) return { report: null };
      const known = one.settings ?? settings.get(one.revision) ?? null;
      const values = known && Object.fromEntries(Object.entries(known).map(([key, { value }]) => [key, value]));
      const until = samples.filter((sample) => sample.atMs <= atMs);
      // Samples of an edition that is over are gone.
      const now = until.at(-1) ?? sampleOf(atMs, one.report);
      const ago = until.findLast((sample) => sample.atMs <= atMs - LATELY_MS) ?? until[0] ?? now;
      const isWatched = now.atMs - ago.atMs >= LITTLE_MS;
      const rise = (key) => now[key] - (isWatched ? ago[key] : 0);
      const perMin = isWatched ? (rise("admitted") * LITTLE_MS) / (now.atMs - ago.atMs) : null;
      const { report } = one;
      // The desk may go by what the room measured before this page was there: by half as much it may differ.
      const isWait = (min) => {
        if (report.present === 0 && report.hand + report.tray > 0) return min < 1;
        const guess = perMin > 0 ? Math.max(1, report.present + report.called + report.debt) / perMin : null;
        return guess === null ? now.admitted > 0 : Math.abs(guess - min) <= 1 + guess / 2;
      };
      const seen = {
        isWatched,
        calls: rise("calls"),
        missed: rise("missed"),
        deadShare: rise("dead") / Math.max(1, rise("dead") + rise("used")),
        admittedPerMin: perMin,
        waitingBefore: ago.waiting,
      };
      return { report, shop: report.answers.recent, settings: values, mode: values?.mode ?? report.mode, seen, rehearsal: null, nowMs: atMs, isWait };
    },
  };
}
