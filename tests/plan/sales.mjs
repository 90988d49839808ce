// The four sales of `npm run check-plan`: each short enough for the real runtime, whose clock cannot be hurried. Keys as `npm run plan`
// takes them; what is below `room` is given to both, the planner and the runtime.

const people = {
  page: "200ms",
  pages: 3,
  files: 1,
  reloads: 0,
  round: "10ms",
  gives_up: 0.1,
  patience: "40s",
  returns: 0.5,
  returns_after: "8s",
  walks_off: 0.05,
  sleeps: 0.03,
  buy: 0.8,
  seats_each: 2,
};
const room = {
  claim_within_s: 5,
  linger_s: 3,
  grace_s: 600,
  lease_idle_s: 12,
  lease_max_s: 60,
  pass_ttl_s: 6,
  tick_ms: 1000,
  tickets_per_ip_max: 0,
  walk_ins_per_ip_max: 0,
  joins_per_ip_per_minute: 0,
  joins_per_visitor_per_minute: 0,
};

export const SALES = [
  { name: "rush", what: "300 people rush in", event: { ...people, people: 300, over: "60s", stay: "4s" }, room: { ...room, permits: 16 } },
  {
    name: "draw",
    what: "300 people, two thirds before a draw",
    event: { ...people, people: 300, before_opening: 0.66, early_over: "30s", over: "30s", stay: "4s" },
    room: { ...room, permits: 20, hall_s: 60 },
  },
  {
    name: "seats",
    what: "300 people, 150 seats, the stock told",
    event: { ...people, people: 300, over: "60s", stay: "4s", seats: 150, sold_out_after: "4s" },
    room: { ...room, permits: 16, stock_line: true },
  },
  {
    name: "slow",
    what: "250 people evenly, the shop at half speed from 25 s on",
    event: { ...people, people: 250, over: "50s", shape: "even", stay: "3s", slow: "0.5@25s" },
    room: { ...room, permits: 16 },
  },
];

/** The flags of a sale for the planner. */
export const flagsOf = ({ event, room: settings }) =>
  Object.entries({ ...event, ...settings }).flatMap(([key, value]) => [`--${key.replaceAll("_", "-")}`, String(value)]);

/** Seconds of `60s` or `200ms`, in ms. */
export function ms(text) {
  const [, number, unit] = /^([\d.]+)(ms|s)$/.exec(text);
  return Number(number) * (unit === "s" ? 1_000 : 1);
}

/** When the sale opens, ms after the first may come. */
export const opensMs = ({ event }) => (event.before_opening > 0 ? ms(event.early_over) : 0);

/** How long work lasts that begins `fromMs` after the opening, at the shop's speed then. */
export function workedMs({ event }, fromMs, workMs) {
  const [speed, changesMs] = event.slow ? [Number(event.slow.split("@")[0]), ms(event.slow.split("@")[1])] : [1, 0];
  if (fromMs >= changesMs) return workMs / speed;
  const untilMs = changesMs - fromMs;
  return workMs <= untilMs ? workMs : untilMs + (workMs - untilMs) / speed;
}
