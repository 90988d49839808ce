// Computes what a planned sale costs: from the counts of a run (tools/src/plan) to requests, rows and dollars, by the prices of `npm run cost`. Pure.

import { dollars } from "../../bench/cost/model.mjs";
import { interpolated, mean } from "../figures.mjs";

/** Alarms a second of a lobby that has sockets: those that ring and those that are set. Counted by `npm run check-plan` on 22 November 2026. */
const LOBBY_ALARMS = { rings: 0.2, set: 0.4 };

/** Returns what one run costs, from its counts. A lobby has no rows of its own, but each alarm that is set is one. */
export function costOfRun({ counts, objects, lasts_ms: lastsMs }, prices) {
  const lastsS = lastsMs / 1_000;
  const lobbySeconds = lastsS * (objects - 1);
  const billed = {
    worker_requests: counts.worker + counts.inside + 2 * counts.reloads,
    object_requests: counts.lobby + counts.reloads + counts.batches + counts.pushes + counts.alarms + LOBBY_ALARMS.rings * lobbySeconds,
    socket_messages: counts.pings,
    rows: counts.rows + counts.alarms_set + LOBBY_ALARMS.set * lobbySeconds,
    gb_s: lastsS * objects * prices.object_gb,
  };
  return { ...billed, requests: billed.worker_requests + billed.object_requests, usd: dollars(billed, prices).usd_in_all };
}

/** Returns the middle of some numbers and a band that holds nine of ten; null if there are none. */
export function bandOf(values) {
  const sorted = values.filter((value) => value !== null && value !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  return { low: interpolated(sorted, 0.05), mid: interpolated(sorted, 0.5), high: interpolated(sorted, 0.95), mean: mean(sorted) };
}
