// The events that `npm run cost -- --measure` runs. Their visitors do not dawdle: the counts of a visit do not depend on how long it lasts, and what
// depends on time is measured as a rate.

/** Passes that are past half their life at the next page. */
const SHORT_PASS = { pass_ttl_s: 2 };

/** Most visitors at once: workerd holds two open files for each socket, and a frame to each takes time. */
const TOGETHER_MAX = 3_000;
/** Most visitors in the events that need only a few. */
const FEW_MAX = 2_000;

/** Returns the events. `visitors` is how many come to the sale; a smaller number makes a trial. */
export const events = (visitors) => [
  // As many visitors at once as fit, and a new one as soon as somebody is through: as fast as this machine goes. Nobody walks in, or a fast machine
  // would have no line. Frames depend on time and are counted in `trickle`; here they are rarer, which leaves the machine time for visitors.
  {
    name: "sale",
    visitors,
    together: Math.min(visitors / 10, TOGETHER_MAX),
    per_s: 1_000,
    pages: 3,
    pause_ms: 0,
    permits: 100,
    lobbies: 2,
    settings: { tick_ms: 5_000, walk_in: false },
  },
  // The same with a porter, which rooms have from five lobbies on.
  {
    name: "bundled",
    visitors: visitors / 4,
    together: Math.min(visitors / 20, TOGETHER_MAX),
    per_s: 1_000,
    pages: 3,
    pause_ms: 0,
    permits: 100,
    lobbies: 5,
    settings: { tick_ms: 5_000, walk_in: false },
  },
  // Few at a time: hardly two commands share a batch.
  {
    name: "trickle",
    visitors: Math.min(visitors / 5, FEW_MAX),
    together: 400,
    per_s: 20,
    pages: 3,
    pause_ms: 500,
    permits: 27,
    lobbies: 2,
    settings: { walk_in: false },
  },
  // Visitors inside renew their pass with each page.
  {
    name: "renewing",
    visitors: Math.min(visitors / 25, FEW_MAX / 5),
    together: 400,
    per_s: 20,
    pages: 5,
    pause_ms: 1_200,
    permits: 100,
    lobbies: 2,
    settings: { ...SHORT_PASS, walk_in: false },
  },
];
