// The model beside a real crowd: the same people in both, and how far apart the two are. Pure.

import { plainMarkdown } from "../lib/table.mjs";
import { quantile } from "../../scripts/figures.mjs";
import { comeBack, rush } from "./events.mjs";

/** The model is wrong where it is further off than this share of what was measured. */
export const NEAR = 0.25;
/** How often the model runs, each time with other dice; its figure is the median. A crowd's rare waits are few, and those of one run are chance. */
const RUNS = 15;
const count = (value) => Math.round(value).toLocaleString("en");
const digits = (value) => (value >= 100 ? count(value) : String(Number(value.toPrecision(2))));

/** What is compared, and how it is read from what was seen. @type {[string, (seen: ReturnType<typeof modelled>[number]) => number][]} */
const WHAT = [
  ["all have a number after, s", (seen) => seen.rush.numbered_at_s],
  ["from the page to the number p50, ms", (seen) => seen.rush.numbered_p50_s * 1_000],
  ["from the page to the number at most, ms", (seen) => seen.rush.numbered_s * 1_000],
  ["a lobby's requests a second at most", (seen) => seen.rush.requests.lobby.most_per_s],
  ["the room's", (seen) => seen.rush.requests.room.most_per_s],
  ["a porter's", (seen) => seen.rush.requests.porter.most_per_s],
  ["batches", (seen) => seen.rush.batches],
  ["rows", (seen) => seen.rush.rows],
  ["baton p50, ms", (seen) => seen.rush.baton_p50_ms],
  ["baton p99, ms", (seen) => seen.rush.baton_p99_ms],
  ["all are back after, s", (seen) => seen.return.back_s],
  ["returning: a lobby's requests a second at most", (seen) => seen.return.requests.lobby.most_per_s],
  ["returning: the room's", (seen) => seen.return.requests.room.most_per_s],
  ["returning: baton p50, ms", (seen) => seen.return.baton_p50_ms],
  ["returning: baton p99, ms", (seen) => seen.return.baton_p99_ms],
];

/** Plays the same crowd `RUNS` times in the model, on that machine. `lost`: how many sockets there were to lose. */
export function modelled({ people, lobbies, porters, arrive_s, stand_s, spread_s, flow, tick_ms, lines }, machine, lost) {
  // In one process nothing lies between objects but the time that they take.
  const { way = 0, socket_way = way } = machine;
  const delays = { front: way, socket: socket_way, object: 0 };
  return Array.from({ length: RUNS }, (_, run) => {
    const of = { machine, delays, lobbies, porters, flow, tick_ms, lines, seed: run + 1 };
    return { rush: rush({ ...of, people, arrive_s, after_s: stand_s }), return: comeBack({ ...of, people: lost, spread_s }) };
  });
}

/** Returns `[{ what, real, model, ratio, isNear }]`. A figure that is zero in both, such as porters where there are none, is left out. */
export function compared(real, runs) {
  const middle = (of) =>
    quantile(
      runs.map(of).sort((a, b) => a - b),
      0.5,
    );
  return WHAT.map(([what, of]) => ({ what, real: of(real), model: middle(of) }))
    .filter(({ real, model }) => real > 0 || model > 0)
    .map((each) => ({ ...each, ratio: each.model / each.real, isNear: Math.abs(each.model / each.real - 1) <= NEAR }));
}

/** Returns one crowd's comparison as text for the terminal. */
export function shownCrowd({ plan, machine, rows, again }) {
  const took = Object.entries(machine)
    .filter(([, value]) => typeof value === "number")
    .map(([name, value]) => `${name} ${value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)}`);
  const width = Math.max(...rows.map(({ what }) => what.length));
  return [
    `${count(plan.people)} people within ${plan.arrive_s} s, ${plan.lobbies} lobbies, ${plan.porters} porters, ${plan.flow} go in each second; then all are lost, and back within ${plan.spread_s} s`,
    `this machine, ms: ${took.join(", ")}`,
    ...rows.map(
      ({ what, real, model, ratio, isNear }) =>
        `  ${what.padEnd(width)}${digits(real).padStart(12)}${digits(model).padStart(12)}${`${ratio.toFixed(2)}×`.padStart(9)}  ${isNear ? "within 25 %" : "NOT within 25 %"}`,
    ),
    `${rows.filter(({ isNear }) => isNear).length} of ${rows.length} are within 25 %. Told to come again: ${again}.`,
  ].join("\n");
}

/** Pieces of work that the calibration finds by subtraction, so that nothing may be left for them. */
const LEFTOVERS = { socket_each: "sockets that are there", write: "a durable row", porter_message: "a porter" };
const nothingFor = ({ machine, plan }) =>
  Object.entries(LEFTOVERS)
    .filter(([piece]) => machine[piece] === 0 && (piece !== "porter_message" || plan.porters > 0))
    .map(([, what]) => what)
    .join(", ") || "–";

/** Returns all crowds side by side for bench/README.md: measured / by the model, bold where they are too far apart. */
export function crowdsTable(crowds) {
  const whats = [...new Set(WHAT.map(([what]) => what))].filter((what) => crowds.some(({ rows }) => rows.some((row) => row.what === what)));
  const cell = (row) => {
    if (!row) return "–";
    const text = `${digits(row.real)} / ${digits(row.model)}`;
    return row.isNear ? text : `**${text}**`;
  };
  const line = (what, of) => ({ "real / model": what, ...Object.fromEntries(crowds.map((crowd) => [headOf(crowd.plan), of(crowd)])) });
  return plainMarkdown([
    ...whats.map((what) => line(what, ({ rows }) => cell(rows.find((row) => row.what === what)))),
    line("the calibration had nothing left for", nothingFor),
  ]);
}

/** Returns the sentence for docs/scale.md that says how many figures of these crowds are near. */
export function nearText(crowds) {
  const rows = crowds.flatMap((crowd) => crowd.rows);
  const range = (of) => [Math.min, Math.max].map((bound) => count(bound(...crowds.map(({ plan }) => of(plan))))).join(" to ");
  return `[Side by side](../bench/README.md#beside-a-real-crowd) with ${range(({ people }) => people)} real sockets over ${range(({ lobbies }) => lobbies)} lobbies, ${rows.filter(({ isNear }) => isNear).length} of ${rows.length} figures were within ${NEAR * 100} %.`;
}

const headOf = ({ people, lobbies, porters }) =>
  `${count(people)}, ${lobbies} ${lobbies === 1 ? "lobby" : "lobbies"}${porters > 0 ? `, ${porters} porters` : ""}`;
