// What `npm run scale` prints, and the tables of docs/scale.md. Pure.

import { readFileSync } from "node:fs";
import { plainMarkdown } from "../lib/table.mjs";
import { spreadFor } from "./events.mjs";
import { DELAYS, lobbiesFor, MACHINES, objectsText, portersFor, REQUESTS_MAX } from "./machines.mjs";
import { priced } from "./price.mjs";

/** The people of the sale that is played. A million cost as much each. */
const PLAYED = 200_000;
const MILLION = 1_000_000;
const SALE = { crowd: 100_000, wait_s: 600 };
/** Rooms for that crowd, `[lobbies, porters]`: what Baton makes of it, and the same without a porter. */
const ROOMS = [[10, portersFor(10)], [10, 0]];
/** How long a batch or bundle is out to the room, in ms: as it may be within one data centre, and as in the target. */
const ROUNDS_MS = [5, 20];
const TARGET_MS = 20;

const ms = (value) => (value === null ? "–" : value < 10_000 ? `${Math.round(value).toLocaleString("en")} ms` : `${(value / 1_000).toFixed(1)} s`);
const s = (value) => (value === null ? "–" : `${Number(value.toFixed(value < 10 ? 1 : 0))} s`);
/** Returns the text without the unit, which the column's head has. */
const bare = (text, unit) => text.replace(new RegExp(` ${unit}$`), "");
const count = (value) => Math.round(value).toLocaleString("en");
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
    row("everybody has a number", "", s(of.rush.numbered_s), ""),
    row("everybody is back", "", "", s(of.return.back_s)),
  ];
  const spread = spread_s > 0 ? `In the rush a page waits up to ${s(spread_s)} before it opens its socket. ` : "";
  return [...lines, `  ${spread}A number's time counts from the page.`].join("\n");
}

const each = (of, what) => [of.hand_over, of.rush, of.return].map(what);
const row = (...cells) => `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(28) : cell.padStart(18))).join("")}`;

/** Returns the tables of docs/scale.md and the points of its plot. */
export function docsTables({ machines, delays, events: { comeBack, handOver, rush, sale }, say }) {
  const growth = [];
  const batons = [10_000, 100_000, 500_000, 1_000_000, 2_500_000].map((people) => {
    say(`a baton with ${count(people)} in line`);
    const lobbies = lobbiesFor(people);
    const cells = Object.entries(machines).flatMap(([name, machine]) => [0, 2].map((porters) => {
      const { baton_p99_ms } = handOver({ machine, delays, lobbies, porters, people, flow: 170 });
      growth.push({ people, series: `${name}, ${porters === 0 ? "no porters" : "two porters"}`, ms: baton_p99_ms });
      return [`${name}${porters === 0 ? "" : ", two porters"}`, bare(ms(baton_p99_ms), "ms")];
    }));
    return { "in line": count(people), lobbies, ...Object.fromEntries(cells) };
  });
  const rushes = [[1_000_000, 60, 100, 0], [100_000, 1, 10, spreadFor(100_000, 10, 1)], [100_000, 1, 32, spreadFor(100_000, 32, 1)]].flatMap(([people, arrive_s, lobbies, spread_s]) => Object.entries(machines).map(([name, machine]) => {
    say(`${count(people)} within ${arrive_s} s, ${lobbies} lobbies, spread over ${spread_s} s, ${name}`);
    const seen = rush({ machine, delays, lobbies, porters: portersFor(lobbies), people, arrive_s, spread_s, flow: 170, after_s: 5 });
    return { "people": count(people), "within, s": bare(s(arrive_s), "s"), "a page waits up to, s": bare(s(spread_s), "s"), lobbies, porters: portersFor(lobbies), "objects": name, "a lobby's requests a second": rate(seen.requests.lobby), "the room's": rate(seen.requests.room), "all have a number after, s": bare(s(seen.numbered_s), "s"), "baton p99, ms": bare(ms(seen.baton_p99_ms), "ms") };
  }));
  const returns = [100_000, 1_000_000].flatMap((people) => Object.entries(machines).map(([name, machine]) => {
    say(`${count(people)} come back, ${name}`);
    const seen = comeBack({ machine, delays, lobbies: lobbiesFor(people), porters: portersFor(lobbiesFor(people)), people, spread_s: 30, flow: 170 });
    return { "sockets lost": count(people), porters: portersFor(lobbiesFor(people)), "objects": name, "a lobby's requests a second": rate(seen.requests.lobby), "the room's": rate(seen.requests.room), "all are back after, s": bare(s(seen.back_s), "s"), "baton p99, ms": bare(ms(seen.baton_p99_ms), "ms") };
  }));
  const sales = ROUNDS_MS.flatMap((round_ms) => ROOMS.map(([lobbies, porters]) => {
    say(`a whole sale, rounds of ${round_ms} ms, ${lobbies} lobbies, porters: ${porters}`);
    return { round_ms, lobbies, porters, ...saleOf(sale, { round_ms, lobbies, porters }) };
  }));
  // What each part of a sale is for, shown on the terminal alone.
  say(`a sale with rounds of ${TARGET_MS} ms\n${pricesTable(sales[ROUNDS_MS.indexOf(TARGET_MS) * ROOMS.length])}`);
  return { growth, tables: { batons: plainMarkdown(batons), rushes: plainMarkdown(rushes), returns: plainMarkdown(returns), sales: salesTable(sales) } };
}

const money = (usd) => `$${usd.toFixed(2)}`;
const aMillion = (value) => (value * MILLION) / PLAYED;

/** Plays a sale on the objects of the measured machine, so far apart that a batch is out for `round_ms`. */
function saleOf(sale, { round_ms, lobbies, porters }) {
  const machine = MACHINES.measured;
  const delays = { ...DELAYS, object: Math.max(0, (round_ms - machine.room_turn - machine.write) / 2) };
  const seen = sale({ machine, delays, lobbies, porters, people: PLAYED, ...SALE });
  const prices = JSON.parse(readFileSync(new URL("../cost/prices.json", import.meta.url), "utf8"));
  return { rows: seen.rows, baton_p99_ms: seen.baton_p99_ms, price: priced(seen, SALE.wait_s, prices) };
}

const salesTable = (sales) => plainMarkdown(sales.map(({ round_ms, lobbies, porters, rows, baton_p99_ms, price: { usd, wait_usd } }) => ({
  "a round, ms": round_ms, lobbies, porters, "rows a visitor": (rows / PLAYED).toFixed(2), "requests": money(aMillion(usd.requests)), "rows": money(aMillion(usd.rows)), "duration": money(aMillion(usd.duration)),
  "the wait": money(aMillion(wait_usd)), "the release": money(aMillion(usd.hold)), "baton p99, ms": bare(ms(baton_p99_ms), "ms"),
})));

/** Returns the table of one sale by what each request, row and second is for. */
const pricesTable = ({ price: { lines } }) => plainMarkdown(lines.map(({ what, count, usd }) => ({ "what": what, "a visitor": (count / PLAYED).toFixed(3), "a million": `$${aMillion(usd).toFixed(3)}` })));
