// A share of a real crowd, in a process of its own, which holds the open files of its sockets. Each person does what the page in a browser does, over
// real HTTP and a real socket, and has an address of their own, which decides the lobby:
//
//   page     GET the gated path, nothing known       the waiting page and the visitor's cookie
//   socket   opens it, which joins                    the first status says the number
//   called   comes a moment later and claims          is inside, and the socket is closed
//   release  somebody inside gives the permit back    so many a second
//
// When its sockets are lost, the crowd comes back as told, spread over some time. Any wrong answer ends the run; a lobby that is full for a moment
// (503) is asked again, and counted.
//
// The parent calls `arrive`, `release`, `lose` and `comeBack`; each is answered when it is done.

import { setTimeout as sleep } from "node:timers/promises";
import { between, diceOf } from "../../scripts/dice.mjs";
import { cookiesSet, Line, openSocket, requestText } from "../lib/line.mjs";
import { LANDING } from "./events.mjs";

const AGAIN_MS = 1_000;
/** The time by the clock that all processes share. */
const now = () => performance.timeOrigin + performance.now();

class People {
  #plan;
  #random;
  #lines = { free: [], opened: 0, wanted: [] };
  #seats = [];
  #inside = [];
  #all = [];
  #isLost = false;
  /** When each release was sent, and who heard a call when; the parent pairs them. */
  #batons = { releases: [], calls: [] };
  #again = 0;

  /** `{ port, room, part, seed, lines }`. `lines`: the most kept connections for everything but sockets; when all are busy, a request waits here. */
  constructor(plan) {
    this.#plan = plan;
    this.#random = diceOf(plan.seed);
  }

  /** Lets `count` people come within `arrive_s`. Resolves, when each has a number, to how long each took. */
  async arrive({ count, arrive_s }) {
    const from = now();
    const one = async () => {
      const person = { jar: new Map(), address: addressOf(this.#plan.part, this.#all.length), socket: undefined, number: undefined, isCalled: false };
      this.#all.push(person);
      await sleep(this.#random() * arrive_s * 1_000);
      const came = now();
      await this.#get(person);
      const numbered = await this.#open(person, "");
      return { took_ms: numbered - came, after_ms: numbered - from };
    };
    return Promise.all(Array.from({ length: count }, one));
  }

  /** Gives back `flow` permits a second for `seconds`. Resolves to their number when all are given back. */
  async release({ flow, seconds }) {
    const until = now() + seconds * 1_000;
    let next = now();
    const sent = [];
    for (;;) {
      next += (-Math.log(1 - this.#random()) * 1_000) / flow;
      if (next >= until) break;
      await sleep(Math.max(0, next - now()));
      sent.push(this.#leave());
    }
    await Promise.all(sent);
    return sent.length;
  }

  async #leave() {
    const person =
      this.#inside.shift() ??
      (await new Promise((resolve) => {
        this.#seats.push(resolve);
      }));
    this.#batons.releases.push(now());
    await this.#post(person, "leave");
  }

  /** From now on a socket may end without an error. Returns how many are open. */
  lose() {
    this.#isLost = true;
    for (const line of this.#lines.free.splice(0)) line.close();
    this.#lines.opened = 0;
    return this.#all.filter(({ socket }) => socket).length;
  }

  /** Opens a new socket for everybody who lost one, within `spread_s`. Resolves to when each was told where it stands. */
  async comeBack({ port, spread_s }) {
    this.#plan.port = port;
    this.#isLost = false;
    const from = now();
    return Promise.all(
      this.#all
        .filter(({ isLost, socket }) => isLost || socket)
        .map(async (person) => {
          Object.assign(person, { isLost: false, socket: undefined });
          await sleep(this.#random() * spread_s * 1_000);
          return (await this.#open(person, "?resume=1")) - from;
        }),
    );
  }

  /** Opens the person's socket. Resolves to when its first status was heard. */
  async #open(person, how) {
    const { port, room } = this.#plan;
    for (;;) {
      const told = new Promise((resolve) => {
        person.told = resolve;
      });
      try {
        const mine = await openSocket(port, `/__baton/${room}/socket${how}`, {
          headers: this.#headers(person),
          onMessage: (message) => this.#hear(person, message),
        });
        person.socket = mine;
        keep(person, mine.head);
        mine.ended.then(() => this.#ended(person, mine));
        return await told;
      } catch (error) {
        if (!/ 503/.test(error.message)) throw error;
        this.#again++;
        await sleep(AGAIN_MS * (1 + this.#random()));
      }
    }
  }

  #ended(person, socket) {
    if (person.socket !== socket) return;
    person.socket = undefined;
    if (!this.#isLost) throw new Error(`the socket of number ${person.number} was closed`);
    person.isLost = true;
  }

  #hear(person, message) {
    if (typeof message !== "string") return;
    const status = JSON.parse(message);
    if (status.number === undefined || status.number === null) return;
    if (person.number !== undefined && status.number !== person.number) throw new Error(`number ${person.number} became ${status.number}`);
    person.number = status.number;
    const at = now();
    // A call in the first message of a socket was made while nobody was there to hear it.
    const wasThere = person.told === undefined;
    person.told?.(at);
    person.told = undefined;
    if (status.state === "over") throw new Error(`the ticket of number ${person.number} ended: ${message}`);
    if (status.state !== "called" || person.isCalled) return;
    person.isCalled = true;
    this.#batons.calls.push({ number: person.number, at, wasThere });
    void this.#land(person);
  }

  async #land(person) {
    await sleep(between(this.#random, LANDING));
    await this.#post(person, "claim");
    const { socket } = person;
    person.socket = undefined;
    socket?.close();
    const waits = this.#seats.shift();
    if (waits) waits(person);
    else this.#inside.push(person);
    process.send({ landed: 1 });
  }

  /** Returns the releases and calls since the last time it was asked. */
  batons() {
    const found = { ...this.#batons, again: this.#again };
    this.#batons = { releases: [], calls: [] };
    this.#again = 0;
    return found;
  }

  #headers({ jar, address }) {
    const host = `127.0.0.1:${this.#plan.port}`;
    return { host, origin: `http://${host}`, "cf-connecting-ip": address, ...(jar.size > 0 ? { cookie: [...jar.values()].join("; ") } : {}) };
  }

  async #get(person) {
    const path = `/${this.#plan.room}/page`;
    const { head } = await this.#send(person, "GET", path, { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" });
    if (!/baton-state: waiting/i.test(head)) throw new Error(`${path}: not the waiting page, but ${head.slice(0, 200)}`);
  }

  #post(person, what) {
    return this.#send(person, "POST", `/__baton/${this.#plan.room}/${what}`, { accept: "application/json" });
  }

  async #send(person, method, path, headers) {
    for (;;) {
      const line = await this.#line();
      const answer = await line.send(requestText(method, path, { ...this.#headers(person), ...headers })).finally(() => this.#giveBack(line));
      if (answer.status < 300) {
        keep(person, answer.head);
        return answer;
      }
      if (answer.status !== 503) throw new Error(`${method} ${path}: answered ${answer.status} ${answer.body.slice(0, 200)}`);
      this.#again++;
      await sleep(AGAIN_MS);
    }
  }

  async #line() {
    const { free, wanted } = this.#lines;
    if (free.length > 0) return free.pop();
    if (this.#lines.opened >= this.#plan.lines)
      return new Promise((resolve) => {
        wanted.push(resolve);
      });
    this.#lines.opened++;
    return Line.open(this.#plan.port);
  }

  #giveBack(line) {
    const next = this.#lines.wanted.shift();
    if (next) next(line);
    else this.#lines.free.push(line);
  }
}

/**
 * Returns an address of the person's own; every second one is IPv4. Each IPv6 address is in a /48 of its own, since the people of a /48 share
 * one lobby.
 */
const addressOf = (part, index) =>
  index % 2 === 0 ? `2001:${(0xdb00 + part).toString(16)}:${index.toString(16)}::1` : `10.${part}.${index >> 8}.${index & 255}`;

function keep({ jar }, head) {
  for (const pair of cookiesSet(head)) jar.set(pair.slice(0, pair.indexOf("=")), pair);
}

let people;
process.on("message", async ({ call, of }) => {
  try {
    people ??= new People(of);
    process.send({ call, done: call === "begin" ? true : await people[call](of) });
  } catch (error) {
    process.send({ failed: error.stack });
  }
});
process.on("unhandledRejection", (/** @type {Error} */ error) => process.send({ failed: error.stack }));
process.on("uncaughtException", (error) => process.send({ failed: error.stack }));
process.on("disconnect", () => process.exit());
