/*
 * What the page knows of its place. It takes statuses and frames in any order and keeps one truthful picture, in which
 * `ahead` never rises. It touches no document. Its memory survives a reload where the browser allows it.
 */

import { MODES, bound, estimate } from "./frame.js";
import { stands } from "./shown.js";
import { follow } from "./wait.js";

const STATES = ["none", "hall", "waiting", "called", "admitted", "over"];
const REASONS = ["left", "missed", "away", "released", "expired", "reset", "sold_out", "carried"];
const DRAWS = ["shuffle", "arrival"];
/** This many at the head of the line never spread their return. */
const HEAD = 100;

const count = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : null);
const oneOf = (known, value, otherwise = "") => (known.includes(value) ? value : otherwise);

/** Returns the lane that a status names, with the number within that lane. Returns null if the room has no lanes. */
const laneOf = (lane) => (typeof lane?.title === "string" ? { title: lane.title, number: count(lane.number) || null } : null);

/** Reads and writes one small object for this room. If the browser refuses storage, only a reload loses the object. */
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

/** `language` is the page's own: it shows the operator's message in that language, if there is one. */
export function createLine(room, memory, language = "") {
  const line = {
    state: "arriving",
    mode: "open",
    reason: "",
    missed: false,
    renumbered: false,
    message: "",
    number: null,
    ahead: null,
    joinedBehind: null,
    eta: null,
    why: "",
    opensAtMs: null,
    claimByAtMs: null,
    seatsTo: null,
    draw: "",
    entry: null,
    lane: null,
    behind: false,
  };
  let version = -1,
    before = null,
    wait = null,
    spread = null;
  // Together they name the ticket: a new edition gives the same numbers to others, and `line.number` counts from 1 in each lane.
  let edition = null,
    ticket = null;

  /** Takes the `number` that names the ticket in its edition. People are shown the number within their lane. */
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

  /** Remembers the entry, which a status tells in the hall, and the number that the draw made of it. */
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

    /** Returns over how long to spread a return that all pages make together. The head of the line comes first. */
    spreadMs: () => (line.state === "waiting" && line.ahead >= HEAD ? spread * 1_000 : 0),

    /** Takes in `status`, which came at `nowMs`. Returns true if this page may show it. */
    takeStatus(status, nowMs = Date.now()) {
      if (!STATES.includes(status?.state) || (status.room && status.room !== room)) return false;
      line.state = status.state === "none" ? "arriving" : status.state;
      line.mode = oneOf(MODES, status.mode, "open");
      line.reason = oneOf(REASONS, status.reason);
      line.missed = status.missed === true;
      line.lane = laneOf(status.lane);
      line.behind = status.behind === true;
      const message = status.messages?.[language] ?? status.message;
      line.message = typeof message === "string" ? message : "";
      line.opensAtMs = count(status.opens_at_ms);
      line.claimByAtMs = count(status.claim_by_at_ms);
      line.seatsTo = count(status.seats_to);
      spread = count(status.spread_s);
      line.draw = oneOf(DRAWS, status.draw);
      enter(count(status.entry), count(status.number), count(status.edition));
      renumber(count(status.number) || null, count(status.edition));
      // A frame that is older than this status may not know of this number yet, and would promise too much.
      version = Math.max(version, count(status.version) ?? -1);
      if (line.state === "waiting" && line.number) moveUp(count(status.ahead));
      const low = count(status.eta_min_s),
        high = count(status.eta_max_s);
      measure(high && low !== null && low <= high ? [low, high] : null, nowMs);
      return true;
    },

    /** Takes in the frame, which came at `nowMs`. Returns true if it was news. */
    takeFrame(frame, nowMs = Date.now()) {
      if (!frame || frame.version < version) return false;
      version = frame.version;
      Object.assign(line, { mode: frame.mode, behind: frame.behind === true });
      spread = frame.spreadS;
      if (line.state !== "waiting" || !line.number) return true;
      line.seatsTo = frame.seatsTo;
      moveUp(bound(frame, line.number));
      measure(estimate(frame, line.ahead), nowMs);
      return true;
    },

    /** Forgets the number because the visitor asks for a new one. The next number is then no surprise. */
    forget() {
      line.lane = null;
      renumber(null);
      before = null;
      line.renumbered = false;
      line.state = "arriving";
    },
  };
}
