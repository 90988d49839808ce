/*
 * Every state that the waiting page can be in, as the front would serve it. The gallery shows them, and tests walk through them.
 *
 *   status    what the visitor's status says
 *   template  what the front says besides, by placeholder
 *   page      the operator's own words for the room
 *   link      "up" (the default), "lost" (nothing answers), "busy" (only a 503 does), "cookies" (none is kept)
 *   says      keys of the locales' texts that must be on the screen
 *   plain     the same without scripts; those of `says` if it is left out
 *   live      keys of texts that only scripts put there
 *   hides     keys of texts that must not be there
 *   shows     numbers that must be there
 *   text      other words that must be there
 */

import { sheetOf } from "../../web/desk/colours.js";

const WAITING = { state: "waiting", number: 1234, ahead: 56, waiting: 90, eta_min_s: 200, eta_max_s: 290 };
const over = (reason, says = reason) => ({ status: { state: "over", number: 1234, reason }, says: [`${says}.head`, `${says}.text`, "again"] });
const NONE = { state: "none" };
/** A visitor whose entry token does not count, as the front says it. */
const refused = (reason, says = reason) => ({
  status: NONE,
  template: { state: "refused", reason },
  says: [`${says}.head`, `${says}.text`, "retry"],
  hides: ["keep", "arriving.head"],
});

export const STATES = {
  arriving: { status: NONE, says: ["arriving.head"] },
  hall: {
    status: { state: "hall", draw: "shuffle", entry: 15 },
    opensInS: 4_325,
    says: ["hall.head", "hall.text", "hall.draw"],
    plain: [],
    hides: ["number", "leave", "hall.arrival"],
  },
  "hall-arrival": {
    status: { state: "hall", draw: "arrival", entry: 15 },
    opensInS: 325,
    says: ["hall.head", "hall.arrival"],
    hides: ["hall.text", "hall.draw"],
  },
  waiting: { status: WAITING, says: ["waiting.head", "number", "ahead", "eta", "keep"], shows: [1234, 56] },
  "waiting-unmeasured": { status: { state: "waiting", number: 7, ahead: 30 }, says: ["waiting.head", "number"], hides: ["eta"] },
  "waiting-million": {
    status: { ...WAITING, number: 12_345_678, ahead: 1_234_567, eta_min_s: 70_000, eta_max_s: 90_000 },
    says: ["ahead"],
    shows: [12_345_678, 1_234_567],
  },
  lane: {
    status: { ...WAITING, number: 562_949_953_421_324, lane: { name: "members", title: "Members & friends", number: 12 } },
    says: ["waiting.head", "eta"],
    hides: ["behind"],
    shows: [12],
    text: ["Members & friends"],
  },
  "lane-behind": {
    status: { state: "waiting", number: 7, ahead: 3, behind: true, lane: { name: "everybody", title: "Everybody", number: 7 } },
    says: ["waiting.head", "behind"],
    hides: ["eta", "near.head"],
    shows: [7],
    text: ["Everybody"],
  },
  "lane-next-behind": {
    status: { state: "waiting", number: 1, ahead: 0, behind: true, lane: { name: "everybody", title: "Everybody", number: 1 } },
    says: ["behind"],
    hides: ["next", "near.head"],
  },
  "lane-hall": {
    status: { state: "hall", draw: "shuffle", entry: 15, lane: { name: "presale", title: "Presale" } },
    opensInS: 4_325,
    says: ["hall.head", "hall.draw"],
    plain: ["hall.head"],
    hides: ["number"],
    text: ["Presale"],
  },
  near: { status: { ...WAITING, ahead: 3, eta_min_s: 20, eta_max_s: 50 }, says: ["near.head"], hides: ["waiting.head"] },
  next: { status: { ...WAITING, ahead: 0, eta_min_s: 2, eta_max_s: 8 }, says: ["near.head", "next"] },
  called: { status: { state: "called", number: 1234 }, claimInS: 28, says: ["called.head", "go"], shows: [1234] },
  "called-nameless": { status: { state: "called" }, says: ["called.head"], hides: ["number"] },
  going: { status: { state: "admitted", number: 1234 }, says: ["admitted.head", "go"] },
  "missed-once": { status: { ...WAITING, ahead: 0, missed: true, eta_min_s: 2, eta_max_s: 8 }, says: ["note.missed"] },
  paused: {
    status: { ...WAITING, mode: "paused", message: "<b>Doors</b> at 18:00" },
    says: ["note.paused"],
    hides: ["eta"],
    text: ["<b>Doors</b> at 18:00"],
  },
  "paused-own": {
    status: { ...WAITING, mode: "paused" },
    says: ["waiting.head", "note.paused"],
    hides: ["waiting.text", "eta"],
    text: ["We go on at three."],
    page: { text_paused: "We go on at three." },
  },
  seats: { status: { ...WAITING, seats_to: 18_200 }, says: ["waiting.head"], live: ["seats"], hides: ["note.short"], shows: [18_200] },
  "seats-beyond": { status: { ...WAITING, seats_to: 1_200 }, says: ["note.short"], live: ["seats"], shows: [1_200] },
  "seats-none": { status: { ...WAITING, seats_to: 0 }, says: ["note.short"] },
  "closed-in-line": { status: { ...WAITING, mode: "closed" }, says: ["note.closed"], hides: ["eta", "note.paused"] },
  closed: { status: { ...NONE, mode: "closed" }, says: ["closed.head"], hides: ["keep"] },
  "closed-until": { status: { ...NONE, mode: "closed" }, opensInS: 93_600, says: ["closed.head"], hides: ["keep", "hall.head"] },
  "sold-out": { status: { state: "over", number: 1234, reason: "sold_out" }, says: ["sold_out.head", "look"], hides: ["again"] },
  lost: { status: WAITING, link: "lost", says: ["waiting.head"], live: ["lost"], shows: [1234, 56] },
  "line-unreachable": { status: WAITING, link: "busy", says: ["waiting.head"], live: ["unreached"], shows: [1234] },
  unreachable: { status: NONE, template: { state: "unreachable", status: "" }, link: "lost", says: ["unreachable.head", "retry"] },
  "unreachable-number": {
    status: { ...NONE, number: 1234, edition: 1 },
    template: { state: "unreachable" },
    link: "lost",
    says: ["unreachable.head", "retry"],
    shows: [1234],
  },
  "cookies-off": { status: NONE, link: "cookies", says: ["cookies.head", "retry"], plain: ["arriving.noscript"] },
  "not-submitted": { status: WAITING, template: { notice: "not_submitted" }, says: ["note.unsent"] },
  left: over("left"),
  "missed-twice": over("missed"),
  away: over("away"),
  released: over("released"),
  expired: over("expired"),
  reset: over("reset"),
  carried: over("carried"),
  over: over("", "other"),
  "refused-missing": refused("missing"),
  "refused-early": { ...refused("early"), opensInS: 4_325 },
  "refused-late": refused("late"),
  "refused-audience": refused("audience"),
  "refused-used": refused("used"),
  "refused-unknown": refused("unknown"),
  "refused-other": refused("", "bad"),
  elsewhere: {
    status: NONE,
    template: { state: "elsewhere" },
    says: ["elsewhere.head", "elsewhere.text", "elsewhere.take"],
    hides: ["keep", "retry"],
  },
  full: {
    status: NONE,
    template: { state: "full", refresh_s: "30" },
    says: ["full.head", "full.text", "retry"],
    hides: ["keep"],
  },
  branded: {
    status: WAITING,
    says: ["waiting.head", "help"],
    hides: ["waiting.text"],
    text: ["Spring Tour & Friends", "Tickets are limited to four per person.", "Doors open at six."],
    page: {
      style: sheetOf({
        light: { accent: "#c2410c", ground: "#fff7ed", ink: "#431407" },
        dark: { accent: "#fb923c", ground: "#1c1210", ink: "#ffedd5" },
      }),
      text_waiting: "Doors open at six.",
      title: "Spring Tour & Friends",
      help_url: "/help",
      page_message: "Tickets are limited to four per person.",
      logo: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='42' height='24' viewBox='0 0 42 24'%3E%3Cpath d='M2 20 12 4l8 12L30 4l10 16' fill='none' stroke='%23c2410c' stroke-width='4' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E",
    },
  },
};
