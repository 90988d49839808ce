// Simulated time and simulated shops, so that the run's own code (crowd, meter, plan, verdict) is tested in seconds and without noise.

import { setImmediate as drained } from "node:timers/promises";

/** A clock that stands still until everybody waits for it. */
export class VirtualClock {
  #nowMs = 0;
  #heap = [];
  #count = 0;

  now() {
    return this.#nowMs;
  }

  at(atMs, call) {
    const event = { atMs: Math.max(atMs, this.#nowMs), nth: this.#count++, call };
    push(this.#heap, event);
    return () => {
      event.call = null;
    };
  }

  /** Runs until `work` is done; its result. */
  async run(work) {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    done.catch(() => {});
    while (true) {
      await drained();
      if (isOver) return done;
      let event = pop(this.#heap);
      while (event && event.call === null) event = pop(this.#heap);
      if (!event) throw new Error("nobody waits for anything, and the work is not done");
      this.#nowMs = event.atMs;
      event.call();
    }
  }
}

const isBefore = (a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.nth < b.nth);

function push(heap, event) {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(heap[at], heap[parent])) return;
    [heap[at], heap[parent]] = [heap[parent], heap[at]];
    at = parent;
  }
}

function pop(heap) {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0) return top;
  heap[0] = last;
  for (let at = 0; ; ) {
    const least = [2 * at + 1, 2 * at + 2].reduce((best, child) => (child < heap.length && isBefore(heap[child], heap[best]) ? child : best), at);
    if (least === at) return top;
    [heap[at], heap[least]] = [heap[least], heap[at]];
    at = least;
  }
}

/**
 * A shop in simulated time. A step's `work_ms` is done in one of `segments`, each with `servers`; its `delay_ms` by nobody.
 * `segments: 1` is one line before all servers, more are lines of their own, taken by chance. `spread`: 0 for work that always takes the same, 1 for exponential.
 * `slower(state)` gives a factor by which work takes longer: `{ done, nowMs, waiting }`. `fail(state)` gives a status instead of an answer.
 */
export class VirtualShop {
  #clock;
  #options;
  #lines;
  asked = 0;
  done = 0;

  constructor(clock, { segments, servers, spread = 0, roll, slower = () => 1, fail = () => null }) {
    this.#clock = clock;
    this.#options = { servers, spread, roll, slower, fail };
    this.#lines = Array.from({ length: segments }, () => ({ busy: 0, waiting: [] }));
  }

  openVisitor = () => ({ ask: (step) => this.#ask(step), close: () => {} });

  async #ask({ work_ms: workMs = 0, delay_ms: delayMs = 0 }) {
    this.asked += 1;
    const status = this.#options.fail({ asked: this.asked, nowMs: this.#clock.now(), waiting: this.#waiting() });
    if (delayMs > 0) await new Promise((resolve) => this.#clock.at(this.#clock.now() + delayMs, resolve));
    if (workMs > 0 && status === null) await this.#work(workMs);
    return { isOk: status === null, status: status ?? 200, why: status === null ? null : `status ${status}` };
  }

  #waiting() {
    return this.#lines.reduce((total, { busy, waiting }) => total + busy + waiting.length, 0);
  }

  async #work(workMs) {
    const { servers, spread, roll, slower } = this.#options;
    const line = this.#lines[Math.floor(roll() * this.#lines.length)];
    if (line.busy < servers) line.busy += 1;
    else await new Promise((resolve) => line.waiting.push(resolve));
    const factor = slower({ done: this.done, nowMs: this.#clock.now(), waiting: this.#waiting() });
    const tookMs = workMs * factor * (1 - spread - spread * Math.log(1 - roll()));
    await new Promise((resolve) => this.#clock.at(this.#clock.now() + tookMs, resolve));
    this.done += 1;
    const next = line.waiting.shift();
    if (next) next();
    else line.busy -= 1;
  }
}
