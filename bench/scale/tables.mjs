// The tables of docs/scale.md, that of porters in bench/README.md, and the points of the plots. Pure, but for the file of prices.

import { readFileSync } from "node:fs";
import { plainMarkdown } from "../lib/table.mjs";
import { comeBack, handOver, rush, sale, spreadFor } from "./events.mjs";
import { DELAYS, lobbiesFor, MACHINES, portersFor } from "./machines.mjs";
import { momentUsd, priced } from "./price.mjs";
import { count, money, s } from "./text.mjs";

const prices = JSON.parse(readFileSync(new URL("../cost/prices.json", import.meta.url), "utf8"));
/** The people of a sale that is played. A million cost as much each. */
const PLAYED = 200_000;
const MILLION = 1_000_000;
const WAIT_S = 600;
/** How many go in each second, outside of sales. */
const FLOW = 170;
/** The lines that the table of batons has; its plot has more. */
const LISTED = [10_000, 100_000, 1_000_000];
/** The crowd for which rooms of several sizes are compared. */
const CROWD = 100_000;
/** Rooms for that crowd, `[lobbies, porters]`. A lobby takes 16,000 people, so seven are the fewest. */
const ROOMS = [
  [7, 1],
  [8, 1],
  [10, 0],
  [10, 1],
  [12, 1],
  [16, 1],
  [32, 2],
];
/** Crowds on both sides of the limits at which a room gets a porter, and another: `[people, porters]`. */
const LIMITS = [
  [40_000, 0],
  [40_000, 1],
  [50_000, 0],
  [50_000, 1],
  [160_000, 0],
  [160_000, 1],
  [160_000, 2],
  [170_000, 0],
  [170_000, 1],
  [170_000, 2],
];
/** How long a batch or bundle is out to the room, in ms: as it may be within one data centre, and as in the target. */
const ROUNDS_MS = [5, 20];
const TARGET_MS = 20;

/** The unit stands in the column's head. */
const asMs = count;
const asS = (value) => s(value).replace(" s", "");
const asRate = ({ most_per_s }) => count(most_per_s);
const aMillion = (usd) => money((usd * MILLION) / PLAYED);
/** Returns a cell with what both machines, or several rounds, come to: "17/21". */
const cell = (all, of) => all.map(of).join("/");
const onBoth = (play) => Object.values(MACHINES).map((machine) => play({ machine, delays: DELAYS, flow: FLOW }));

/** Returns the table of a baton's time by people and porters, and the points of its plot. */
function batons(say) {
  const growth = [];
  const lines = [10_000, 100_000, 500_000, 1_000_000, 2_500_000].flatMap((people) => {
    say(`a baton with ${count(people)} in line`);
    const lobbies = lobbiesFor(people);
    const cells = [0, 1, 2].map((porters) => {
      const seen = onBoth((of) => handOver({ ...of, lobbies, porters, people }));
      const name = porters === 0 ? "no porters" : porters === 1 ? "one" : "two";
      if (porters !== 1)
        Object.keys(MACHINES).forEach((machine, at) =>
          growth.push({ people, series: `${machine}, ${name}${porters === 0 ? "" : " porters"}`, ms: seen[at].baton_p99_ms }),
        );
      return [name, cell(seen, ({ baton_p99_ms }) => asMs(baton_p99_ms))];
    });
    return LISTED.includes(people) ? [{ "in line": count(people), lobbies, ...Object.fromEntries(cells) }] : [];
  });
  return { growth, table: plainMarkdown(lines) };
}

/** Returns a panel of the plot of requests. `seen` is what happened, machine by machine. */
export function panelOf(title, names, seen) {
  const machines = names.map((name, at) => [
    name,
    { "a lobby": seen[at].perSecond.lobby, "a porter": seen[at].perSecond.porter, "the room": seen[at].perSecond.room },
  ]);
  return { title, machines: Object.fromEntries(machines) };
}

/** Returns the table of two rushes and two returns, and the panels of their plot. */
function moments(say) {
  /** @type {[string, number, (of: object) => object][]} */
  const plays = [
    ["100,000 in 1 s", 100_000, (of) => rush({ ...of, arrive_s: 1, spread_s: spreadFor(of.people, of.lobbies, 1), after_s: 5 })],
    ["1,000,000 in 60 s", 1_000_000, (of) => rush({ ...of, arrive_s: 60, after_s: 5 })],
    ["100,000 return", 100_000, (of) => comeBack({ ...of, spread_s: 30 })],
    ["1,000,000 return", 1_000_000, (of) => comeBack({ ...of, spread_s: 30 })],
  ];
  const played = plays.map(([what, people, play]) => {
    say(what);
    const lobbies = lobbiesFor(people);
    return { what, seen: onBoth((of) => play({ ...of, people, lobbies, porters: portersFor(lobbies) })) };
  });
  const panels = [0, 2, 1, 3].map((at) => panelOf(played[at].what, Object.keys(MACHINES), played[at].seen));
  const table = plainMarkdown(
    played.map(({ what, seen }) => ({
      people: what,
      "a lobby's requests/s": cell(seen, ({ requests }) => asRate(requests.lobby)),
      "a porter's": cell(seen, ({ requests }) => asRate(requests.porter)),
      "the room's": cell(seen, ({ requests }) => asRate(requests.room)),
      "all served, s": cell(seen, ({ numbered_s, back_s }) => asS(numbered_s ?? back_s)),
      "baton p50, ms": cell(seen, ({ baton_p50_ms }) => asMs(baton_p50_ms)),
      p99: cell(seen, ({ baton_p99_ms }) => asMs(baton_p99_ms)),
      rows: cell(seen, ({ rows }) => count(rows)),
      dollars: cell(seen, (each) => money(momentUsd(each, prices))),
    })),
  );
  return { table, panels };
}

/** Plays a sale on the objects of the measured machine, so far apart that a batch is out for `round_ms`. */
function saleOf({ round_ms, lobbies, porters, crowd }) {
  const machine = MACHINES.measured;
  const delays = { ...DELAYS, object: Math.max(0, (round_ms - machine.room_turn - machine.write) / 2) };
  const seen = sale({ machine, delays, lobbies, porters, people: PLAYED, crowd, wait_s: WAIT_S });
  return { round_ms, baton_p99_ms: seen.baton_p99_ms, price: priced(seen, WAIT_S, prices) };
}

const salesCells = (sales) => ({
  rows: cell(sales, ({ price }) => aMillion(price.usd.rows)),
  "the wait": cell(sales, ({ price }) => aMillion(price.wait_usd)),
  "the release": cell(sales, ({ price }) => aMillion(price.usd.hold)),
  "p99, ms": cell(sales, ({ baton_p99_ms }) => asMs(baton_p99_ms)),
});

/** Returns the table of rooms with more and fewer lobbies for one crowd. */
function rooms(say) {
  return plainMarkdown(
    ROOMS.map(([lobbies, porters]) => {
      say(`${lobbies} lobbies and ${porters} porters for ${count(CROWD)}`);
      const comes = onBoth((of) => rush({ ...of, people: CROWD, lobbies, porters, arrive_s: 1, spread_s: spreadFor(CROWD, lobbies, 1), after_s: 5 }));
      const returns = onBoth((of) => comeBack({ ...of, people: CROWD, lobbies, porters, spread_s: 30 }));
      const sales = ROUNDS_MS.map((round_ms) => saleOf({ round_ms, lobbies, porters, crowd: CROWD }));
      // The terminal alone shows the purpose of each part of a sale.
      if (lobbies === lobbiesFor(CROWD) && porters === portersFor(lobbies))
        say(`a sale with rounds of ${TARGET_MS} ms\n${pricesTable(sales.find(({ round_ms }) => round_ms === TARGET_MS))}`);
      return {
        lobbies,
        porters,
        "people each": count(CROWD / lobbies),
        "rush: number, s": cell(comes, ({ numbered_s }) => asS(numbered_s)),
        "return: back, s": cell(returns, ({ back_s }) => asS(back_s)),
        "its p99, ms": cell(returns, ({ baton_p99_ms }) => asMs(baton_p99_ms)),
        ...salesCells(sales),
      };
    }),
  );
}

/** Returns the table of rooms with more and fewer porters, on both sides of the limits. */
function porterTable(say) {
  return plainMarkdown(
    LIMITS.map(([people, porters]) => {
      say(`${count(people)} people and ${porters} porters`);
      const lobbies = lobbiesFor(people);
      const busiest = rush({
        machine: MACHINES.measured,
        delays: DELAYS,
        flow: FLOW,
        people,
        lobbies,
        porters,
        arrive_s: 1,
        spread_s: spreadFor(people, lobbies, 1),
        after_s: 5,
      });
      const moves = onBoth((of) => handOver({ ...of, people, lobbies, porters }));
      const sales = [saleOf({ round_ms: TARGET_MS, lobbies, porters, crowd: people })];
      return {
        lobbies,
        porters,
        "a porter's requests/s": asRate(busiest.requests.porter),
        "baton p99, ms": cell(moves, ({ baton_p99_ms }) => asMs(baton_p99_ms)),
        ...salesCells(sales),
      };
    }),
  );
}

/** Returns the table of one sale by what each request, row and second is for. */
const pricesTable = ({ price: { lines } }) =>
  plainMarkdown(
    lines.map(({ what, count, usd }) => ({
      what: what,
      "a visitor": (count / PLAYED).toFixed(3),
      "a million": `$${((usd * MILLION) / PLAYED).toFixed(3)}`,
    })),
  );

/** Returns the tables by the names of their marks, and what the plots show. `say` hears what is being played. */
export function docsTables(say) {
  const { growth, table } = batons(say);
  const { panels, table: moved } = moments(say);
  return { growth, panels, tables: { batons: table, moments: moved, rooms: rooms(say) }, porters: porterTable(say) };
}
