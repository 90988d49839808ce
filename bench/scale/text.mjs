// What `npm run scale` prints, and the tables of docs/scale.md. Pure.

import { readFileSync } from "node:fs";
import { dollars } from "../cost/model.mjs";
import { plainMarkdown } from "../lib/table.mjs";
import { lobbiesFor, spreadFor } from "./events.mjs";
import { portersFor, REQUESTS_MAX } from "./machines.mjs";

const PING_S = 25;

const ms = (value) => (value === null ? "–" : value < 10_000 ? `${Math.round(value).toLocaleString("en")} ms` : `${(value / 1_000).toFixed(1)} s`);
const s = (value) => (value === null ? "–" : `${Number(value.toFixed(value < 10 ? 1 : 0))} s`);
/** Without the unit that the head of the column says. */
const bare = (text, unit) => text.replace(new RegExp(` ${unit}$`), "");
const count = (value) => Math.round(value).toLocaleString("en");
const rate = ({ most_per_s }) => `${count(most_per_s)}${most_per_s > REQUESTS_MAX ? " (too many)" : ""}`;

/** One machine's figures, for the terminal. */
export function shownRun({ people, arrive_s, flow }, { machine, lobbies, porters, spread_s, ...of }) {
  const lines = [
    `${machine}: ${count(people)} people, ${count(lobbies)} ${lobbies === 1 ? "lobby" : "lobbies"}, ${porters === 0 ? "no porters" : `${porters} ${porters === 1 ? "porter" : "porters"}`}, ${flow} go in each second`,
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

/** The tables of docs/scale.md, and the points of its plot. */
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
  const rushes = [[1_000_000, 60, 100, 0], [100_000, 1, 10, 0], [100_000, 1, 10, spreadFor(100_000, 10, 1)], [100_000, 1, 32, spreadFor(100_000, 32, 1)]].flatMap(([people, arrive_s, lobbies, spread_s]) => Object.entries(machines).map(([name, machine]) => {
    say(`${count(people)} within ${arrive_s} s, ${lobbies} lobbies, spread over ${spread_s} s, ${name}`);
    const seen = rush({ machine, delays, lobbies, porters: portersFor(lobbies), people, arrive_s, spread_s, flow: 170, after_s: 5 });
    return { "people": count(people), "within, s": bare(s(arrive_s), "s"), "a page waits up to, s": bare(s(spread_s), "s"), lobbies, porters: portersFor(lobbies), "objects": name, "a lobby's requests a second": rate(seen.requests.lobby), "the room's": rate(seen.requests.room), "all have a number after, s": bare(s(seen.numbered_s), "s"), "baton p99, ms": bare(ms(seen.baton_p99_ms), "ms") };
  }));
  const returns = [100_000, 1_000_000].flatMap((people) => Object.entries(machines).map(([name, machine]) => {
    say(`${count(people)} come back, ${name}`);
    const seen = comeBack({ machine, delays, lobbies: lobbiesFor(people), porters: portersFor(lobbiesFor(people)), people, spread_s: 30, flow: 170 });
    return { "sockets lost": count(people), porters: portersFor(lobbiesFor(people)), "objects": name, "a lobby's requests a second": rate(seen.requests.lobby), "the room's": rate(seen.requests.room), "all are back after, s": bare(s(seen.back_s), "s"), "baton p99, ms": bare(ms(seen.baton_p99_ms), "ms") };
  }));
  const sales = Object.entries(machines).flatMap(([name, machine]) => [[10, 0], [10, 1], [7, 1]].map(([lobbies, porters]) => {
    say(`a whole sale, ${lobbies} lobbies, porters: ${porters}, ${name}`);
    const seen = sale({ machine, delays, lobbies, porters, people: 1_000_000, crowd: 100_000, wait_s: 600 });
    const { usd, usd_in_all } = price(seen);
    return { "objects": name, lobbies, porters, "rows a visitor": (seen.rows / seen.people).toFixed(2), "requests": money(usd.worker + usd.objects + usd.messages), "rows": money(usd.rows), "duration": money(usd.duration), "in all": money(usd_in_all), "baton p99, ms": bare(ms(seen.baton_p99_ms), "ms") };
  }));
  return { growth, tables: { batons: plainMarkdown(batons), rushes: plainMarkdown(rushes), returns: plainMarkdown(returns), sales: plainMarkdown(sales) } };
}

const money = (usd) => `$${usd.toFixed(2)}`;

/** A million waits of ten minutes: page, socket and landing of the worker; what reached objects; a ping in 25 s; alarms once a second. */
function price({ people, requests, rows, objects, lasts_s }) {
  const prices = JSON.parse(readFileSync(new URL("../cost/prices.json", import.meta.url), "utf8"));
  const alarms = lasts_s * 2;
  const asked = Object.values(requests).reduce((sum, { in_all }) => sum + in_all, 0);
  return dollars({ worker_requests: people * 3, object_requests: asked + alarms, socket_messages: people * Math.floor(600 / PING_S), rows: rows + alarms, gb_s: lasts_s * objects * prices.object_gb }, prices);
}
