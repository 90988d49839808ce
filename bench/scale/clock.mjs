// Simulated time: a clock that runs events in order, and servers that do one thing after the other. Pure and deterministic: the same events at the
// same instants give the same run.

/** A binary heap of `{ at, order, act }`: the earliest comes first, and of equals the one that was planned first. */
export class Clock {
  #heap = [];
  #order = 0;
  now = 0;

  /** Plans `act()` at `at` ms. */
  at(at, act) {
    const heap = this.#heap;
    const event = { at, order: this.#order++, act };
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, heap[parent])) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = event;
  }

  after(delay, act) {
    this.at(this.now + delay, act);
  }

  /** Runs until nothing is planned, or until `until` ms. */
  run(until = Infinity) {
    const heap = this.#heap;
    while (heap.length > 0 && heap[0].at <= until) {
      const [{ at, act }] = heap;
      const last = heap.pop();
      if (heap.length > 0) this.#sink(last);
      this.now = at;
      act();
    }
  }

  #sink(event) {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
      if (!isBefore(heap[child], event)) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = event;
  }
}

const isBefore = (a, b) => a.at < b.at || (a.at === b.at && a.order < b.order);

/**
 * One thread, which does one thing after the other. Each object has its own, unless the machine says that all share one. Work from outside waits
 * until nothing within is left to do: an event loop looks at its sockets only then, and takes everything that has come.
 */
export class Processor {
  #clock;
  #isBusy = false;
  #within = new Queue();
  #outside = new Queue();

  constructor(clock) {
    this.#clock = clock;
  }

  /** Takes on work of `cost` ms, and calls `then()` when it is done. */
  takes(cost, then, isOutside) {
    (isOutside ? this.#outside : this.#within).push({ cost, then });
    if (!this.#isBusy) this.#next();
  }

  #next() {
    if (this.#within.isEmpty) [this.#within, this.#outside] = [this.#outside, this.#within];
    const work = this.#within.shift();
    this.#isBusy = work !== undefined;
    if (work === undefined) return;
    this.#clock.after(work.cost, () => {
      // The consequences must be queued before the next work is chosen.
      work.then();
      this.#next();
    });
  }
}

/** A first-in, first-out queue. O(1), amortised. */
class Queue {
  #items = [];
  #head = 0;

  push(item) {
    this.#items.push(item);
  }

  get isEmpty() {
    return this.#head === this.#items.length;
  }

  shift() {
    if (this.isEmpty) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** One object: it does one thing after the other, and counts the requests that reach it in each second. */
export class Server {
  #clock;
  #processor;
  #perSecond = new Map();
  requests = 0;

  constructor(clock, processor = new Processor(clock)) {
    this.#clock = clock;
    this.#processor = processor;
  }

  /** Takes a request that costs `cost` ms of this object's thread, and calls `then()` when it is done. */
  request(cost, then) {
    const second = Math.floor(this.#clock.now / 1_000);
    this.#perSecond.set(second, (this.#perSecond.get(second) ?? 0) + 1);
    this.requests += 1;
    this.work(cost, then);
  }

  /** Does work that comes with no request, such as taking the answer to this object's own request. `isOutside`: a client's request. */
  work(cost, then, { isOutside = false } = {}) {
    this.#processor.takes(cost, then, isOutside);
  }

  /** The requests of each second, up to the last in which one came. */
  get perSecond() {
    return Array.from({ length: Math.max(-1, ...this.#perSecond.keys()) + 1 }, (_, second) => this.#perSecond.get(second) ?? 0);
  }

  /** The most requests in one second. */
  get most() {
    return Math.max(0, ...this.#perSecond.values());
  }
}
