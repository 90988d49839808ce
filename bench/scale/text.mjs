// What `npm run scale` prints. Pure.

import { objectsText, REQUESTS_MAX } from "./machines.mjs";

const ms = (value) => (value === null ? "–" : value < 10_000 ? `${Math.round(value).toLocaleString("en")} ms` : `${(value / 1_000).toFixed(1)} s`);
export const s = (value) => (value === null ? "–" : `${Number(value.toFixed(value < 10 ? 1 : 0))} s`);
export const count = (value) => Math.round(value).toLocaleString("en");
export const money = (usd) => `$${usd.toFixed(2)}`;
const rate = ({ most_per_s }) => `${count(most_per_s)}${most_per_s > REQUESTS_MAX ? " (too many)" : ""}`;

/** Returns one machine's figures for the terminal. */
export function shownRun({ people, arrive_s, flow }, { machine, lobbies, porters, spread_s, ...of }) {
  const lines = [
    `${machine}: ${count(people)} people, ${objectsText(lobbies, porters)}, ${flow} go in each second`,
    row("", "hand over", `rush in ${arrive_s} s`, "return"),
    row("baton p50", ...each(of, (run) => ms(run.baton_p50_ms))),
    row("baton p99", ...each(of, (run) => ms(run.baton_p99_ms))),
    row("room, requests a second", ...each(of, (run) => rate(run.requests.room))),
    row("lobby, requests a second", ...each(of, (run) => rate(run.requests.lobby))),
    ...(porters > 0 ? [row("porter, requests a second", ...each(of, (run) => rate(run.requests.porter)))] : []),
    row("rows", ...each(of, (run) => count(run.rows))),
    row("dollars", "", ...[of.rush, of.return].map((run) => money(run.usd))),
    row("everybody has a number", "", s(of.rush.numbered_s), ""),
    row("everybody is back", "", "", s(of.return.back_s)),
  ];
  const spread = spread_s > 0 ? `In the rush a page waits up to ${s(spread_s)} before it opens its socket. ` : "";
  return [...lines, `  ${spread}A number's time counts from the page.`].join("\n");
}

const each = (of, what) => [of.hand_over, of.rush, of.return].map(what);
const row = (...cells) => `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(28) : cell.padStart(18))).join("")}`;
