// Prices a simulated sale at list prices, and says what each request, row and second is for. Pure.

const MILLION = 1_000_000;
/** Seconds between a page's pings: `PING_MS` of web/connection.js. */
const PING_S = 25;
/** While anything moves the room has one alarm a second: each is a request, and a row when it is armed again. */
const ALARMS_PER_S = 1;

/**
 * Returns `{ lines, usd, wait_usd }`: `lines` are `{ what, part, count, usd }`, `usd` has their sums by part, and `wait_usd` is the price of the
 * wait. `seen` is what `sale` of events.mjs saw. The work for a release belongs to the hold, the rest to the wait of `wait_s`.
 */
export function priced({ people, made, ofReleases, rows, objects, lasts_s }, wait_s, prices) {
  const request = prices.object_requests_per_million / MILLION;
  const worker = prices.worker_requests_per_million / MILLION;
  const row = prices.rows_written_per_million / MILLION;
  const alarms = lasts_s * ALARMS_PER_S;
  const lines = [
    ["the page", "requests", people, worker],
    ["the socket: front", "requests", people, worker],
    ["the socket: lobby", "requests", made.join, request],
    ["pings, 20 a request", "requests", (people * Math.floor(wait_s / PING_S)) / prices.socket_messages_per_request, request],
    ["a call that is pushed", "requests", made.call, request],
    ["the landing: front", "requests", people, worker],
    ["the landing: lobby", "requests", made.claim, request],
    ["batches", "requests", made.batch - ofReleases.batch, request],
    ["bundles", "requests", made.bundle - ofReleases.bundle, request],
    ["pictures, alarms", "requests", made.picture + alarms, request],
    ["rows of turns", "rows", rows - ofReleases.row, row],
    ["rows of alarms", "rows", alarms, row],
    ["duration, GB-s", "duration", lasts_s * objects * prices.object_gb, prices.object_duration_per_million_gb_s / MILLION],
    [
      "the release: lobby, its batch and row",
      "hold",
      made.release,
      request + ((ofReleases.batch + ofReleases.bundle) / made.release) * request + (ofReleases.row / made.release) * row,
    ],
  ].map(([what, part, count, each]) => ({ what, part, count, usd: count * each }));
  const sum = (part) => lines.filter((line) => line.part === part).reduce((total, { usd }) => total + usd, 0);
  const usd = Object.fromEntries(["requests", "rows", "duration", "hold"].map((part) => [part, sum(part)]));
  return { lines, usd, wait_usd: usd.requests + usd.rows + usd.duration };
}

/** Returns the dollars of a rush or a return: its requests, rows and duration. `seen` is what `rush` or `comeBack` of events.mjs saw. */
export function momentUsd({ fronts, requests, rows, objects, took_s }, prices) {
  const alarms = took_s * ALARMS_PER_S;
  const ofObjects = Object.values(requests).reduce((sum, { in_all }) => sum + in_all, alarms);
  const gb_s = took_s * objects * prices.object_gb;
  const usd =
    fronts * prices.worker_requests_per_million +
    ofObjects * prices.object_requests_per_million +
    (rows + alarms) * prices.rows_written_per_million +
    gb_s * prices.object_duration_per_million_gb_s;
  return usd / MILLION;
}
