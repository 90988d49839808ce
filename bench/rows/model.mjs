// The capacity model and the prices, for crowds that no machine here can carry: the functions behind `npm run scale` and `npm run cost`, held
// to targets. Pure: it needs no runtime, takes some five seconds, and gives the same figures on every machine.
//
// Each crowd is played at both paces of bench/scale/machines.mjs. The model's objects refuse nobody: people wait for them. So a row says how many
// people got no number. A sale is priced twice: by the model of queues, and by the counts of a measured event and the law of batches.

import { readFileSync } from "node:fs";
import { inRoot } from "../../scripts/common.mjs";
import { costOf, ratesOf } from "../cost/model.mjs";
import { comeBack, handOver, rush, sale, spreadFor } from "../scale/events.mjs";
import { DELAYS, lobbiesFor, MACHINES, portersFor } from "../scale/machines.mjs";
import { priced } from "../scale/price.mjs";

const MILLION = 1_000_000;
/** People who go in each second. */
const FLOW = 170;
/** The seconds over which pages return after a lost socket. */
const RETURN_S = 30;
/** The event whose price has a target. Inside, each visitor renews twice; the price of the hold has no target. */
const EVENT = { visitors: MILLION, wait_s: 600, hold_s: 300, crowd: 100_000, round_ms: 20, tick_s: 1, pages: 5, files: 40, renewals: 2 };
/** `line` wait when a baton is timed, `crowd` come or return, `played` people are a sale; a million cost as much each. */
const SIZES = { line: MILLION, crowd: 100_000, played: 200_000 };

export const model = {
  name: "model",
  begin: () => ({ steps: {}, rows: () => modelRows() }),
};

/** Returns the rows. Tests give smaller sizes. */
export function modelRows(sizes = SIZES) {
  return [
    ...batonRows(sizes),
    ...Object.keys(MACHINES).flatMap((pace) => [...rushRows(pace, sizes), ...returnRows(pace, sizes)]),
    ...priceRows(sizes),
  ];
}

const room = (people) => ({ lobbies: lobbiesFor(people), porters: portersFor(lobbiesFor(people)), delays: DELAYS, people, flow: FLOW });
const count = (value) => value.toLocaleString("en");
const busiest = ({ requests }) => Math.max(...Object.values(requests).map(({ most_per_s }) => most_per_s));

/** The guidance's room takes 5 ms for a batch: 200 a second. */
function batonRows({ line }) {
  const { baton_p99_ms } = handOver({ ...room(line), machine: MACHINES.guidance });
  const per_s = 1_000 / MACHINES.guidance.room_turn;
  return [
    { what: `model: a baton with ${count(line)} in line, the room at ${per_s} batches/s, p99`, value: baton_p99_ms, unit: "ms", target: "≤ 100 ms" },
  ];
}

function rushRows(pace, { crowd }) {
  const seen = rush({ ...room(crowd), machine: MACHINES[pace], arrive_s: 1, spread_s: spreadFor(crowd, lobbiesFor(crowd), 1), after_s: 5 });
  const what = (figure) => `model, ${pace} pace: ${count(crowd)} pages in a second, ${figure}`;
  return [
    { what: what("all have a number after"), value: seen.numbered_s, unit: "s", target: "≤ 20 s" },
    { what: what("the busiest object"), value: busiest(seen), unit: "requests/s", target: "≤ 800 requests/s" },
    { what: what("people without a number"), value: seen.without_number, target: "= 0" },
    { what: what("baton p99"), value: seen.baton_p99_ms, unit: "ms" },
  ];
}

function returnRows(pace, { crowd }) {
  const seen = comeBack({ ...room(crowd), machine: MACHINES[pace], spread_s: RETURN_S });
  const what = (figure) => `model, ${pace} pace: ${count(crowd)} sockets lost at once, ${figure}`;
  return [
    { what: what("all are back after"), value: seen.back_s, unit: "s", target: "≤ 60 s" },
    { what: what("the busiest object"), value: busiest(seen), unit: "requests/s", target: "≤ 800 requests/s" },
    { what: what("baton p99"), value: seen.baton_p99_ms, unit: "ms" },
  ];
}

function priceRows({ played }) {
  const read = (name) => JSON.parse(readFileSync(inRoot("bench", name), "utf8"));
  const [{ events }, prices] = [read("cost.json"), read("cost/prices.json")];
  const { crowd, wait_s, round_ms, visitors } = EVENT;
  // The objects are so far apart that a batch is out for a round.
  const { measured: machine } = MACHINES;
  const delays = { ...DELAYS, object: (round_ms - machine.room_turn - machine.write) / 2 };
  const queued = priced(sale({ ...room(crowd), machine, delays, people: played, crowd, wait_s }), wait_s, prices);
  const named = (name) => events.find((event) => event.name === name);
  const { wait } = costOf(EVENT, ratesOf(named("sale"), named("trickle")), prices);
  const what = (how, figure) => `${how}: a million visitors, ten minutes in line, rounds of ${round_ms} ms, ${figure}`;
  const rows = (how, wait_usd, rows_usd) => [
    { what: what(how, "the wait"), value: wait_usd, unit: "dollars", target: "≤ 2 dollars" },
    { what: what(how, "of it rows"), value: rows_usd, unit: "dollars", target: "≤ 0.4 dollars" },
  ];
  return [
    ...rows("model", (queued.wait_usd * visitors) / played, (queued.usd.rows * visitors) / played),
    ...rows("counts of a measured event", wait.usd_in_all, wait.usd.rows),
  ];
}
