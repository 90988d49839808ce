// One person of a sale on the real runtime: the page, its socket, the landing, the shop, as a browser does it over real HTTP. The
// planner drew what the person will do (`plan --print-people`).

import { setTimeout as sleep } from "node:timers/promises";
import { cookiesSet, Line, openSocket, requestText } from "../../bench/lib/line.mjs";
import { normal } from "../../scripts/dice.mjs";
import { ms, opensMs, workedMs } from "./sales.mjs";

const PING_MS = 25_000;
/** A page that hears neither a word nor an answer to its ping for so long opens its socket anew. */
const SILENCE_MS = 35_000;
const AGAIN_MS = 1_000;
const ANSWER_MS_MAX = 40_000;
const FILE_AFTER_MS = 500;
/** Loading takes about as long as the planner takes it for (log-normal, the logarithm's standard deviation). */
const PAGE_WIDTH = 0.7;

/** A request that hangs is an error that says which. */
async function inTime(path, answer) {
  const over = new AbortController();
  const late = sleep(ANSWER_MS_MAX, undefined, { signal: over.signal }).then(
    () => {
      throw new Error(`${path}: no answer within ${ANSWER_MS_MAX / 1_000} s`);
    },
    () => {},
  );
  return Promise.race([answer, late]).finally(() => over.abort());
}

export class Person {
  #plan;
  #sale;
  #port;
  #beganAt;
  #shop;
  #jar = new Map();
  #socket = null;
  #pinging;
  #news = () => {};
  #state = "none";
  #heardAt = 0;
  /** The path that is asked for just now; null: none. */
  #asking = null;
  #isAsleep = false;
  #missed = false;
  #saidHere = false;
  /** What happened: when it came and got in, ms from the beginning; how it ended. */
  cameMs = null;
  /** How long each answer took, ms. */
  answersMs = [];
  inMs = null;
  end = null;

  constructor(plan, { sale, port, beganAt, shop }) {
    this.#plan = plan;
    this.#sale = sale;
    this.#port = port;
    this.#beganAt = beganAt;
    this.#shop = shop;
  }

  #now() {
    return performance.now() - this.#beganAt;
  }

  async live() {
    await sleep(Math.max(0, this.#plan.comes_ms - this.#now()));
    this.cameMs = this.#now();
    try {
      this.end = await this.#visit();
    } catch (error) {
      this.end = `failed: ${error.message}`;
    }
    // A person who sleeps on has the page open until the sale is over.
    if (this.end !== "sleeps on") this.#close();
  }

  /** The sale is over. A person who has not ended is named by what was waited for, or was told last. */
  leave() {
    const where = this.#asking ? `asking ${this.#asking}` : this.inMs !== null ? "inside" : `told ${this.#state}`;
    this.end ??= `still there, ${where}`;
    this.#close();
  }

  async #visit() {
    if (!(await this.#isLetIn())) {
      await sleep(this.#pageMs());
      const ended = await this.#wait();
      if (ended) return ended;
    }
    this.inMs = this.#now();
    return this.#inside();
  }

  /** Until the landing was let in; otherwise how it ended. */
  async #wait() {
    await this.#open();
    const { leaves_ms: leavesMs, returns_ms: returnsMs, sleeps } = this.#plan;
    let closesAt = leavesMs === null ? Infinity : this.#now() + leavesMs;
    let mustSleep = sleeps;
    for (;;) {
      const seen = await this.#until(["called", "admitted", "over"], closesAt - this.#now());
      if (seen === "over") return "in vain";
      if (seen === undefined) {
        closesAt = Infinity;
        this.#close();
        if (returnsMs === null) return "gave up";
        if ((await this.#comesBack(returnsMs)) === "in") return null;
        continue;
      }
      if (mustSleep && seen === "called") {
        mustSleep = false;
        [this.#state, this.#isAsleep] = ["asleep", true];
        if (returnsMs === null) return "sleeps on";
        if ((await this.#comesBack(returnsMs)) === "in") return null;
        continue;
      }
      await sleep(this.#pageMs());
      if (await this.#isLetIn()) {
        this.#close();
        return null;
      }
    }
  }

  /** Looks again after a time: a page, and its socket if that did not lead in. */
  async #comesBack(afterMs) {
    await sleep(afterMs);
    this.#close();
    if (await this.#isLetIn()) return "in";
    await this.#open();
    return "waits";
  }

  async #inside() {
    const beganMs = this.#now();
    const { stay_ms: stayMs, walks_off: walksOff, seats } = this.#plan;
    const share = walksOff > 0 ? walksOff : 1;
    const lastsMs = workedMs(this.#sale, beganMs - opensMs(this.#sale), stayMs * share);
    const { pages } = this.#sale.event;
    const file = sleep(FILE_AFTER_MS).then(() => this.#get("/sale/file.css", "no-cors"));
    for (let page = 1; page <= pages; page++) {
      await sleep(Math.max(0, beganMs + (lastsMs * page) / pages - this.#now()));
      if (page < pages || walksOff > 0) await this.#get(`/sale/page-${page}`);
    }
    await file;
    if (walksOff > 0) return "walked off";
    const isPut = this.#shop.sell(seats);
    await this.#get("/sale/release");
    return isPut > 0 ? "bought" : "empty";
  }

  async #isLetIn() {
    for (;;) {
      const { status, head } = await this.#get("/sale/page");
      if (status === 200) return !/baton-state: waiting/i.test(head);
      await sleep(AGAIN_MS);
    }
  }

  async #open() {
    for (;;) {
      try {
        const socket = await openSocket(this.#port, "/__baton/sale/socket", {
          headers: this.#headers(),
          onMessage: (message) => this.#hear(message),
        });
        this.#keep(socket.head);
        this.#heardAt = this.#now();
        this.#socket = socket;
        this.#answersMiss();
        this.#pinging = setInterval(() => socket.ping(), PING_MS);
        return;
      } catch {
        await sleep(AGAIN_MS);
      }
    }
  }

  #close() {
    clearInterval(this.#pinging);
    this.#socket?.close();
    this.#socket = null;
    this.#state = "none";
    this.#isAsleep = this.#missed = this.#saidHere = false;
  }

  /** A call may pass by while its landing is under way. Then a word makes the visitor present again, as the page says it: once a socket. */
  #answersMiss() {
    if (!this.#missed || this.#isAsleep || this.#saidHere || this.#socket === null) return;
    this.#saidHere = true;
    this.#socket.say('{"here":true}');
  }

  #hear(message) {
    this.#heardAt = this.#now();
    if (typeof message !== "string") return;
    const state = /"state":"(\w+)"/.exec(message)?.[1];
    if (!state) return;
    const isTooLate = message.includes('"mode":"sold_out"') && !["called", "admitted"].includes(state);
    this.#state = isTooLate ? "over" : state;
    this.#missed = message.includes('"missed":true');
    this.#answersMiss();
    this.#news();
  }

  /** The first of these states that is told within `forMs`; undefined when none is. A socket that has gone silent is opened anew, as the page does. */
  async #until(states, forMs) {
    const endsAt = this.#now() + forMs;
    while (!states.includes(this.#state)) {
      const leftMs = endsAt - this.#now();
      if (leftMs <= 0) return undefined;
      await this.#heardSomething(Math.min(leftMs, SILENCE_MS));
      if (this.#now() - this.#heardAt > SILENCE_MS) {
        this.#close();
        await this.#open();
      }
    }
    return this.#state;
  }

  /** Until a state is told, or for so long. */
  #heardSomething(forMs) {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, forMs);
      this.#news = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }

  #pageMs() {
    return ms(this.#sale.event.page) * Math.exp(PAGE_WIDTH * normal(Math.random) - PAGE_WIDTH ** 2 / 2);
  }

  #headers() {
    const host = `127.0.0.1:${this.#port}`;
    return { host, origin: `http://${host}`, ...(this.#jar.size > 0 ? { cookie: [...this.#jar.values()].join("; ") } : {}) };
  }

  async #get(path, mode = "navigate") {
    const askedAt = performance.now();
    this.#asking = path;
    const line = await Line.open(this.#port);
    try {
      const answer = await inTime(
        path,
        line.send(
          requestText("GET", path, {
            ...this.#headers(),
            accept: "text/html",
            "sec-fetch-mode": mode,
            "sec-fetch-dest": mode === "navigate" ? "document" : "style",
          }),
        ),
      );
      this.#keep(answer.head);
      this.answersMs.push(performance.now() - askedAt);
      return answer;
    } finally {
      line.close();
      this.#asking = null;
    }
  }

  #keep(head) {
    for (const pair of cookiesSet(head)) {
      const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      // An empty one takes the cookie away, as after a place that is over: sent on, it would be a ticket that is not valid.
      if (value === "") this.#jar.delete(name);
      else this.#jar.set(name, pair);
    }
  }
}
