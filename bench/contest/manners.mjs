// How a page behaves before each contender: how it waits, lands and leaves. `open(person, hear)` resolves to `{ ended, close }` and calls `hear` with
// `waiting` and `called`. `asked` counts the HTTP requests.

import { setTimeout as sleep } from "node:timers/promises";
import { cookiesSet, Line, openSocket, requestText } from "../lib/line.mjs";

const PING_EVERY_MS = 25_000;
export const POLL_EVERY_MS = 5_000;
const ANSWER_MS_MAX = 10_000;

/** Kept connections that people share, as many as requests are under way. */
class Lines {
  #free = [];
  asked = 0;

  constructor(port) {
    this.port = port;
  }

  async send(text) {
    this.asked += 1;
    const line = this.#free.pop() ?? (await Line.open(this.port));
    const late = sleep(ANSWER_MS_MAX, undefined, { ref: false }).then(() => {
      throw new Error("no answer");
    });
    const answer = await Promise.race([line.send(text), late]);
    this.#free.push(line);
    return answer;
  }
}

/** Opens a socket on which the page pings as Baton's does, from a random moment on. */
async function socketOf(port, path, headers, onText) {
  const socket = await openSocket(port, path, {
    headers,
    onMessage: (message) => typeof message === "string" && message !== "pong" && onText(JSON.parse(message)),
  });
  let timer = setTimeout(() => {
    socket.ping();
    timer = setInterval(() => socket.ping(), PING_EVERY_MS);
  }, Math.random() * PING_EVERY_MS);
  void socket.ended.then(() => clearTimeout(timer));
  return socket;
}

/** A page before a peer that tells by a socket. */
export class Socketed {
  #lines;
  #came = 0;

  constructor({ port, room }) {
    this.#lines = new Lines(port);
    this.port = port;
    this.room = room;
  }

  get asked() {
    return this.#lines.asked;
  }

  async newcomers(count) {
    return Array.from({ length: count }, () => ({ id: `${this.room}-${++this.#came}` }));
  }

  open({ id }, hear) {
    return socketOf(this.port, `/socket?id=${id}`, {}, ({ state }) => hear(state));
  }

  async land() {}

  async ask(method, path, { id }) {
    const { status, body } = await this.#lines.send(requestText(method, `${path}?id=${id}`, { host: `127.0.0.1:${this.port}` }));
    if (status !== 200) throw new Error(`${path} was answered ${status} ${body}`);
    return JSON.parse(body);
  }

  leave(person) {
    return this.ask("POST", "/leave", person);
  }
}

/** A page before a peer that is asked every five seconds. */
export class Polling extends Socketed {
  async open(person, hear) {
    hear((await this.ask("POST", "/join", person)).state);
    let end;
    const ended = new Promise((resolve) => {
      end = resolve;
    });
    const timer = setInterval(() => this.ask("GET", "/status", person).then(({ state }) => hear(state), end), POLL_EVERY_MS);
    void ended.then(() => clearInterval(timer));
    return { ended, close: end };
  }
}

/** Baton's own page. */
export class Batons {
  #lines;

  constructor({ port, room }) {
    this.#lines = new Lines(port);
    this.port = port;
    this.room = room;
  }

  get asked() {
    return this.#lines.asked;
  }

  /** Gets the waiting page for each, which brings the visitor's cookie. */
  async newcomers(count) {
    const people = [];
    for (let i = 0; i < count; i++) {
      const person = { jar: new Map() };
      keep(person, (await this.#lines.send(requestText("GET", `/${this.room}/`, { host: `127.0.0.1:${this.port}`, accept: "text/html" }))).head);
      people.push(person);
    }
    return people;
  }

  #headers({ jar }) {
    const host = `127.0.0.1:${this.port}`;
    return { host, origin: `http://${host}`, accept: "application/json", cookie: [...jar.values()].join("; ") };
  }

  async open(person, hear) {
    const path = `/__baton/${this.room}/socket${person.hasTicket ? "?resume=1" : ""}`;
    const socket = await socketOf(this.port, path, this.#headers(person), ({ state }) => hear(state === "admitted" ? "called" : state));
    keep(person, socket.head);
    person.hasTicket = true;
    return socket;
  }

  async #call(what, person) {
    const { status, head, body } = await this.#lines.send(requestText("POST", `/__baton/${this.room}/${what}`, this.#headers(person)));
    if (status !== 200 && status !== 204) throw new Error(`${what} was answered ${status} ${body}`);
    keep(person, head);
  }

  land(person) {
    return this.#call("claim", person);
  }
  leave(person) {
    return this.#call("leave", person);
  }
}

function keep(person, head) {
  for (const pair of cookiesSet(head)) person.jar.set(pair.slice(0, pair.indexOf("=")), pair);
}
