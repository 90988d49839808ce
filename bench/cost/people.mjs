// Half of an event's visitors, in a process of their own: their sockets are half of the open files, and their CPU time must not burden the process
// that counts. Each visitor does what the page in a browser does, over real HTTP and a real socket:
//
//   page     GET the gated path, nothing known         the waiting page and the visitor's cookie
//   socket   opens it, which joins                      waits until it says `called`
//   landing  GET the same path again, which claims      forwarded; the socket closes with the page
//   inside   pages with the pass                        the origin answers the last with `Baton-Release: 1`
//
// The parent sends `{ port, room, visitors, together, per_s, pages, pause_ms }`: at most `together` visitors are there at once, and at most `per_s`
// come a second. At the end this process sends the parent its counts. Any wrong answer ends the run.

import { setTimeout as sleep } from "node:timers/promises";
import { cookiesSet, Line, openSocket, requestText } from "../lib/line.mjs";

/** Most kept connections for everything but sockets. When all are busy, a request waits here. */
const LINES_MAX = 64;
const PING_MS = 25_000;
const AGAIN_MS = 2_000;
const TRIES_MAX = 5;

class People {
  #plan;
  #free = [];
  #opened = 0;
  #wanted = [];
  /** What happened, by name, and how long the visitors waited in all. */
  tally = {
    pages: 0,
    sockets: 0,
    landings: 0,
    walk_ins: 0,
    inside: 0,
    pings: 0,
    again: 0,
    waited_s: 0,
    held_s: 0,
    messages: 0,
    frames: 0,
    frame_bytes: 0,
  };

  constructor(plan) {
    this.#plan = plan;
  }

  /** Runs all visitors, from the first to the last, and resolves to the tally. */
  async all() {
    const { visitors, together, per_s } = this.#plan;
    const startedAt = performance.now();
    let next = 0;
    const seat = async () => {
      while (next < visitors) {
        const due_ms = startedAt + (next++ / per_s) * 1_000 - performance.now();
        if (due_ms > 0) await sleep(due_ms);
        await this.#visit();
      }
    };
    await Promise.all(Array.from({ length: Math.min(together, visitors) }, seat));
    this.#free.forEach((line) => line.close());
    return this.tally;
  }

  async #visit() {
    const jar = new Map();
    const { head } = await this.#get(this.#page(), jar);
    this.tally.pages++;
    if (/baton-state: waiting/i.test(head)) await this.#wait(jar);
    else this.tally.walk_ins++;
    const heldFrom = performance.now();
    await this.#inside(jar);
    this.tally.held_s += (performance.now() - heldFrom) / 1_000;
  }

  /** Waits from the waiting page until the visitor has landed. */
  async #wait(jar) {
    const { port, room } = this.#plan;
    const from = performance.now();
    const mine = { told: undefined };
    const called = new Promise((resolve) => {
      mine.told = resolve;
    });
    const open = () =>
      openSocket(port, `/__baton/${room}/socket`, { headers: this.#headers(jar), onMessage: (message) => this.#hear(message, mine.told) });
    const socket = await this.#again(open, (error) => error && / 503/.test(error.message));
    this.tally.sockets++;
    keep(jar, socket.head);
    const pinging = setInterval(() => {
      this.tally.pings++;
      socket.ping();
    }, PING_MS);
    await called;
    await this.#again(
      () => this.#get(this.#page(), jar),
      (error, answer) => !error && /baton-state: waiting/i.test(answer.head),
    );
    clearInterval(pinging);
    socket.close();
    this.tally.landings++;
    this.tally.waited_s += (performance.now() - from) / 1_000;
  }

  /** Tries again while `busy(error, answer)`, as the page does when the room can't be reached for a moment. */
  async #again(act, busy) {
    for (let tries = 1; ; tries++) {
      const [error, answer] = await act().then(
        (answer) => [undefined, answer],
        (error) => [error],
      );
      if (!busy(error, answer) || tries === TRIES_MAX) {
        if (error) throw error;
        return answer;
      }
      this.tally.again++;
      await sleep(AGAIN_MS);
    }
  }

  #hear(message, told) {
    if (typeof message === "string") {
      this.tally.messages++;
      if (message.includes('"state":"called"')) told();
      if (message.includes('"state":"over"')) throw new Error(`a waiting visitor's ticket ended: ${message}`);
    } else {
      this.tally.frames++;
      this.tally.frame_bytes += message.length;
    }
  }

  /** Loads pages with the pass. The last one gives the permit back. */
  async #inside(jar) {
    const { room, pages, pause_ms } = this.#plan;
    for (let page = 1; page <= pages; page++) {
      if (pause_ms > 0) await sleep(pause_ms);
      const { head } = await this.#get(page === pages ? `/${room}/release` : `/${room}/page-${page}`, jar);
      this.tally.inside++;
      if (/baton-state: waiting/i.test(head)) throw new Error("a visitor with a pass was sent to wait");
    }
  }

  #page() {
    return `/${this.#plan.room}/page`;
  }

  #headers(jar) {
    const host = `127.0.0.1:${this.#plan.port}`;
    return { host, origin: `http://${host}`, ...(jar.size > 0 ? { cookie: [...jar.values()].join("; ") } : {}) };
  }

  /** Sends a navigation. */
  async #get(path, jar) {
    const text = requestText("GET", path, { ...this.#headers(jar), accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" });
    const line = await this.#line();
    const answer = await line.send(text).finally(() => this.#giveBack(line));
    if (answer.status !== 200) throw new Error(`GET ${path}: answered ${answer.status} ${answer.body.slice(0, 200)}`);
    keep(jar, answer.head);
    return answer;
  }

  async #line() {
    const { port } = this.#plan;
    if (this.#free.length > 0) return this.#free.pop();
    if (this.#opened < LINES_MAX) {
      this.#opened++;
      return Line.open(port);
    }
    return new Promise((resolve) => {
      this.#wanted.push(resolve);
    });
  }

  #giveBack(line) {
    const next = this.#wanted.shift();
    if (next) next(line);
    else this.#free.push(line);
  }
}

function keep(jar, head) {
  for (const pair of cookiesSet(head)) jar.set(pair.slice(0, pair.indexOf("=")), pair);
}

process.on("message", async (plan) => {
  const people = new People(plan);
  const telling = setInterval(() => process.send({ so_far: people.tally }), 1_000);
  try {
    process.send({ done: await people.all() });
  } catch (error) {
    process.send({ failed: error.stack });
  }
  clearInterval(telling);
});
process.on("disconnect", () => process.exit());
