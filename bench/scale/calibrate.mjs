// Measures how long this machine takes for each piece of work, with a few people in rooms of their own, before any crowd comes. The result is a
// machine for the model, as in `machines.mjs`.
//
// All objects share the process's one thread, so the thread's time is measured: each step does one thing more than the one before, and the difference
// is that thing. People who come one after the other show the rest: their time less the thread's is the way to the process and back, the opening of a
// connection, and the disk. The processes that play the crowd hear one message after the other, and the time of each message there is measured too.

import { setTimeout as later } from "node:timers/promises";
import { cookiesSet, Line, openSocket, requestText } from "../lib/line.mjs";
import { quantile } from "../../scripts/figures.mjs";
import { BUNDLED, MACHINES } from "./machines.mjs";
import { countsOf, gauged } from "./gauge.mjs";

const HOUR_S = 3_600;
/** Requests at once, so that the thread is as busy as with a crowd: a lone request also pays for waking it. */
const TOGETHER = 16;
const PAGES = 480;
const ASKS = 480;
/** People who go in, each for one who leaves. */
const CYCLES = 240;
/** People who come one after the other. */
const ALONE = 48;
/** Places, and the sockets of each: as many as one place may have. */
const PLACES = 240;
const TABS = 6;
const FRAMES = 4;
/** The time between two questions whether the lobbies have noticed the closed sockets. */
const CLOSES_MS = 50;
const STAYS = {
  permits: TOGETHER,
  lease_idle_s: HOUR_S,
  lease_max_s: 2 * HOUR_S,
  claim_within_s: HOUR_S,
  pass_ttl_s: HOUR_S,
  walk_in: false,
  journal_keep_days: 1,
  tick_ms: 10_000,
};

/** The rooms of the calibration. Their pictures are rare, except in the room that measures pictures. */
export const CALIBRATION_ROOMS = {
  few: { ...STAYS, crowd: 10_000 },
  watched: { ...STAYS, permits: 0, crowd: 10_000, tick_ms: 1_000 },
  many: { ...STAYS, crowd: 170_000 },
};

/** Calibrates; with `hasPorters` it measures porters too. Resolves to a machine. */
export async function calibrate(baton, { hasPorters }) {
  const few = new Few(baton);
  await few.cycles("few", CYCLES); // warms up
  const pages = await gauged(baton, () => few.some("watched", PAGES));
  const page = pages.ms / PAGES;
  const { opened, frames: send, hear } = await few.watch(pages.result.slice(0, PLACES));
  const asks = await gauged(baton, () => few.asks(pages.result.slice(0, PLACES), ASKS));
  const ask = asks.ms / ASKS;
  // Opening a socket costs `first`, and `each` more for every socket that the lobby has already.
  const { first: open, each: socket_each } = straightLine(opened);
  const { ms: closing, result: closed } = await gauged(baton, () => few.leave());
  const lobby_close = closing / closed;
  const cycles = await few.usualCycles("few", CYCLES);
  const rest = ({ ms }) => Math.max(0, ms - CYCLES * (open + 2 * ask + 2 * send + lobby_close));
  const batch = rest(cycles) / cycles.counts.by["room /room"];
  if (batch === 0)
    throw new Error(
      "This machine is too busy to be measured: of what people cost, nothing is left for the room's batches. Cure: stop what else runs, and begin again",
    );
  // Passing a request on to a lobby costs the front as much as a page, but at most half of the whole.
  const front_ask = Math.min(page, open / 2, ask / 2);
  const machine = {
    shared: true,
    page,
    front_ask,
    lobby_socket: open - front_ask,
    socket_each,
    lobby_ask: ask - front_ask,
    lobby_close,
    send,
    command: 0,
    lobby_message: batch / 2,
    room_turn: batch / 2,
    bundled: (batch / 2) * BUNDLED,
    porter_message: 0,
    list_page: MACHINES.measured.list_page,
    hear,
  };
  if (hasPorters) {
    await few.cycles("many", CYCLES); // wakes every lobby
    const {
      counts: { by },
      ...step
    } = await few.usualCycles("many", CYCLES);
    const [batches, bundles, pushes] = ["porter /batch", "room /room", "lobby /push"].map((what) => by[what] ?? 0);
    const { lobby_message, room_turn, bundled } = machine;
    machine.porter_message = Math.max(
      0,
      (rest(step) - (batches + pushes) * lobby_message - batches * bundled - bundles * (room_turn - bundled)) / (batches + bundles),
    );
  }
  const alone = await few.alone("few", ALONE);
  await few.leave();
  return { ...machine, ...waitsOf(alone, machine) };
}

/** Returns what a lone request, the opening of a lone socket and a lone baton wait for besides the thread, in ms. */
function waitsOf(alone, { front_ask, lobby_socket, lobby_ask, lobby_message, send, room_turn }) {
  const rest = (ms, ...works) =>
    Math.max(
      0,
      works.reduce((left, work) => left - work, ms),
    );
  const way = rest(alone.ask, front_ask, lobby_ask);
  const socket_way = rest(alone.socket, front_ask, lobby_socket, send);
  const write = rest(alone.baton, way, front_ask, lobby_ask, send, room_turn, lobby_message);
  return { way, socket_way, write };
}

/** Fits `y = first + each · x` to `[[x, y], …]` by least squares. */
function straightLine(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point[0]), mean((point) => point[1])];
  const each = Math.max(0, mean((point) => (point[0] - x) * (point[1] - y)) / mean((point) => (point[0] - x) ** 2));
  return { first: Math.max(0, y - each * x), each };
}

/** Calls `act` for each item, `together` at once. */
async function atOnce(items, act, together = TOGETHER) {
  const left = [...items];
  await Promise.all(
    Array.from({ length: together }, async () => {
      while (left.length > 0) await act(left.shift());
    }),
  );
}

/**
 * Somebody: the room, the cookies, the address. `told` hears of the first status, `called` of the call, for which `isCalled` waits.
 * @typedef {{ room: string, jar: Map<string, string>, address: string, isKnown?: boolean, told?: () => void, called?: (_?: unknown) => void,
 *   isCalled?: Promise<unknown>, socket?: { head: string, isClosed?: boolean, close(): void } }} Person
 */

/** A few people. */
class Few {
  #baton;
  #lines = [];
  #sockets = [];
  #frames;
  #named = 0;

  constructor(baton) {
    this.#baton = baton;
  }

  async #send(person, method, path, headers) {
    const line = this.#lines.pop() ?? (await Line.open(this.#baton.port));
    const answer = await line.send(requestText(method, path, { ...this.#headers(person), ...headers }));
    this.#lines.push(line);
    if (answer.status > 299) throw new Error(`${method} ${path}: answered ${answer.status} ${answer.body.slice(0, 200)}`);
    keep(person, answer.head);
  }

  #headers({ jar, address }) {
    const host = `127.0.0.1:${this.#baton.port}`;
    return { host, origin: `http://${host}`, "cf-connecting-ip": address, ...(jar.size > 0 ? { cookie: [...jar.values()].join("; ") } : {}) };
  }

  #does(person, what) {
    return this.#send(person, what === "status" ? "GET" : "POST", `/__baton/${person.room}/${what}`, { accept: "application/json" });
  }

  /**
   * Makes `count` people and loads the waiting page for each.
   * @returns {Promise<Person[]>}
   */
  async some(room, count) {
    const people = Array.from({ length: count }, () => ({ room, jar: new Map(), address: `2001:db8:${(this.#named++).toString(16)}::1` }));
    await atOnce(people, (person) =>
      this.#send(person, "GET", `/${room}/page`, { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }),
    );
    return people;
  }

  /** Sends asks that a lobby answers by itself. */
  asks(people, count) {
    return atOnce(
      Array.from({ length: count }, (_, index) => people[index % people.length]),
      (person) => this.#does(person, "status"),
    );
  }

  /** Opens a socket. Resolves when it has heard its status. A call is reported to `person.called()`. */
  async open(person) {
    const told = new Promise((resolve) => {
      person.told = resolve;
    });
    const onMessage = (message) => {
      if (typeof message !== "string" && this.#frames && --this.#frames.left === 0) this.#frames.resolve();
      if (typeof message !== "string" || !message.includes('"number"')) return;
      person.told();
      if (message.includes('"state":"called"')) person.called?.();
    };
    person.socket = await openSocket(this.#baton.port, `/__baton/${person.room}/socket${person.isKnown ? "?resume=1" : ""}`, {
      headers: this.#headers(person),
      onMessage,
    });
    person.isKnown = true;
    this.#sockets.push(person.socket);
    keep(person, person.socket.head);
    await told;
  }

  /**
   * Opens more and more sockets in one lobby, `opened`: `[[there already, ms each], …]`, and measures a frame to all of them, in ms for each socket.
   */
  async watch(people) {
    await atOnce(people, (person) => this.open(person));
    const opened = [];
    for (let tab = 1; tab < TABS; tab++) {
      const { ms } = await gauged(this.#baton, () => atOnce(people, (person) => this.open(person)));
      opened.push([(tab + 0.5) * people.length, ms / people.length]);
    }
    const movers = await this.some("watched", FRAMES);
    const heardFrom = process.cpuUsage();
    // The line moves once a second, and each time all sockets that were there before get a frame.
    const { ms, counts } = await gauged(this.#baton, async () => {
      for (const [moved, mover] of movers.entries()) {
        const framed = this.#framed(people.length * TABS + moved);
        await this.open(mover);
        await framed;
      }
    });
    const { user, system } = process.cpuUsage(heardFrom);
    return { opened, frames: Math.max(0, ms - FRAMES * opened.at(-1)[1]) / counts.sent.frames, hear: (user + system) / 1_000 / counts.sent.frames };
  }

  /** Resolves when `count` more frames have been heard. */
  #framed(count) {
    return new Promise((resolve) => {
      this.#frames = { left: count, resolve };
    });
  }

  /** `count` people come, stand in line, are called when somebody leaves, and land. Their pages are not measured. */
  async cycles(room, count) {
    const insiders = [];
    const wanted = [];
    const landings = [];
    const lands = async (person) => {
      await this.#does(person, "claim");
      person.socket.isClosed = true;
      person.socket.close();
      const next = wanted.shift();
      if (next) next(person);
      else insiders.push(person);
    };
    const comes = async (person) => {
      const called = new Promise((resolve) => {
        person.called = resolve;
      });
      landings.push(called.then(() => lands(person)));
      await this.open(person);
    };
    const holder = async () =>
      insiders.shift() ??
      (await new Promise((resolve) => {
        wanted.push(resolve);
      }));
    const first = await this.some(room, TOGETHER);
    await Promise.all(first.map(comes));
    await Promise.all(landings);
    const people = await this.some(room, count);
    const step = await gauged(this.#baton, async () => {
      await atOnce(people, async (person) => {
        await comes(person);
        await this.#does(await holder(), "leave");
      });
      await Promise.all(landings);
    });
    // Everybody leaves, so that the room is as it was.
    await Promise.all(insiders.splice(0).map((person) => this.#does(person, "leave")));
    return step;
  }

  /** Runs the cycles three times. Resolves to the step with the middle time. */
  async usualCycles(room, count) {
    const steps = [];
    while (steps.length < 3) steps.push(await this.cycles(room, count));
    return steps.sort((a, b) => a.ms - b.ms)[1];
  }

  /** `count` people come and are called one after the other. Resolves to the medians in ms of an ask, another socket and a baton. */
  async alone(room, count) {
    const took = { ask: [], socket: [], baton: [] };
    const timed = async (what, act) => {
      const from = performance.now();
      const result = await act();
      took[what].push(performance.now() - from);
      return result;
    };
    const insiders = [];
    const lands = async (person) => {
      await this.#does(person, "claim");
      person.socket.isClosed = true;
      person.socket.close();
      insiders.push(person);
    };
    const comes = async () => {
      const [person] = await this.some(room, 1);
      person.isCalled = new Promise((resolve) => {
        person.called = resolve;
      });
      await this.open(person);
      const { socket } = person;
      // Another socket of a visitor who has a number already waits for nobody else.
      await timed("socket", () => this.open(person));
      socket.close();
      socket.isClosed = true;
      await timed("ask", () => this.#does(person, "status"));
      return person;
    };
    for (let permit = 0; permit < STAYS.permits; permit++) {
      const person = await comes();
      await person.isCalled;
      await lands(person);
    }
    for (let at = 0; at < count; at++) {
      const person = await comes();
      const holder = insiders.shift();
      let left;
      await timed("baton", () => {
        left = this.#does(holder, "leave");
        return person.isCalled;
      });
      await left;
      await lands(person);
    }
    await Promise.all(insiders.map((person) => this.#does(person, "leave")));
    return Object.fromEntries(
      Object.entries(took).map(([what, times]) => [
        what,
        quantile(
          times.sort((a, b) => a - b),
          0.5,
        ),
      ]),
    );
  }

  /** Closes every socket. Resolves to their number when the lobbies have noticed. */
  async leave() {
    const closes = async () => (await countsOf(this.#baton)).by["lobby close"] ?? 0;
    const before = await closes();
    const open = this.#sockets.splice(0).filter((socket) => !socket.isClosed);
    for (const socket of open) socket.close();
    // Asks rarely, since the asking is measured too.
    while ((await closes()) < before + open.length) await later(CLOSES_MS);
    for (const line of this.#lines.splice(0)) line.close();
    return open.length;
  }
}

function keep({ jar }, head) {
  for (const pair of cookiesSet(head)) jar.set(pair.slice(0, pair.indexOf("=")), pair);
}
