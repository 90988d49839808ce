/*
 * What the page knows of its place. Takes statuses and frames in whatever order they come and keeps one truthful
 * picture, in which `ahead` never rises. No document here; memory outlives a reload where the browser allows it.
 */

import { MODES, bound, estimate } from "./frame.js";
import { stands } from "./shown.js";
import { follow } from "./wait.js";

const STATES = ["none", "hall", "waiting", "called", "admitted", "over"];
const REASONS = ["left", "missed", "away", "released", "expired", "reset", "sold_out", "carried"];
const DRAWS = ["shuffle", "arrival"];
/** So many at the head of the line never spread their return. */
const HEAD = 100;

const count = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : null);
const oneOf = (known, value, otherwise = "") => (known.includes(value) ? value : otherwise);

/** The lane that a status names; its `number` counts within it. Null: the room has no lanes. */
const laneOf = (lane) => (typeof lane?.title === "string" ? { title: lane.title, number: count(lane.number) || null } : null);

/** Reads and writes one small object for this room. A browser that refuses storage only loses it on reload. */
export function createMemory(room, storage) {
  const key = `baton:${room}`;
  let kept = {};
  try {
    kept = JSON.parse(storage().getItem(key)) ?? {};
  } catch {}
  return {
    get: () => kept,
    set(change) {
      kept = { ...kept, ...change };
      try {
        storage().setItem(key, JSON.stringify(kept));
      } catch {}
    },
  };
}

export function createLine(room, memory) {
  const line = {
    state: "arriving", mode: "open", reason: "", missed: false, renumbered: false, message: "",
    number: null, ahead: null, joinedBehind: null, eta: null, why: "", opensAtMs: null, claimByAtMs: null, seatsTo: null,
    draw: "", entry: null, lane: null, behind: false,
  };
  let version = -1, before = null, wait = null, spread = null;
  // Which ticket it is: a room that was begun anew gives the same numbers to others, and each lane counts from 1.
  let edition = null, ticket = null;

  /** `number` names the ticket in its edition; what people are shown is the number within their lane. */
  function renumber(number, of = null) {
    line.number = line.lane?.number ?? number;
    if (number === ticket && of === edition) return;
    [edition, ticket] = [of, number];
    Object.assign(line, { ahead: null, joinedBehind: null, eta: null, why: "" });
    version = -1;
    wait = null;
    if (number === null) return;
    const place = `${of}/${number}`;
    line.renumbered = before !== null && before !== place;
    before = place;
    const kept = memory.get();
    if (kept.number !== number || kept.edition !== of) return;
    Object.assign(line, { ahead: count(kept.ahead), joinedBehind: count(kept.joinedBehind) });
    wait = kept.wait?.range ? kept.wait : null;
  }

  /** The entry is told in the hall, and remembered with the number that the draw made of it. */
  function enter(entry, number, of) {
    if (entry) memory.set({ entry, entered: of, drawn: null });
    const kept = memory.get();
    const drawable = number && kept.entry && kept.entered === of;
    if (drawable && !kept.drawn) memory.set({ drawn: number });
    line.entry = entry ?? (drawable && memory.get().drawn === number ? count(kept.entry) : null);
  }

  function measure(range, nowMs) {
    wait = follow(wait, range, nowMs, stands(line.mode));
    Object.assign(line, { eta: range && wait.range, why: wait.why });
    memory.set({ wait });
  }

  function moveUp(ahead) {
    if (ahead === null || (line.ahead !== null && ahead >= line.ahead)) return;
    line.ahead = ahead;
    line.joinedBehind ??= ahead;
    memory.set({ number: ticket, edition, ahead, joinedBehind: line.joinedBehind });
  }

  return {
    get: () => line,

    /** Over how long to spread a return that all pages make together. The head of the line comes first. */
    spreadMs: () => (line.state === "waiting" && line.ahead >= HEAD ? spread * 1_000 : 0),

    /** True if `status`, which came at `nowMs`, was one that this page may show. */
    takeStatus(status, nowMs = Date.now()) {
      if (!STATES.includes(status?.state) || (status.room && status.room !== room)) return false;
      line.state = status.state === "none" ? "arriving" : status.state;
      line.mode = oneOf(MODES, status.mode, "open");
      line.reason = oneOf(REASONS, status.reason);
      line.missed = status.missed === true;
      line.lane = laneOf(status.lane);
      line.behind = status.behind === true;
      line.message = typeof status.message === "string" ? status.message : "";
      line.opensAtMs = count(status.opens_at_ms);
      line.claimByAtMs = count(status.claim_by_at_ms);
      line.seatsTo = count(status.seats_to);
      spread = count(status.spread_s);
      line.draw = oneOf(DRAWS, status.draw);
      enter(count(status.entry), count(status.number), count(status.edition));
      renumber(count(status.number) || null, count(status.edition));
      // A frame that was made before this status may not know of this number yet, and would promise too much.
      version = Math.max(version, count(status.version) ?? -1);
      if (line.state === "waiting" && line.number) moveUp(count(status.ahead));
      const low = count(status.eta_min_s), high = count(status.eta_max_s);
      measure(high && low !== null && low <= high ? [low, high] : null, nowMs);
      return true;
    },

    /** True if the frame, which came at `nowMs`, was news. */
    takeFrame(frame, nowMs = Date.now()) {
      if (!frame || frame.version < version) return false;
      version = frame.version;
      Object.assign(line, { mode: frame.mode, behind: frame.behind === true });
      if (line.state !== "waiting" || !line.number) return true;
      line.seatsTo = frame.seatsTo;
      moveUp(bound(frame, line.number));
      measure(estimate(frame, line.ahead), nowMs);
      return true;
    },

    /** The visitor asks for a new number: the next one is no surprise. */
    forget() {
      line.lane = null;
      renumber(null);
      before = null;
      line.renumbered = false;
      line.state = "arriving";
    },
  };
}
