// A room with one permit: one visitor has it, others wait on sockets, and the baton passes it on.

import { cookiesSet, Line, openSocket, requestText } from "./line.mjs";

const HOUR_S = 3_600;
/** Nobody walks in, and no lease ends by itself. */
export const ONE_PERMIT = { permits: 1, lease_idle_s: HOUR_S, lease_max_s: 2 * HOUR_S, claim_within_s: HOUR_S, pass_ttl_s: HOUR_S, walk_in: false };

/** A room with one permit, which one visitor has. */
export class Room {
  constructor(baton, name, line) {
    this.baton = baton;
    this.name = name;
    this.line = line;
    this.fresh = [];
    this.holder = null;
  }

  static async open(baton, name) {
    const room = new Room(baton, name, await Line.open(baton.port));
    room.holder = await room.next();
    await room.holder.called;
    await room.land(room.holder);
    return room;
  }

  call(path, visitor, method = "POST") {
    const host = `127.0.0.1:${this.baton.port}`;
    return this.line.send(
      requestText(method, path, { host, origin: `http://${host}`, accept: "application/json", cookie: [...visitor.jar.values()].join("; ") }),
    );
  }

  /** Puts a new visitor in line, on a socket. `called` resolves to the instant at which the visitor heard of the call. */
  async next() {
    if (this.fresh.length === 0) this.fresh = await this.baton.visitors(1_000);
    const visitor = { jar: new Map() };
    keep(visitor, [this.fresh.pop()]);
    let waits;
    visitor.waiting = new Promise((resolve) => {
      waits = resolve;
    });
    visitor.called = new Promise((resolve) => {
      visitor.onMessage = (message) => {
        if (typeof message !== "string") return;
        if (message.includes('"state":"called"')) resolve(performance.now());
        if (message.includes('"state":"waiting"')) waits();
      };
    });
    const host = `127.0.0.1:${this.baton.port}`;
    visitor.socket = await openSocket(this.baton.port, `/__baton/${this.name}/socket`, {
      headers: { host, origin: `http://${host}`, cookie: [...visitor.jar.values()].join("; ") },
      onMessage: visitor.onMessage,
    });
    keep(visitor, cookiesSet(visitor.socket.head));
    return visitor;
  }

  async land(visitor) {
    const { status, head, body } = await this.call(`/__baton/${this.name}/claim`, visitor);
    if (status !== 200) throw new Error(`a called visitor's claim was answered ${status} ${body}`);
    keep(visitor, cookiesSet(head));
    visitor.socket.close();
  }

  leave() {
    return this.call(`/__baton/${this.name}/leave`, this.holder);
  }

  release() {
    return this.call(`/${this.name}/release`, this.holder, "GET");
  }

  /** Resolves to the time from `release` until the next visitor in line has heard of the call. */
  async time(release) {
    const next = await this.next();
    await next.waiting;
    return this.handOver(next, release);
  }

  /** Takes the permit from the holder with `release`, and lands the next visitor. Resolves to how long the call took. */
  async handOver(next, release) {
    const at = performance.now();
    const [calledAt, { status }] = await Promise.all([next.called, release()]);
    if (status > 299) throw new Error(`a release was answered ${status}`);
    await this.land(next);
    this.holder = next;
    return calledAt - at;
  }
}

function keep(visitor, pairs) {
  for (const pair of pairs) visitor.jar.set(pair.slice(0, pair.indexOf("=")), pair);
}
