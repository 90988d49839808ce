// What a run of all contenders says: the page's table, what a second server needs, and how Baton stands by its targets. Pure.
//
// `found` is a list of `{ name, what, second?, told, limit, line, hand, gone, crowd }`, the last four as scenes.mjs returns them; null where a contender
// failed, with `failed`, a sentence.

import { judged, round } from "../lib/figures.mjs";
import { SKEW_MS } from "./judge.mjs";

const number = (value) => round(value).toLocaleString("en", { maximumFractionDigits: 2 });
const time = (ms) => (ms === undefined ? "–" : ms < 1_000 ? `${number(ms)} ms` : `${number(ms / 1_000)} s`);
const size = (kb) => (kb < 1 ? "< 1 KB" : `${number(kb)} KB`);

/** Column → its cell. */
const COLUMNS = {
  "": ({ what }) => what,
  "joins a second": ({ line }) => number(line.joins_per_s),
  "release → told, p50 / p99": ({ hand }) => `${time(hand.p50_ms)} / ${time(hand.p99_ms)}`,
  "requests a waiting minute": ({ line }) => number(line.requests_per_min),
  "CPU for it": ({ line }) => time(line.cpu_ms_per_min),
  "memory a waiter": ({ line }) => size(line.memory_kb),
  "most inside, of 10; of 5 before, after the kill": ({ hand, crowd }) => `${hand.most}; ${crowd.most_before}, ${crowd.most_after}`,
  "overtaken, calm; with the kill": ({ hand, crowd }) => `${hand.overtaken} of ${hand.people}; ${crowd.overtaken} of ${crowd.people}`,
  "a vanished holder's permit is back after": ({ gone }) => (gone.lost_s === null ? `not within ${gone.waited_s} s` : time(gone.lost_s * 1_000)),
  "after the kill: permits of 5; let in": ({ crowd }) => `${crowd.permits_left}; ${crowd.served} of ${crowd.stayed} in ${number(crowd.took_s)} s`,
};

/** Returns the table in Markdown, a row a contender. */
export function table(found) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const names = Object.keys(COLUMNS);
  const row = (each) =>
    each.failed
      ? [each.what, `did not finish: ${each.failed.replaceAll("|", "\\|")}`, ...names.slice(2).map(() => "")]
      : Object.values(COLUMNS).map((cell) => cell(each));
  return [line(names), line(names.map((_, i) => (i === 0 ? "---" : "---:"))), ...found.map((each) => line(row(each)))].join("\n");
}

/** Returns what a second server of each peer needs, as a list in Markdown. */
export function seconds(found) {
  const groups = new Map();
  for (const { name, what, second } of found.filter((each) => each.second && !each.name.endsWith("_default")))
    groups.set(second, [...(groups.get(second) ?? []), { name, what }]);
  return [...groups].map(([second, each]) => `- ${each.map(({ what }) => what).join("; ")}: ${second}.`).join("\n");
}

/** Returns rows of how Baton stands beside the peers, judged. */
export function verdicts(found) {
  const of = (name) => found.find((each) => each.name === name && !each.failed);
  const [baton, polling, pop] = ["baton", "homemade", "blpop"].map(of);
  if (!baton) return [];
  const { hand, crowd, line } = baton;
  const beside = (what, value, unit, peer, ceiling_of, target) => ({
    what,
    value,
    unit,
    ...(peer === undefined ? {} : { ceiling: peer, ceiling_of }),
    target,
  });
  const told = (percent) => [
    beside(`release → told, p${percent}`, hand[`p${percent}_ms`], "ms", polling?.hand[`p${percent}_ms`], "polling", "≤ 0.01×"),
    beside(`release → told, p${percent}`, hand[`p${percent}_ms`], "ms", pop?.hand[`p${percent}_ms`], "BLPOP, synced", "≤ 2×"),
  ];
  return [
    { what: "people overtaken", value: hand.overtaken + crowd.overtaken, target: "= 0" },
    {
      what: "most inside above the permits",
      value: Math.max(0, hand.most - hand.permits, crowd.most_before - crowd.permits, crowd.most_after - crowd.permits),
      target: "= 0",
    },
    ...told(50),
    ...told(99),
    { what: "requests of a waiting minute", value: line.requests_per_min, target: "= 0" },
    { what: "permits more (or, below 0, fewer) after the kill", value: crowd.permits_left - crowd.permits, target: "= 0" },
    { what: "people whom the kill left outside", value: crowd.stayed - crowd.served, target: "= 0" },
    beside("joins a second", line.joins_per_s, "joins/s", polling?.line.joins_per_s, "polling", undefined),
  ].map(judged);
}

/** Says how far the measuring process itself was held up: its times are no better than that. */
export function heldUp(found) {
  const most = Math.max(0, ...found.flatMap(({ hand, crowd }) => [hand?.lag_ms ?? 0, crowd?.lag_ms ?? 0]));
  return `The measuring process was held up by at most ${time(most)}${most > SKEW_MS ? ": **the machine was too busy, measure again**" : ""}.`;
}

/** Returns the points of the picture: `{ what, p50_ms, p99_ms }`, the quickest first. */
export function points(found) {
  // Markdown's stars are nothing in a picture.
  const plain = ({ name, what }, all) =>
    (name.endsWith("_default") ? `${all.find((each) => `${each.name}_default` === name)?.what ?? name}, Redis as it comes` : what).replaceAll(
      "*",
      "",
    );
  return found
    .filter(({ failed, hand }) => !failed && hand.p50_ms !== undefined)
    .map((each) => ({ what: plain(each, found), p50_ms: each.hand.p50_ms, p99_ms: each.hand.p99_ms }))
    .sort((a, b) => a.p50_ms - b.p50_ms);
}
