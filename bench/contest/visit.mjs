// One person before a contender: waits, loses the connection, comes back, goes in, leaves. Notes everything in the log that judge.mjs reads.

import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = [100, 600];
const INSIST_MS = 10_000;

export class Visit {
  #isOver = false;
  #connection;
  #pauseMs;
  #tell;
  #join;

  /** `told` resolves once the page hears of the call, `joined` with the first answer. */
  constructor({ manner, log, name, person }) {
    this.manner = manner;
    this.log = log;
    this.name = name;
    this.person = person;
    this.isHere = false;
    this.hasPlace = false;
    this.isCalled = false;
    this.told = new Promise((resolve) => {
      this.#tell = resolve;
    });
    this.joined = new Promise((resolve) => {
      this.#join = resolve;
    });
  }

  note(what) {
    this.log.push({ at: performance.now(), who: this.name, what });
  }

  /** Joins, and holds a connection until the person is called or the visit ends. */
  async wait() {
    this.note("asks");
    while (!this.#isOver) {
      try {
        this.#connection = await this.manner.open(this.person, (state) => this.#hear(state));
        if (this.#isOver) this.#connection.close();
        await this.#connection.ended;
      } catch {
        // The server is away; the page tries again.
      }
      if (this.#isOver) return;
      if (this.isHere) this.note("lost");
      this.isHere = false;
      await sleep(this.#pauseMs ?? RETRY_MS[0] + Math.random() * (RETRY_MS[1] - RETRY_MS[0]));
      this.#pauseMs = undefined;
    }
  }

  #hear(state) {
    if (this.#isOver) return;
    if (state === "called") {
      if (!this.hasPlace) this.note("has");
      this.note("told");
      this.isCalled = true;
      this.#join();
      this.end();
      this.#tell();
    } else if (state === "waiting" && !this.isHere) {
      this.note(this.hasPlace ? "back" : "has");
      [this.isHere, this.hasPlace] = [true, true];
      this.#join();
    }
  }

  /** Ends the connection as when a tunnel does; the page comes back after `ms`. */
  cut(ms) {
    this.#pauseMs = ms;
    this.#connection?.close();
  }

  /** The page is closed: nothing more is sent. */
  end() {
    this.#isOver = true;
    this.#connection?.close();
  }

  /** The measurement is over: from now on others may pass. */
  giveUp() {
    this.note("lost");
    this.end();
  }

  /** Goes in. Resolves to whether it worked. */
  async enter() {
    const isIn = await insist(() => this.manner.land(this.person));
    if (isIn) this.note("in");
    return isIn;
  }

  /** Gives permit or place back. */
  leave(what = "out") {
    this.note(what);
    this.end();
    return insist(() => this.manner.leave(this.person));
  }
}

/** Tries for ten seconds, since the server may be away. Resolves to whether it worked. */
async function insist(action) {
  for (const from = performance.now(); performance.now() - from < INSIST_MS; ) {
    try {
      await action();
      return true;
    } catch {
      await sleep(200);
    }
  }
  return false;
}
