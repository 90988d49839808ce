// Computes requests, rows, duration and dollars of any event from the counts of a measured one. Pure.
//
// Some counts are the same for every visitor, and the model takes them as measured. One law scales the counts that depend on how many
// come at once: while a lobby's batch is out, the next one gathers. With `per_s` commands a second arriving at random and a batch that is
// out for `round_s`, a lobby sends
//
//     batches a second = 1 / (round_s + e^(-per_s · round_s) / per_s)
//
// After a batch has come back, the next one goes immediately if something has arrived (probability 1 - e^(-per_s · round_s)); else it goes with the
// next arrival, 1 / per_s later on average. Ten commands that come apart are ten batches; a thousand that come at once share one. The same law holds
// for a porter and its bundles of batches: a batch then waits for its own bundle, and on average for half the time of the one that is out. What
// depends on time (alarms, frames, an object's duration) is a rate for each object, times how long the event lasts.

import { lobbiesFor, portersFor } from "../scale/machines.mjs";

/** How long a batch is out that goes in a bundle, in multiples of a bundle's own time. */
const BUNDLED_ROUNDS = 1.5;
/** Seconds between a page's pings: `PING_MS` of web/connection.js. */
const PING_S = 25;
const MILLION = 1_000_000;

/** Returns the batches a second of one lobby (see above). */
export function batchesPerS(per_s, round_s) {
  return per_s > 0 ? 1 / (round_s + Math.exp(-per_s * round_s) / per_s) : 0;
}

/** Returns the rates of one visitor and one batch from a measured sale, and those of one second of an object from an event at an ordinary pace. */
export function ratesOf({ visitors, people, counted }, { took_s, lobbies, counted: paced }) {
  const by = (name) => counted.by[name] ?? 0;
  const a_second = (name) => (paced.by[name] ?? 0) / took_s;
  return {
    worker_wait: (people.pages + people.sockets + people.landings) / visitors,
    // The socket, and the landing, which is an `arrive`. A walk-in that is asked for in vain is an `arrive` too.
    lobby_wait: (by("lobby /socket") + by("lobby /ask arrive")) / visitors,
    lobby_release: by("lobby /ask release") / visitors,
    room_rows_per_turn: (counted.rows["room insert journal"] ?? 0) / by("room /room"),
    room_alarms_per_s: a_second("room alarm"),
    room_alarms_set_per_s: a_second("room alarm set"),
    lobby_alarms_per_s: a_second("lobby alarm") / lobbies,
    lobby_alarms_set_per_s: a_second("lobby alarm set") / lobbies,
  };
}

/**
 * Returns the cost of the event `{ visitors, wait_s, hold_s, pages, files, renewals, crowd, round_ms, tick_s
 * }` by the `rates` of a measured one. `crowd` people wait at once, so visitors come at `crowd / wait_s` a second, and the event lasts `visitors ·
 * wait_s / crowd` seconds plus one wait and one hold.
 */
export function costOf(event, rates, prices) {
  const { visitors, wait_s, hold_s, crowd, round_ms, pages, files = 0, renewals, tick_s } = event;
  const lobbies = lobbiesFor(crowd);
  const per_s = crowd / wait_s;
  const lasts_s = visitors / per_s + wait_s + hold_s;
  const round_s = round_ms / 1_000;
  // A visitor's commands: a join and a claim for the wait, renewals and a release for the hold.
  const commands = { wait: 2, hold: 1 + renewals };
  const each = commands.wait + commands.hold;
  const lobby_per_s = (per_s * each) / lobbies;
  const porters = portersFor(lobbies);
  const arrive_for_s = visitors / per_s;
  const batches_per_s = lobbies * batchesPerS(lobby_per_s, porters > 0 ? BUNDLED_ROUNDS * round_s : round_s);
  const batches = batches_per_s * arrive_for_s;
  const bundles = porters > 0 ? porters * batchesPerS(batches_per_s / porters, round_s) * arrive_for_s : 0;
  const size = (visitors * each) / batches;
  // Each turn of the room writes one row.
  const turns = porters > 0 ? bundles : batches;
  const share = (part) => commands[part] / each;
  // A lobby hears of a call in the answer to its own batch, or by a push. A new frame is pushed once a tick.
  const pushes_per_s = batchesPerS((per_s / lobbies) * (1 - 1 / lobbies) + 1 / tick_s, round_s) * lobbies;
  const pushes = pushes_per_s * arrive_for_s;
  const objects_s = lasts_s * (1 + lobbies + porters);
  const alarms = lasts_s * (rates.room_alarms_per_s + rates.lobby_alarms_per_s * lobbies);
  const alarms_set = lasts_s * (rates.room_alarms_set_per_s + rates.lobby_alarms_set_per_s * lobbies);
  const pings = visitors * Math.floor(wait_s / PING_S);
  const wait = {
    worker_requests: visitors * rates.worker_wait,
    object_requests: visitors * rates.lobby_wait + (batches + bundles) * share("wait") + pushes + alarms,
    socket_messages: pings,
    rows: turns * rates.room_rows_per_turn * share("wait") + alarms_set,
    gb_s: objects_s * prices.object_gb,
  };
  const hold = {
    // The route takes all paths, so the shop's images, styles and scripts are requests of the worker like its pages.
    worker_requests: visitors * (pages + files),
    object_requests: visitors * (rates.lobby_release + renewals) + (batches + bundles) * share("hold"),
    socket_messages: 0,
    rows: turns * rates.room_rows_per_turn * share("hold"),
    gb_s: 0,
  };
  return {
    lobbies,
    porters,
    per_s,
    lasts_s,
    batch: size,
    batches,
    bundles,
    pushes,
    alarms,
    alarms_set,
    wait: { ...wait, ...dollars(wait, prices) },
    hold: { ...hold, ...dollars(hold, prices) },
    // The room's rows are deleted one by one after `journal_keep_days`, if there is another event then.
    audit_deletes_usd: (turns * rates.room_rows_per_turn * prices.rows_written_per_million) / MILLION,
  };
}

/** Returns what polling costs on the same platform: a poll every `every_s` is one worker request and one object request. */
export function pollingCost({ visitors, wait_s }, every_s, prices) {
  const polls = visitors * Math.ceil(wait_s / every_s);
  const requests = polls + 2 * visitors;
  return { requests, usd: (requests * (prices.worker_requests_per_million + prices.object_requests_per_million)) / MILLION };
}

/** Returns dollars by what they are paid for, and in all. */
export function dollars({ worker_requests, object_requests, socket_messages, rows, gb_s }, prices) {
  const usd = {
    worker: (worker_requests * prices.worker_requests_per_million) / MILLION,
    objects: (object_requests * prices.object_requests_per_million) / MILLION,
    messages: ((socket_messages / prices.socket_messages_per_request) * prices.object_requests_per_million) / MILLION,
    rows: (rows * prices.rows_written_per_million) / MILLION,
    duration: (gb_s * prices.object_duration_per_million_gb_s) / MILLION,
  };
  return { usd, usd_in_all: sum(Object.values(usd)) };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
