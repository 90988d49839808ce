// What the operator does on the scripted day, and what the desk would show meanwhile: one look a second. Everything goes
// through the operator's API, as it would at the desk.

import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 1_000;

/** Seconds after the opening, what is said of it, what is changed. The end of the sale comes when the last seat is sold. */
export const STEPS = [
  { at_s: 8, what: "a message", patch: { message: "The payment provider is slow today. Your place is safe." } },
  { at_s: 14, what: "80 permits", patch: { permits: 80 } },
  { at_s: 24, what: "paused", patch: { mode: "paused" } },
  { at_s: 32, what: "open again", patch: { mode: "open", message: null } },
  { at_s: 40, what: "50 permits", patch: { permits: 50 } },
];

export class Operator {
  #api;
  #draw;
  #token;
  #looks = [];
  #marks = [];

  constructor({ url, room, token }) {
    this.#api = new URL(`/__baton/admin/rooms/${room}`, url);
    this.#draw = new URL(`/__baton/${room}/draw`, url);
    this.#token = token;
  }

  /** Each look: `{ at_ms, report }`. */
  get looks() { return this.#looks; }
  /** What was done: `{ at_ms, what }`. */
  get marks() { return this.#marks; }

  async #ask(options = {}) {
    const answer = await fetch(this.#api, { ...options, headers: { authorization: `Bearer ${this.#token}` } });
    const body = await answer.json();
    if (answer.status !== 200) throw new Error(`the operator was refused: ${answer.status} ${JSON.stringify(body)}`);
    return body;
  }

  async look() {
    const { report } = await this.#ask();
    this.#looks.push({ at_ms: Date.now(), report });
    return report;
  }

  async change(what, patch) {
    this.mark(what);
    await this.#ask({ method: "PATCH", body: JSON.stringify(patch) });
  }

  mark(what) {
    this.#marks.push({ at_ms: Date.now(), what });
  }

  /** Looks once a second until told to stop, and tells of each look. */
  async watch(signal, told) {
    while (!signal.aborted) {
      told(await this.look());
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** What the draw is bound to, as everybody is told before the opening. */
  async commitment() {
    const answer = await fetch(this.#draw, { headers: { accept: "application/json" } });
    return (await answer.json()).next?.commitment;
  }

  /** The day, from the opening on, which comes by itself; `isSoldOut()` is the shop's word. */
  async steer({ opensAtMs, isSoldOut, signal }) {
    await sleep(Math.max(opensAtMs - Date.now(), 0), undefined, { signal });
    this.mark("opens");
    for (const { at_s, what, patch } of STEPS) {
      await sleep(Math.max(opensAtMs + at_s * 1_000 - Date.now(), 0), undefined, { signal });
      await this.change(what, patch);
    }
    while (!isSoldOut()) await sleep(100, undefined, { signal });
    await this.change("sold out", { mode: "sold_out" });
  }
}
