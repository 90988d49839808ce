// The tables of `npm run cost` and docs/cost.md. Pure.

import { costOf, pollingCost } from "./model.mjs";
import { plainMarkdown } from "../lib/table.mjs";
import { objectsText } from "../scale/machines.mjs";

const MILLION = 1_000_000;
/** The event of the target: a million visitors who wait ten minutes, a hundred thousand at once. */
const TARGET = { visitors: MILLION, wait_s: 600, hold_s: 300, crowd: 100_000, pages: 5, files: 40, renewals: 2, tick_s: 1 };
/** How many requests of the worker, and how many of its objects, the free plan allows in a day. */
const FREE_A_DAY = 100_000;
/** How long a lobby's batch may be out. */
const ROUNDS_MS = [5, 20, 50, 500];

const usd = (value) => `$${value.toFixed(value < 0.1 ? 3 : 2)}`;
const count = (value) => Math.round(value).toLocaleString("en");
const few = (value) => Number(value.toPrecision(3));

/** Returns one event's costs as text for the terminal. */
export function shown(event, cost, prices) {
  const { wait, hold } = cost;
  const lines = [
    `${count(event.visitors)} visitors, ${event.wait_s} s in line, ${event.hold_s} s inside; ${count(event.crowd)} in line at once: ${objectsText(cost.lobbies, cost.porters)}, ${few(cost.per_s)} visitors a second, ${count(cost.lasts_s)} s in all.`,
    `A ${cost.porters === 0 ? "batch" : "bundle"} is out for ${event.round_ms} ms, so ${few(cost.batch)} commands share a batch.`,
    "",
    row("", "the wait", "the hold", "dollars"),
    ...[
      ["worker requests", "worker_requests", "worker"],
      ["object requests", "object_requests", "objects"],
      ["socket messages in", "socket_messages", "messages"],
      ["rows written", "rows", "rows"],
      ["GB-s", "gb_s", "duration"],
    ].map(([what, field, price]) => row(what, count(wait[field]), count(hold[field]), `${usd(wait.usd[price])} + ${usd(hold.usd[price])}`)),
    row("in all", usd(wait.usd_in_all), usd(hold.usd_in_all), usd(wait.usd_in_all + hold.usd_in_all)),
    "",
    `A million visitors' wait: ${usd(perMillion(event, wait.usd_in_all))}. Polling every 20 s instead: ${usd(perMillion(event, pollingCost(event, 20, prices).usd))}.`,
    `Inside, each visitor loads ${event.pages} pages and ${event.files} files of the shop through the worker: ${usd(perMillion(event, hold.usd.worker))} a million. Files whose route has no worker cost nothing: docs/deploying.md, Static files.`,
    `${count(requestsOf(cost))} requests of the worker in all: ${requestsOf(cost) > FREE_A_DAY ? `the free plan ends after ${count(FREE_A_DAY)} a day, and then everybody goes past the line or nobody gets in. Take the paid plan.` : `the free plan takes ${count(FREE_A_DAY)} a day.`}`,
    `When the room's audit rows are deleted after journal_keep_days: ${usd(cost.audit_deletes_usd)}. Nobody there: $0.`,
    `List prices of ${prices.read_on}, no free quota. The worker's CPU time and the storage are not in it: docs/cost.md.`,
  ];
  return lines.join("\n");
}

const requestsOf = ({ wait, hold }) => wait.worker_requests + hold.worker_requests;

const row = (...cells) => cells.map((cell, column) => (column === 0 ? cell.padEnd(20) : cell.padStart(column === 3 ? 20 : 14))).join("");
const perMillion = ({ visitors }, value) => (value * MILLION) / visitors;

/** Returns the table of what each measured event counted, for one visitor. */
export function counted(events) {
  const lines = {
    visitors: ({ visitors }) => visitors,
    "worker requests of a wait": ({ visitors, people }) => few((people.pages + people.sockets + people.landings) / visitors),
    "worker requests inside": ({ visitors, people }) => few(people.inside / visitors),
    "batches at porters": by("porter /batch"),
    "batches or bundles at the room": by("room /room"),
    "pushes at a lobby": by("lobby /push"),
    "rows of the room": rows("room insert journal"),
    "rows of snapshots, tables, names": (event) =>
      few(
        each(
          event,
          Object.entries(event.counted.rows)
            .filter(([name]) => !name.endsWith("insert journal"))
            .reduce((total, [, n]) => total + n, 0),
        ),
      ),
    "alarms that rang": (event) => few(each(event, event.counted.alarms)),
    "alarms set (a row each)": (event) => few(each(event, (event.counted.by["room alarm set"] ?? 0) + (event.counted.by["lobby alarm set"] ?? 0))),
  };
  return plainMarkdown(Object.entries(lines).map(([what, of]) => ({ what, ...Object.fromEntries(events.map((event) => [event.name, of(event)])) })));
}

const each = ({ visitors }, value) => value / visitors;
const by = (name) => (event) => few(each(event, event.counted.by[name] ?? 0));
const rows = (name) => (event) => few(each(event, event.counted.rows[name] ?? 0));

/** Returns the table of the target's event for each time that a batch may be out. */
export function examples(rates, prices) {
  return plainMarkdown(
    ROUNDS_MS.map((round_ms) => {
      const { batch, wait, hold } = costOf({ ...TARGET, round_ms }, rates, prices);
      const without = costOf({ ...TARGET, round_ms, files: 0 }, rates, prices);
      return {
        "a bundle is out, ms": round_ms,
        "commands a batch": few(batch),
        requests: usd(wait.usd.worker + wait.usd.objects + wait.usd.messages),
        rows: usd(wait.usd.rows),
        duration: usd(wait.usd.duration),
        "the wait": usd(wait.usd_in_all),
        "the hold": usd(hold.usd_in_all),
        "the hold, files left off": usd(without.hold.usd_in_all),
      };
    }),
  );
}

/** Returns the sentence that says how the tables were made, and from which measurement. */
export const inputs = ({ at, commit, workerd }, prices) =>
  `Made by \`npm run cost -- --docs\` from [counts](../bench/cost.json) of ${at.slice(0, 10)} (commit ${commit}, ${workerd}) and list prices of ${prices.read_on}.`;

/** Returns the table of what other ways of waiting would cost on the same platform at the same prices. */
export function comparison(rates, prices) {
  const { wait } = costOf({ ...TARGET, round_ms: 20 }, rates, prices);
  const polling = (what, every_s) => {
    const { requests, usd: price } = pollingCost(TARGET, every_s, prices);
    return { "way to wait": what, "worker requests a visitor": few(requests / TARGET.visitors), "a million visitors": usd(price) };
  };
  return plainMarkdown([
    {
      "way to wait": "Baton, a bundle out for 20 ms",
      "worker requests a visitor": few(wait.worker_requests / TARGET.visitors),
      "a million visitors": usd(wait.usd_in_all),
    },
    polling("a poll every 20 s", 20),
    polling("a poll every 10 s", 10),
    polling("a poll every 2 s", 2),
  ]);
}
