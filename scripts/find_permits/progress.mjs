// Shows how far a run is: on a terminal a bar that moves each second, elsewhere a line for each level.

import { roughly } from "../durations.mjs";
import { barText } from "./text.mjs";

const EVERY_MS = 1_000;

/** Returns in words what is going on. */
function wordsOf({ kind, people, nth, of, way, tries }) {
  if (kind === "look") return `looking for the bend: ${people} people`;
  const again = `${way === "down" ? " again" : ""}${tries > 1 ? `, try ${tries}` : ""}`;
  return `level ${nth} of ${of}: ${people} people${again}`;
}

export class Progress {
  #levelMs;
  #isTerminal;
  #write;
  #now;
  #step = null;
  #timer = null;

  /** `times`: as in run.mjs. `write`: takes text; `now`: ms. */
  constructor({ times, isTerminal, write, now }) {
    this.#levelMs = times.settle_ms + times.level_ms;
    this.#isTerminal = isTerminal;
    this.#write = write;
    this.#now = now;
    if (isTerminal) this.#timer = setInterval(() => this.draw(), EVERY_MS).unref();
  }

  /** Takes an event of the run. */
  tell = (event) => {
    if (event.kind === "look" || event.kind === "level") this.#step = { ...event, words: wordsOf(event), fromMs: this.#now() };
    if (event.kind === "measured") {
      if (event.why !== null) this.#line(`  does not count: ${event.why}`);
      return;
    }
    if (event.kind === "leaving") this.#end(event.people);
    else this.draw();
  };

  /** Draws the bar as it is now. */
  draw() {
    if (this.#step === null) return;
    const { kind, nth, of, words, fromMs } = this.#step;
    const doneMs = Math.min(this.#levelMs, this.#now() - fromMs);
    const share = kind === "look" ? 0 : (nth - 1 + doneMs / this.#levelMs) / of;
    const left = kind === "look" ? "" : `, about ${roughly((of - nth + 1) * this.#levelMs - doneMs)} left`;
    this.#write(this.#isTerminal ? `\r\x1b[2K${barText(share, words + left)}` : `${barText(share, words + left)}\n`);
  }

  #line(text) {
    this.#write(this.#isTerminal ? `\r\x1b[2K${text}\n` : `${text}\n`);
  }

  #end(people) {
    clearInterval(this.#timer);
    this.#line(`${people} people leave`);
  }
}
