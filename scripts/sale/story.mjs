// What the operator does by hand on the scripted day, and what the desk would show meanwhile: one look a second. Everything goes through the
// operator's API with a token for this room alone. The operator leaves to the schedule all that it can do.

import { setTimeout as sleep } from "node:timers/promises";
import { callsAt } from "../house/calls.mjs";
import { until } from "./until.mjs";

const LOOK_EVERY_MS = 1_000;
/** How long the shop is slow. */
const SLOW_MS = 6_000;
/** If seats are left this long before the end, the operator puts the end off by the second time. A machine may be slow. */
const [LATE_MS, LATER_MS] = [8_000, 15_000];

/** The operator's changes: what people are told, and when calling stops and goes on. */
export const CHANGES = {
  slow: { mode: "paused", message: "The payment provider is slow. Your place is safe." },
  again: { mode: "open", message: null },
  last: { mode: "paused", message: "The last seat is taken. The sale ends soon." },
};

export class Operator {
  #url;
  #token;
  #room;
  #call;
  #looks = [];
  #done = [];

  constructor({ url, room, token }) {
    [this.#url, this.#room, this.#token] = [new URL(url), room, token];
    this.#call = callsAt({ url: this.#url, token });
  }

  /** Each look: `{ at_ms, report }`. */
  get looks() {
    return this.#looks;
  }
  /** The changes in their order, each as keys and values. */
  get done() {
    return this.#done;
  }

  async look() {
    const { report } = await this.#call(`rooms/${this.#room}`);
    this.#looks.push({ at_ms: Date.now(), report });
    return report;
  }

  async change(patch) {
    await this.#call(`rooms/${this.#room}`, { method: "PATCH", body: patch });
    this.#done.push(patch);
  }

  /** Looks once a second until told to stop, and reports each look. */
  async watch(signal, told) {
    while (!signal.aborted) {
      told(await this.look());
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Tries what is not this operator's: another room, the house, a better role. Resolves to `{ what, status }` for each. */
  async trespass({ other, name, table }) {
    const tries = [
      ["GET", `rooms/${other}`],
      ["PATCH", `rooms/${other}`, { permits: 9 }],
      ["PUT", `house/rooms/${this.#room}`, { paths: ["/buy/*"], permits: 9 }],
      ["DELETE", `house/rooms/${this.#room}`],
      ["PUT", `house/operators/${name}`, { ...table, role: "own" }],
    ];
    return Promise.all(
      tries.map(async ([method, path, body]) => {
        const answer = await fetch(new URL(`/__baton/admin/${path}`, this.#url), {
          method,
          headers: { authorization: `Bearer ${this.#token}` },
          body: body && JSON.stringify(body),
        });
        await answer.arrayBuffer();
        return { what: `${method} ${path}`, status: answer.status };
      }),
    );
  }

  /**
   * Steers the sale. `seats()` returns how many are left and how many there are; `isOver()` says that nobody else comes. `later(ms)` is the schedule
   * with its end that much later. Resolves to the schedule that was in force at the end.
   */
  async steer({ seats, isOver, schedule, later, signal }) {
    const asked = { what: "the sale of seats", where: "the demo shop", signal };
    await until(() => isOver() || seats().left <= seats().total * 0.75, asked);
    await this.change(CHANGES.slow);
    await sleep(SLOW_MS, undefined, { signal });
    await this.change(CHANGES.again);
    let [steps, byMs] = [schedule, 0];
    const isLate = () => Date.parse(steps.at(-1).at) - Date.now() < LATE_MS;
    for (;;) {
      await until(() => seats().left === 0 || isOver() || isLate(), asked);
      if (seats().left === 0) break;
      if (isOver()) return steps;
      steps = later((byMs += LATER_MS));
      await this.change({ schedule: steps });
    }
    await this.change(CHANGES.last);
    return steps;
  }
}
