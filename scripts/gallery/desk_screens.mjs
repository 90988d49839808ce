/*
 * Screens of the desk that are about no room: webhooks and operators, as the API tells them, for the gallery, pictures and tests. Each has
 *
 *   says       what a reader should know of it
 *   view       the part of the address behind `#`
 *   role       the role of the person who looks; `own` if it is left out
 *   webhooks   what GET …/webhooks answers
 *   house      what GET …/house answers; null: there is none
 */

import { roomOf } from "./desk_states.mjs";

const S = 1_000;
const MINUTE = 60 * S;
const HOUR = 60 * MINUTE;
const ago = (ms) => Date.now() - ms;
const KINDS = ["room.mode_changed", "room.settings_changed", "room.opened", "house.changed", "room.step_refused"];
const WHYS = ["answered 503", "answered 401", "The operation was aborted due to timeout", "answered 302", "more than 500 messages waited"];

const hook = (name, more = {}) => ({
  name,
  url: `https://hooks.example.com/${name}`,
  rooms: [],
  kinds: [],
  pending: 0,
  oldest_ms: null,
  failing_since_ms: null,
  taken_at_ms: ago(12 * S),
  failed: null,
  dead: [],
  ...more,
});

/** Returns `count` messages that nobody took, the oldest first. */
const lying = (count) =>
  Array.from({ length: count }, (_, at) => {
    const kind = KINDS[at % KINDS.length];
    const room = kind === "house.changed" ? null : ["onsale", "presale"][at % 2];
    return {
      id: `${room ?? "house"}-apac-1_1_${1_204 + at}_${kind.replace(/[^a-z]/g, "-")}`,
      kind,
      room,
      born_ms: ago((30 + count - at) * HOUR),
      failures: 28,
      died: { at_ms: ago((6 + count - at) * HOUR), why: WHYS[at % WHYS.length] },
    };
  });

const failing = hook("crm", {
  rooms: ["onsale", "presale"],
  kinds: ["room.mode_changed", "room.settings_changed", "room.step_refused"],
  pending: 14,
  oldest_ms: ago(38 * MINUTE),
  failing_since_ms: ago(38 * MINUTE),
  taken_at_ms: ago(55 * MINUTE),
  failed: { at_ms: ago(2 * MINUTE), why: "answered 503" },
  dead: lying(43),
});

const OPERATORS = {
  mika: { role: "operate", rooms: ["onsale", "presale"], token: true },
  noor: { role: "view", token: true, email: "noor@example.com", ends_at: "2099-01-31T00:00:00Z" },
  aiko: { role: "own", token: true },
};
const OF_FILE = {
  operator: { role: "own", token: true },
  payments: { role: "release", rooms: ["onsale"], token: true, ends_at: "2099-06-30T00:00:00Z" },
};
const house = (more = {}) => ({
  revision: 12,
  rooms: {},
  released: {},
  brands: {},
  undo: [],
  operators: OPERATORS,
  operators_of_file: OF_FILE,
  ...more,
});

const base = {
  role: "own",
  rooms: () => [roomOf("onsale"), roomOf("presale", { settings: { permits: 120 } })],
  house: () => house(),
  webhooks: () => [],
};

export const SCREENS = {
  "webhooks-well": {
    ...base,
    says: "Webhooks that are taken.",
    view: "webhooks",
    webhooks: () => [hook("crm"), hook("chat", { kinds: ["room.mode_changed"], taken_at_ms: ago(3 * HOUR) })],
  },
  "webhooks-failing": {
    ...base,
    says: "A webhook that does not answer, and what lies undelivered.",
    view: "webhooks",
    webhooks: () => [hook("chat"), failing],
  },
  "webhooks-several": {
    ...base,
    says: "Two that need a look: one has no secret, one takes some of it.",
    view: "webhooks",
    webhooks: () => [
      hook("log"),
      failing,
      hook("mute", {
        pending: 3,
        oldest_ms: ago(2 * HOUR),
        failing_since_ms: ago(2 * HOUR),
        taken_at_ms: null,
        failed: { at_ms: ago(MINUTE), why: "is not set, and the webhook mute is not sent" },
      }),
    ],
  },
  "webhooks-viewer": { ...base, says: "Whoever may only look has no buttons.", role: "view", view: "webhooks", webhooks: () => [failing] },
  "webhooks-none": { ...base, says: "No webhook is set.", view: "webhooks" },
  operators: {
    ...base,
    says: "Who may operate: the file's as they are, the house's to be changed.",
    view: "operators",
    house: () => house({ undo: [{ operator: "mika", does: "change", from: {}, to: {} }] }),
  },
  "operators-no-house": { ...base, says: "Without a house all stand in the file.", view: "operators", house: () => null },
};
