/* The lanes of a room at the desk: who waits in each, who was called, which is next; and what a change of them sends and leads to. Pure. */

import { filled } from "./filled.js";
import { CALLS } from "./follows.js";
import { h } from "./tree.js";

const WIDTH = 300;
const HEIGHT = 10;

/** Returns whether people of a lane may be called, as far as its hours go. */
export const isOpen = ({ mode, opens_at_ms: opensAtMs }) => mode !== "closed" && opensAtMs === null;

/** Returns the lanes of a report as a list, with buttons if `mayChange`. It is empty if the room has no lanes. */
export function lanesOf({ lanes = [], lanes_rule: rule, mode }, { mayChange, isSilent }, write) {
  const { lanes: text } = write.text;
  if (lanes.length === 0) return [];
  const sum = (key) => lanes.filter(isOpen).reduce((all, lane) => all + lane[key], 0);
  const [shares, calls] = [sum("share"), sum("called_lately")];
  const row = (lane) => {
    const count = (key) => write.number(lane[key]);
    const open = isOpen(lane);
    const stands =
      lane.opens_at_ms !== null ? filled(text.opens, { at: write.date(lane.opens_at_ms) }) : text[!lane.is_listed ? "left" : open ? "open" : "shut"];
    const facts = [
      filled(text.present, { count: count("present") }),
      lane.away > 0 && filled(text.away, { count: count("away") }),
      lane.in_hall > 0 && filled(text.in_hall, { count: count("in_hall") }),
      lane.called > 0 && filled(text.called, { count: count("called") }),
      filled(text.lately, { count: count("called_lately") }),
      rule === "shares" && filled(text.share, { share: count("share") }),
    ];
    return h(
      "li",
      { key: lane.name, class: open ? null : "shut" },
      h(
        "div",
        { class: "row" },
        h("strong", {}, lane.title),
        h("span", { class: "hint" }, stands),
        lane.is_next && CALLS.includes(mode) ? h("span", { class: "next" }, text.next) : null,
      ),
      h("p", {}, facts.filter(Boolean).join(" · ")),
      rule === "shares" && open && calls > 0 ? bar(lane.called_lately / calls, lane.share / shares) : null,
      mayChange && lane.is_listed
        ? h("button", { type: "button", "data-lane": lane.name, key: "turn", disabled: isSilent }, text[open ? "close" : "open_now"])
        : null,
    );
  };
  return [
    h("p", { class: "hint" }, text.rules[rule]),
    h("ul", { class: "lanes" }, lanes.map(row)),
    mayChange && rule === "shares" ? h("button", { type: "button", "data-shares": true, key: "shares", disabled: isSilent }, text.shares) : null,
  ];
}

/** Draws which part of the last minute's calls an open lane got, with a line where its share ends. */
function bar(given, due) {
  const at = (share) => Math.round(WIDTH * share);
  return h(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    h("rect", { class: "ground", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
    h("rect", { class: "inside", x: 0, y: 0, width: at(given), height: HEIGHT }),
    h("line", { class: "limit", x1: at(due), x2: at(due), y1: 0, y2: HEIGHT }),
  );
}

/** Returns the setting `lanes` with one lane opened, or closed, from now on. The lane then has hours of its own, whatever the room's are. */
export const turned = (lanes, name, opens, nowMs) =>
  lanes.map((lane) => {
    if (lane.name !== name) return lane;
    const { opens_at: _, closes_at: __, hall_s: hallS, draw, ...rest } = lane;
    const date = new Date(nowMs).toISOString();
    // Baton refuses a hall without an opening to wait for.
    return opens ? { ...rest, ...(hallS !== undefined && { hall_s: hallS }), ...(draw && { draw }), opens_at: date } : { ...rest, closes_at: date };
  });

/** Returns the setting `lanes` with other shares, by name. */
export const shared = (lanes, shares) => lanes.map((lane) => (lane.name in shares ? { ...lane, share: shares[lane.name] } : lane));

/** Returns what follows if a lane is opened or closed. */
export function followsOfTurn(report, name, opens, { text, number }) {
  const { follows } = text.lanes;
  const lane = report.lanes.find((one) => one.name === name);
  const values = { title: lane.title, waiting: number(lane.waiting), present: number(lane.present), in_hall: number(lane.in_hall) };
  const lines = (opens ? follows.open : follows.close).map((line) => filled(line, values));
  if (opens && lane.in_hall > 0) lines.push(filled(follows.draw, values));
  return lines;
}

/** Returns what follows from these shares, by name: how many calls in a hundred each lane gets while people wait in all of them. */
export function followsOfShares(report, shares, { text, percent }) {
  const all = Object.values(shares).reduce((sum, share) => sum + share, 0);
  const each = report.lanes
    .filter(({ is_listed: isListed }) => isListed)
    .map(({ name, title }) => filled(text.lanes.follows.share, { title, percent: percent(all > 0 ? shares[name] / all : 0) }));
  return [...each, text.lanes.follows.absent];
}
