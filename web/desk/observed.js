/* What a room saw while it only observed, and the settings that follow from that, with the arithmetic. */

import { filled } from "./filled.js";
import { words } from "./words.js";
import { write } from "./written.js";

/** Returns the lines for an observation of a report; none if the room never observed. */
export function lines(observation) {
  if (!observation) return [];
  const { recommended, visit_p99_ms, pause_p99_ms } = observation;
  const time = (ms) => (ms === null ? words.empty : write.duration(ms));
  const values = {
    ...observation,
    observed: write.duration(observation.observed_ms),
    visit: time(visit_p99_ms),
    pause: time(pause_p99_ms),
    ...recommended,
  };
  const keys = recommended ? ["permits", "lease_idle_s", "lease_max_s", "crowd"] : ["little"];
  const warnings = ["cut", "only"].filter((key) => observation[key] > 0);
  return ["seen", ...keys, ...warnings].map((key) => filled(words.observed[key], values));
}
