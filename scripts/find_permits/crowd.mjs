// The crowd: a number of people in the shop at once, in a closed loop. Each walks through the steps, thinks between them, and is followed by somebody
// new. The crowd knows no network and no clock of its own, so tests run it in simulated time.
//
// `clock`: `now()` in ms, and `at(ms, call)`, which returns a function that cancels. `openVisitor()` returns somebody new with a connection of their
// own: `ask(step)` resolves to `{ isOk, status, why }` and never rejects; `close()`.

import { between } from "../dice.mjs";
import { askUntilReady } from "./poll.mjs";

/** How long it takes after an error until somebody new comes: a broken shop is not hammered. */
const FAILED_PAUSE_MS = 1_000;

export class Crowd {
  #people = new Set();
  #deps;

  /** `meter` measures; `onAnswer(answer, step)` hears every answer. */
  constructor({ clock, steps, openVisitor, meter, roll, onAnswer }) {
    this.#deps = { clock, steps, openVisitor, meter, roll, onAnswer };
  }

  get size() {
    return this.#people.size;
  }

  /** Brings the crowd to `count` people, evenly over `overMs`. People who must leave do so after the answer for which they wait. */
  go(count, overMs) {
    const { clock } = this.#deps;
    const missing = count - this.#staying().length;
    const paceMs = overMs / Math.max(1, Math.abs(missing));
    for (let nth = 0; nth < missing; nth += 1)
      this.#people.add(new Person(this.#deps, clock.now() + nth * paceMs, (person) => this.#people.delete(person)));
    this.#staying()
      .slice(0, Math.max(0, -missing))
      .forEach((person, nth) => person.leave(clock.now() + nth * paceMs));
  }

  /** Resolves when everybody who was asked to leave has left. */
  async left() {
    await Promise.all([...this.#people].filter(({ isLeaving }) => isLeaving).map(({ done }) => done));
  }

  #staying() {
    return [...this.#people].filter(({ isLeaving }) => !isLeaving);
  }
}

class Person {
  isLeaving = false;
  #deps;
  #hasLeft = false;
  #wake = null;

  constructor(deps, fromMs, onGone) {
    this.#deps = deps;
    this.done = this.#live(fromMs).finally(() => onGone(this));
  }

  /** Leaves at this moment, or as soon as the answer is there. */
  leave(atMs) {
    this.isLeaving = true;
    this.#deps.clock.at(atMs, () => {
      this.#hasLeft = true;
      this.#wake?.();
    });
  }

  async #live(fromMs) {
    const { clock } = this.#deps;
    await this.#sleepUntil(fromMs);
    let intendedMs = fromMs;
    while (!this.#hasLeft) {
      const isGood = await this.#visit(intendedMs);
      intendedMs = clock.now();
      if (isGood || this.#hasLeft) continue;
      intendedMs += FAILED_PAUSE_MS;
      await this.#sleepUntil(intendedMs);
    }
  }

  /** Makes one visit from the first step to the last. Resolves to whether all went well. */
  async #visit(fromMs) {
    const { clock, steps, openVisitor, meter, roll } = this.#deps;
    const visitor = openVisitor();
    let intendedMs = fromMs;
    try {
      for (const step of steps) {
        const thinkMs = between(roll, step.think_ms);
        meter.think(thinkMs);
        intendedMs += thinkMs;
        await this.#sleepUntil(intendedMs);
        if (this.#hasLeft) return true;
        if (!(await this.#ask(visitor, step, intendedMs))) return false;
        intendedMs = clock.now();
      }
      return true;
    } finally {
      visitor.close();
    }
  }

  async #ask(visitor, step, intendedMs) {
    const { clock, meter, onAnswer } = this.#deps;
    const beganMs = clock.now();
    // A timer may ring a fraction early; nothing can be answered before it was asked.
    const fromMs = Math.min(intendedMs, beganMs);
    meter.begin(fromMs, beganMs);
    const answer = await askUntilReady(visitor, step, {
      clock,
      sleepUntil: (ms) => this.#sleepUntil(ms),
      hasLeft: () => this.#hasLeft,
      onAnswer: (early) => onAnswer(early, step),
    });
    meter.end(fromMs, clock.now(), answer.isOk);
    onAnswer(answer, step);
    return answer.isOk;
  }

  #sleepUntil(ms) {
    const { clock } = this.#deps;
    if (ms <= clock.now() || this.#hasLeft) return undefined;
    return new Promise((resolve) => {
      const cancel = clock.at(ms, () => this.#wake?.());
      this.#wake = () => {
        cancel();
        this.#wake = null;
        resolve();
      };
    });
  }
}
