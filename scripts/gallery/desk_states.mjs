/*
 * What an operator may meet, as the API tells it: fifteen situations for the gallery, the pictures of docs/desk.md and tests. Each is a list of
 * rooms with, where it matters, their last hour and their rehearsals.
 *
 *   says    what a reader of the docs should know of it
 *   rooms   `roomOf(…)` each
 *   view    the part of the address behind `#`
 *   press   the action whose question is shown
 *   hour    the last hour, as in `hourOf`; `rehearsal`: the room on its stage
 *   asked   what a room of the house says itself when it is opened, by name
 *   isPlain the docs have no picture of it
 *   silent  the rooms stop answering after the first look; `changes`: they have just changed
 */

const MINUTE_MS = 60_000;
const SETTINGS = {
  paths: ["/buy/*"],
  hosts: [],
  permits: 200,
  mode: "open",
  admissions_per_s: 0,
  message: "",
  walk_in: true,
  tick_ms: 1_000,
  claim_within_s: 30,
  grace_s: 3_600,
  lease_idle_s: 300,
  lease_max_s: 1_800,
  lease_extend_max_s: 1_800,
  origin_errors_max_percent: 20,
  origin_errors_window_s: 30,
  opens_at: [],
  entry: "off",
  closes_at: [],
  hall_s: 3_600,
  draw: "shuffle",
  line_max: 0,
  fail: "closed",
  tickets_per_ip_max: 10,
  walk_ins_per_ip_max: 20,
  walk_ins_per_ip_max_percent: 5,
  joins_per_ip_per_minute: 6,
  joins_per_visitor_per_minute: 30,
  ipv4_share: 20,
};
const DEPLOY = [
  "paths",
  "hosts",
  "fail",
  "entry",
  "tickets_per_ip_max",
  "walk_ins_per_ip_max",
  "walk_ins_per_ip_max_percent",
  "joins_per_ip_per_minute",
  "joins_per_visitor_per_minute",
  "ipv4_share",
];
const TIMES = { count: 0, sum_ms: 0, octaves: [], p50_ms: null, p90_ms: null, recent: { count: 0, p50_ms: null, p90_ms: null } };
const lately = (p50, p90, count = 4_000) => ({ ...TIMES, count, recent: { count, p50_ms: p50, p90_ms: p90 } });
const TOTALS = {
  attempts: 9_400,
  joined: 8_900,
  walked_in: 200,
  called: 2_900,
  handed: 1_600,
  claimed: 4_380,
  released: 4_210,
  expired: 170,
  unproven: 12,
  missed: 120,
  left: 90,
  grace_ended: 31,
  origin_errors: 3,
  entered: 0,
};
const REPORT = {
  mode: "open",
  permits: 200,
  waiting: 4_310,
  present: 4_020,
  away: 290,
  called: 0,
  in_hall: 0,
  places_left: null,
  opens_at_ms: null,
  inside: 200,
  hand: 0,
  tray: 0,
  debt: 0,
  edition: 1,
  next_number: 9_101,
  lobbies: 1,
  version: 18_204,
  origin: "well",
  untold: 0,
  unreached: 0,
  dead_permit_ms: 9_000_000,
  used_permit_ms: 510_000_000,
  observation: null,
  stock: 3_200,
  seats_to: 8_700,
  opened: 0,
  call_depth: 3,
  proofs: { ok: 4_120, mac: 0, host: 0 },
};
const answers = (p50, p95, failed = 0, count = 4_000) => ({
  count: 90_000,
  sum_ms: 1,
  failed,
  octaves: [],
  recent: { count, failed, p50_ms: p50, p95_ms: p95 },
});

/**
 * Returns a room as `GET …/rooms` tells it. `report`, `totals` and `settings` say what differs from a sale that goes well, `live` what was set live.
 * @param {string} room
 * @param {{ report?: object, totals?: object, settings?: Partial<typeof SETTINGS> & { [more: string]: unknown }, live?: object,
 *   shop?: ReturnType<typeof answers>, wait?: ReturnType<typeof lately>, undo?: object, [more: string]: unknown }} [sale]
 */
export function roomOf(
  room,
  { report = {}, totals = {}, settings = {}, live = {}, shop = answers(240, 790), wait = lately(21 * MINUTE_MS, 24 * MINUTE_MS), ...more } = {},
) {
  const values = { ...SETTINGS, ...settings, ...live };
  const entry = ([key, value]) => [
    key,
    { value, source: key in live ? "live" : ["permits", "paths"].includes(key) || key in settings ? "file" : "default", live: !DEPLOY.includes(key) },
  ];
  const durations = {
    wait,
    claim: lately(2_000, 6_000),
    released: lately(170_000, 320_000),
    expired: lately(300_000, 300_000, 170),
    handover: lately(1_800, 4_000),
  };
  return {
    room,
    paths: values.paths,
    hosts: values.hosts,
    lobbies: 1,
    revision: 4,
    settings: Object.fromEntries(Object.entries(values).map(entry)),
    report: {
      ...REPORT,
      mode: values.mode,
      permits: values.permits,
      ...report,
      totals: { ...TOTALS, proofs: REPORT.proofs, ...totals },
      durations,
      answers: shop,
    },
    changed: Object.fromEntries(Object.keys(live).map((key) => [key, { by: "aiko", at_ms: Date.now() - 3 * MINUTE_MS }])),
    undo: {},
    ...more,
  };
}

/** Returns how a list tells of a room of the house: by what the room last said, `agoMs` ago. */
const summaryOf = (room, agoMs) => ({ ...room, of_house: true, as_of_ms: Date.now() - agoMs, settings: null, changed: null, undo: null });
/** Returns how a list tells of a room of the house that has said nothing yet. */
const unheardOf = (room) => ({
  room,
  paths: [`/${room}/*`],
  hosts: [],
  lobbies: 1,
  of_house: true,
  report: null,
  revision: null,
  settings: null,
  changed: null,
  undo: null,
});
const spring = (more = {}) =>
  roomOf("spring", { settings: { paths: ["/spring/*"], permits: 80 }, report: { inside: 80, waiting: 640, present: 610, away: 30 }, ...more });

/** Returns the sheets of a room with lanes. */
export const sheetsOf = (nowMs = Date.now()) => [
  { sheet: 1, invitations: { count: 500 }, uses: 500, used: 212, lane: "members", from_at_ms: 0, ends_at_ms: nowMs + 29 * 1_440 * MINUTE_MS },
  {
    sheet: 2,
    codes: { count: 20, uses: 60 },
    uses: 60,
    used: 4,
    lane: null,
    from_at_ms: nowMs + 1_440 * MINUTE_MS,
    ends_at_ms: nowMs + 30 * 1_440 * MINUTE_MS,
  },
];

/**
 * Returns the last hour, a sample a minute: `waiting(at)` and the others, with `at` from 0 to 1.
 * @param {{ [curve in "waiting" | "inside" | "perMin" | "hall" | "half"]?: (at: number) => number } & { permits?: number, admitted?: number }} [sale]
 */
export function hourOf(
  {
    waiting = (at) => 7_000 * at ** 0.7 - 2_700 * at,
    inside = (at) => Math.min(200, 700 * at),
    perMin = () => 190,
    permits = 200,
    admitted = 4_580,
    hall = () => 0,
    half = () => 240,
  } = {},
  nowMs = Date.now(),
) {
  const minutes = Array.from({ length: 60 }, (_, at) => at);
  const rates = minutes.map((at) => perMin(at / 59));
  let total = admitted - rates.reduce((sum, rate) => sum + rate, 0);
  return minutes.map((at) => {
    if (at > 0) total += rates[at];
    const within = Math.round(inside(at / 59));
    return {
      at_ms: nowMs - (60 - at) * MINUTE_MS,
      waiting: Math.round(waiting(at / 59)),
      inside: within,
      free: Math.max(0, permits - within),
      admitted: Math.round(total),
      attempts: Math.round(total * 2),
      in_hall: Math.round(hall(at / 59)),
      answer_p50_ms: half(at / 59),
      answer_p95_ms: half(at / 59) && Math.round(3.3 * half(at / 59)),
    };
  });
}

/** The line and the shop of a steady situation, up to the last sample. */
const steady = (waiting) => ({ waiting: (at) => waiting * (1 + 0.25 * (1 - at)), inside: () => 200 });
const rest = { hand: 200, inside: 0, waiting: 0, present: 0, away: 0 };

export const SITUATIONS = {
  "all-well": { says: "A sale that goes well: one sentence, six actions, nothing to do.", rooms: () => [roomOf("onsale")] },
  "many-rooms": {
    says: "Many rooms: one sentence for all, the worst first, and one button that pauses everything.",
    rooms: () => [
      roomOf("onsale"),
      roomOf("presale", { report: { origin: "failing", inside: 64, hand: 56, waiting: 812, present: 780, away: 32 }, settings: { permits: 120 } }),
      roomOf("matinee", { report: { ...rest, inside: 12, hand: 38 }, settings: { permits: 50 } }),
      roomOf("merch", { settings: { mode: "closed" }, report: rest }),
      roomOf("members", { settings: { permits: 80 }, report: { inside: 80, waiting: 640, present: 610, away: 30 }, shop: answers(2_600, 9_100) }),
    ],
  },
  "house-rooms": {
    says: "Rooms of the house: told by what they last said, asked themselves when they are opened; a new one is no alarm.",
    asked: { spring: () => spring({ of_house: true }) },
    rooms: () => [
      roomOf("onsale"),
      summaryOf(spring(), 4_000),
      summaryOf(roomOf("club", { report: { ...rest, inside: 3, hand: 197 } }), 47 * MINUTE_MS),
      unheardOf("autumn"),
    ],
  },
  "house-room-opened": {
    says: "A room of the house on the screen.",
    isPlain: true,
    hour: { waiting: (at) => 640 * (1.2 - 0.2 * at), inside: () => 80, perMin: () => 76, permits: 80, admitted: 4_580 },
    asked: { spring: () => spring({ of_house: true }) },
    view: "room/spring",
    rooms: () => [roomOf("onsale"), summaryOf(spring(), 4_000)],
  },
  lanes: {
    says: "Lanes: members get three of four calls while both wait, and one lane opens later.",
    // Long because it says what each lane has.
    rooms: () => [
      roomOf("onsale", {
        settings: {
          entry: "required",
          lanes_rule: "shares",
          lanes: [
            { name: "members", title: "Members", share: 3 },
            { name: "everybody", title: "Everybody", share: 1 },
            { name: "late", title: "Late sale", share: 1 },
          ],
        },
        report: {
          lanes_rule: "shares",
          lanes: [
            {
              name: "members",
              title: "Members",
              numbers_from: 562_949_953_421_312,
              share: 3,
              is_listed: true,
              mode: "open",
              opens_at_ms: null,
              waiting: 855,
              present: 812,
              away: 40,
              called: 3,
              in_hall: 0,
              called_lately: 48,
              is_next: true,
            },
            {
              name: "everybody",
              title: "Everybody",
              numbers_from: 0,
              share: 1,
              is_listed: true,
              mode: "open",
              opens_at_ms: null,
              waiting: 3_458,
              present: 3_208,
              away: 250,
              called: 0,
              in_hall: 0,
              called_lately: 16,
              is_next: false,
            },
            {
              name: "late",
              title: "Late sale",
              numbers_from: 1_125_899_906_842_624,
              share: 1,
              is_listed: true,
              mode: "open",
              opens_at_ms: Date.now() + 90 * MINUTE_MS,
              waiting: 0,
              present: 0,
              away: 0,
              called: 0,
              in_hall: 44,
              called_lately: 0,
              is_next: false,
            },
          ],
        },
      }),
    ],
  },
  "line-grows": {
    says: "The line grows: more come than go in.",
    rooms: () => [roomOf("onsale", { report: { waiting: 6_120, present: 5_900, away: 220 } })],
    hour: { ...steady(6_120), waiting: (at) => 900 + 4_300 * at ** 2 },
  },
  "shop-slow": {
    says: "The shop is slow: the sentence says how slow, and what gives it air.",
    rooms: () => [roomOf("onsale", { shop: answers(2_600, 9_100) })],
    hour: { ...steady(4_310), perMin: (at) => 210 - 120 * at ** 3, half: (at) => Math.round(240 + 2_360 * at ** 3) },
  },
  "fewer-permits": {
    says: "Fewer permits: what will follow, before anything does.",
    rooms: () => [roomOf("onsale", { shop: answers(2_600, 9_100) })],
    hour: { ...steady(4_310), perMin: (at) => 210 - 120 * at ** 3 },
    press: "fewer",
  },
  "shop-failing": {
    says: "The shop fails, so calling has stopped by itself. Free permits wait in the gauge.",
    rooms: () => [roomOf("onsale", { report: { origin: "failing", inside: 118, hand: 82 }, shop: answers(900, 4_000, 1_310, 2_400) })],
    hour: { ...steady(4_310), inside: (at) => (at > 0.9 ? 118 : 200), perMin: (at) => (at > 0.9 ? 0 : 190) },
  },
  paused: {
    says: "Paused, and the way back stands beside the actions for two minutes.",
    rooms: () => [
      roomOf("onsale", {
        live: { mode: "paused", message: "Back in ten minutes" },
        report: { inside: 131, hand: 69 },
        undo: { mode: { value: "open", source: "file" } },
      }),
    ],
    hour: { ...steady(4_310), inside: (at) => (at > 0.95 ? 131 : 200) },
    changes: true,
  },
  hall: {
    says: "Before the doors open: when they will, and how many are there.",
    rooms: () => [
      roomOf("onsale", {
        report: { ...rest, mode: "closed", in_hall: 40_112, opens_at_ms: Date.now() + 12 * MINUTE_MS },
        totals: { claimed: 0, called: 0, handed: 0, missed: 0, walked_in: 0, released: 0, expired: 0, left: 0, grace_ended: 0 },
        wait: TIMES,
        shop: answers(null, null, 0, 0),
      }),
    ],
    hour: { waiting: () => 0, inside: () => 0, perMin: () => 0, admitted: 0, hall: (at) => 40_112 * at ** 2, half: () => null },
  },
  "missed-calls": {
    says: "Many do not come when they are called.",
    rooms: () => [roomOf("onsale", { report: { inside: 152, called: 48 }, totals: { missed: 1_740, claimed: 2_760 } })],
    hour: { ...steady(4_310), perMin: () => 120, admitted: 2_960 },
  },
  unreachable: { says: "The room does not answer: since when, what people see, and what to look at.", rooms: () => [roomOf("onsale")], silent: true },
  "sold-out": {
    says: "Sold out: everybody was told, the last ones finish.",
    rooms: () => [roomOf("onsale", { live: { mode: "sold_out" }, report: { ...rest, inside: 12, hand: 188, stock: 0 } })],
    hour: { waiting: (at) => 4_000 * (1 - at), inside: (at) => 200 - 188 * at ** 4, perMin: (at) => 190 * (1 - at ** 4) },
  },
  rehearsal: {
    says: "A rehearsal runs on its stage, while the public sees a closed room.",
    rooms: () => [roomOf("onsale", { settings: { mode: "closed" }, report: rest, shop: answers(null, null, 0, 0) })],
    hour: { waiting: () => 0, inside: () => 0, perMin: () => 0 },
    rehearsal: () => roomOf("onsale", { report: { inside: 12, waiting: 30 } }),
  },
};
