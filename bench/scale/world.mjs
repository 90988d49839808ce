// One room as servers: lobbies that gather commands while a batch is out, perhaps porters between, and the room that takes a batch, or a bundle of
// them, in one turn. The model knows what is asked and answered and how long each thing takes; who is next is a plain queue.
//
// The rules are Baton's own. One batch of a lobby is out at a time. Releases and claims go before joins. A call goes with the answer to its lobby's
// batch if that is being answered, else as a push, and one push to a lobby is out at a time. A porter holds one bundle at the room and gathers the
// next meanwhile. Under load joins wait for company, as in src/lobby/company.rs. While the line moves the room pushes its picture to every lobby once
// a tick, and a lobby sends it to all of its sockets as often as src/lobby/frames.rs allows, a slice at a time: other work goes in between.

import { Clock, Processor, Server } from "./clock.mjs";
import { COMMANDS_MAX, COMPANY, FRAMES_AT_ONCE, FRAMES_PER_S } from "./machines.mjs";

/** The room's work when a push has been heard. */
const PUSH_HEARD = 0.05;
const SECOND = 1_000;
const newCompany = () => ({ since: -Infinity, joins: 0, before: 0, latest: undefined, until: undefined, hurries: false });

export class World {
  clock = new Clock();
  /** For each call, the ms from the release at the front until the next visitor's socket is told. */
  batons = [];
  /** For each visitor who waits, the ms from the page until the number is told; and when the last was told. */
  numbered = [];
  numberedAt = 0;
  rows = 0;
  /** Requests of objects by what they are for. */
  made = { join: 0, claim: 0, release: 0, batch: 0, bundle: 0, call: 0, picture: 0 };
  /** The share of batches, bundles and rows that is for releases, by their share of the commands. */
  ofReleases = { batch: 0, bundle: 0, row: 0 };
  #line = [];
  #head = 0;
  #machine;
  #delays;
  #tick_ms;
  #lines;
  #wanted = [];
  #drawnAt = -Infinity;
  #ears;
  #picture = false;
  /** Called with the lobby of each call. @type {(lobby: number) => void} */
  onCall;

  /** `lines`: how many of the crowd's requests may be out at once, if the crowd has few connections. */
  constructor({ machine, delays, lobbies, porters = 0, tick_ms = SECOND, lines = Infinity }) {
    this.#lines = lines;
    this.#machine = machine;
    this.#delays = delays;
    this.#tick_ms = tick_ms;
    // In one process all objects, and the fronts with them, take turns on one thread.
    const processor = machine.shared ? new Processor(this.clock) : undefined;
    const server = () => new Server(this.clock, processor);
    this.front = server();
    this.room = server();
    this.#ears = Array.from({ length: machine.ears ?? 0 }, () => new Server(this.clock));
    this.porters = Array.from({ length: porters }, () => ({ server: server(), waiting: [], out: false }));
    this.lobbies = Array.from({ length: lobbies }, (_, index) => {
      const lobby = {
        index,
        server: server(),
        urgent: [],
        joins: [],
        company: newCompany(),
        out: false,
        sockets: 0,
        calls: [],
        pushing: false,
        picture: false,
        showing: false,
        frameAt: -Infinity,
        isWhole: true,
        unheard: [],
        porter: porters > 0 ? this.porters[index % porters] : undefined,
      };
      return Object.assign(lobby, { somebody: { lobby, isThere: true } });
    });
  }

  get waiting() {
    return this.#line.length - this.#head;
  }

  /** Adds people who wait already and whose lobbies know them: no request is made. */
  fill(count) {
    for (let person = 0; person < count; person++) {
      const lobby = this.lobbies[person % this.lobbies.length];
      lobby.sockets += 1;
      this.#line.push(lobby.somebody);
    }
  }

  /** Adds people who wait and whose sockets are lost; their lobbies have forgotten everything. Returns them. */
  fillLost(count) {
    for (const lobby of this.lobbies) lobby.isWhole = false;
    const people = Array.from({ length: count }, (_, person) => ({
      lobby: this.lobbies[person % this.lobbies.length],
      isThere: false,
      call: undefined,
    }));
    for (const person of people) this.#line.push(person);
    return people;
  }

  /** Asks for a page, and calls `then()` when it is there. Fronts are many, and cost no object's time unless they share its thread. */
  page(then) {
    this.#onLine((end) =>
      this.clock.after(this.#delays.front, () =>
        this.#front(this.#machine.page, () => {
          end();
          then();
        }),
      ),
    );
  }

  /** Takes a client's request past the front. */
  #front(cost, then) {
    if (this.#machine.shared) this.front.work(cost, then, { isOutside: true });
    else then();
  }

  /** Waits for one of the crowd's connections. Calls `act(end)`; `end()` gives the connection back. */
  #onLine(act) {
    if (this.#lines === 0) return void this.#wanted.push(act);
    this.#lines -= 1;
    act(() => {
      this.#lines += 1;
      const next = this.#wanted.shift();
      if (next) this.#onLine(next);
    });
  }

  /** The page that came at `since` opens its socket now, and joins. */
  join(index, since = this.clock.now) {
    const lobby = this.lobbies[index];
    this.#ask(lobby, { kind: "join", since, person: lobby.somebody });
  }

  /** Somebody inside gives the permit back. */
  release(index) {
    const since = this.clock.now;
    this.#onLine((end) => this.#ask(this.lobbies[index], { kind: "release", since, end }));
  }

  /** Somebody who was called lands. */
  claim(index) {
    this.#onLine((end) => this.#ask(this.lobbies[index], { kind: "claim", end }));
  }

  /** A page whose socket was lost opens another. Calls `then()` when its lobby has told it where it stands. */
  reopen(person, then) {
    const { lobby } = person;
    this.clock.after(this.#delays.socket ?? this.#delays.front, () =>
      this.#front(this.#machine.front_ask, () =>
        lobby.server.request(this.#opening(lobby), () => {
          lobby.sockets += 1;
          const back = () => {
            person.isThere = true;
            if (person.isCalled) this.onCall?.(lobby.index);
            then();
          };
          if (lobby.isWhole) back();
          else lobby.unheard.push(back);
        }),
      ),
    );
  }

  /** A lobby that lost everything says Hello and is given its list of `pages` pages. */
  list(index, pages) {
    const lobby = this.lobbies[index];
    const page = (left) => {
      if (left === 0) {
        lobby.isWhole = true;
        return lobby.unheard.splice(0).forEach((back) => back());
      }
      this.clock.after(this.#delays.object, () =>
        this.room.request(this.#machine.list_page, () => {
          this.clock.after(this.#delays.object, () => lobby.server.work(this.#machine.lobby_message, () => page(left - 1)));
        }),
      );
    };
    page(pages);
  }

  /** Returns what opening a socket costs: more for every socket that the lobby has. */
  #opening({ sockets }) {
    return this.#machine.lobby_socket + this.#machine.socket_each * sockets;
  }

  #ask(lobby, command) {
    const joins = command.kind === "join";
    this.made[command.kind] += 1;
    const way = joins ? (this.#delays.socket ?? this.#delays.front) : this.#delays.front;
    this.clock.after(way, () =>
      this.#front(this.#machine.front_ask, () =>
        lobby.server.request(joins ? this.#opening(lobby) : this.#machine.lobby_ask, () => {
          if (joins) lobby.sockets += 1;
          (joins ? lobby.joins : lobby.urgent).push(command);
          if (joins) this.#meet(lobby);
          this.#send(lobby);
        }),
      ),
    );
  }

  /** Counts one more join. Joins wait longer the more come in a second, until nobody else seems to come; where few come they do not wait at all. */
  #meet(lobby) {
    const { company } = lobby;
    const { now } = this.clock;
    const passed = now - company.since;
    if (passed >= SECOND) Object.assign(company, { before: passed < 2 * SECOND ? company.joins : 0, joins: 0, since: now });
    company.joins += 1;
    const per_s = Math.max(company.joins, company.before);
    const load = Math.max(0, Math.min(COMPANY.busy_per_s, per_s) - COMPANY.quiet_per_s);
    const wait = (load * COMPANY.most_ms) / (COMPANY.busy_per_s - COMPANY.quiet_per_s);
    if (wait === 0) company.hurries = true;
    if (company.hurries) return;
    company.latest ??= now + wait;
    const until = (company.until = Math.min(company.latest, now + (COMPANY.gaps * SECOND) / per_s));
    this.clock.at(until, () => {
      if (company.until !== until) return;
      company.hurries = true;
      this.#send(lobby);
    });
  }

  #send(lobby) {
    const { urgent, joins, company } = lobby;
    if (lobby.out || urgent.length + joins.length === 0) return;
    if (urgent.length === 0 && company.until !== undefined && !company.hurries && joins.length < COMPANY.enough) return;
    lobby.out = true;
    this.made.batch += 1;
    const commands = lobby.urgent.splice(0, COMMANDS_MAX);
    commands.push(...lobby.joins.splice(0, COMMANDS_MAX - commands.length));
    Object.assign(company, { latest: undefined, until: undefined, hurries: urgent.length + joins.length > 0 });
    const batch = { lobby, commands };
    const { porter } = lobby;
    if (!porter) return this.clock.after(this.#delays.object, () => this.#turn([batch]));
    this.clock.after(this.#delays.object, () =>
      porter.server.request(this.#machine.porter_message, () => {
        porter.waiting.push(batch);
        this.#bundle(porter);
      }),
    );
  }

  #bundle(porter) {
    if (porter.out || porter.waiting.length === 0) return;
    porter.out = true;
    const batches = porter.waiting.splice(0);
    this.clock.after(this.#delays.object, () => this.#turn(batches, porter));
  }

  /** The room takes one batch, or a bundle. */
  #turn(batches, porter) {
    const commands = batches.reduce((sum, batch) => sum + batch.commands.length, 0);
    const cost = this.#machine.room_turn + this.#machine.bundled * (batches.length - 1) + this.#machine.command * commands;
    const released = (of) => of.commands.filter(({ kind }) => kind === "release").length;
    const share = batches.reduce((sum, batch) => sum + released(batch), 0) / commands;
    this.ofReleases.batch += batches.reduce((sum, batch) => sum + released(batch) / batch.commands.length, 0);
    this.ofReleases.row += share;
    if (porter) {
      this.made.bundle += 1;
      this.ofReleases.bundle += share;
    }
    this.room.request(cost, () => {
      this.rows += 1;
      const called = this.#perform(batches);
      this.#moves();
      this.clock.after(this.#machine.write + this.#delays.object, () => this.#answer(batches, porter, called));
      for (const [lobby, calls] of called) if (!batches.some((batch) => batch.lobby === lobby)) this.#push(lobby, calls);
    });
  }

  /** Puts joins in line, and calls the first of it for each release. Returns lobby -> whom it has to call, and since when. */
  #perform(batches) {
    const called = new Map();
    for (const { commands } of batches) for (const { kind, person } of commands) if (kind === "join") this.#line.push(person);
    for (const { commands } of batches) {
      for (const { kind, since } of commands) {
        if (kind !== "release" || this.waiting === 0) continue;
        const person = this.#line[this.#head++];
        called.set(person.lobby, [...(called.get(person.lobby) ?? []), { since, person }]);
      }
    }
    return called;
  }

  #answer(batches, porter, called) {
    const hand = (batch) => {
      const calls = called.get(batch.lobby) ?? [];
      const joined = batch.commands.filter(({ kind }) => kind === "join");
      batch.lobby.server.work(this.#machine.lobby_message + (calls.length + joined.length) * this.#machine.send, () => {
        for (const { end } of batch.commands) end?.();
        // A person who has landed leaves the waiting page.
        for (const { kind } of batch.commands) if (kind === "claim") batch.lobby.server.work(this.#machine.lobby_close, () => {});
        for (const { since } of joined) this.#heard(() => this.#hasNumber(since));
        this.#told(batch.lobby, calls);
        batch.lobby.out = false;
        this.#send(batch.lobby);
      });
    };
    if (!porter) return batches.forEach(hand);
    porter.server.work(this.#machine.porter_message, () => {
      porter.out = false;
      this.#bundle(porter);
      this.clock.after(this.#delays.object, () => batches.forEach(hand));
    });
  }

  #hasNumber(since) {
    this.numbered.push(this.clock.now - since);
    this.numberedAt = this.clock.now;
  }

  /** The crowd's processes take turns: the next one hears a message, and then `then()` is called. */
  #heard(then) {
    if (this.#ears.length === 0) return then();
    const ear = this.#ears.shift();
    this.#ears.push(ear);
    ear.work(this.#machine.hear, then);
  }

  #push(lobby, calls) {
    lobby.calls.push(...calls);
    if (lobby.pushing) return;
    lobby.pushing = true;
    this.clock.after(this.#machine.write + this.#delays.object, () => {
      const told = lobby.calls.splice(0);
      const { picture } = lobby;
      lobby.picture = false;
      this.made[told.length > 0 ? "call" : "picture"] += 1;
      lobby.server.request(this.#machine.lobby_message + told.length * this.#machine.send, () => {
        this.#told(lobby, told);
        if (picture) this.#show(lobby);
        this.clock.after(this.#delays.object, () =>
          this.room.work(PUSH_HEARD, () => {
            lobby.pushing = false;
            if (lobby.calls.length > 0 || lobby.picture) this.#push(lobby, []);
          }),
        );
      });
    });
  }

  /** The line has moved: once a tick the room draws it again, and pushes the picture to all lobbies that have sockets. */
  #moves() {
    if (this.#picture) return;
    this.#picture = true;
    this.clock.at(Math.max(this.clock.now, this.#drawnAt + this.#tick_ms), () => {
      this.#picture = false;
      this.#drawnAt = this.clock.now;
      for (const lobby of this.lobbies) {
        if (lobby.sockets === 0) continue;
        lobby.picture = true;
        this.#push(lobby, []);
      }
    });
  }

  /** A lobby has a new picture. All of its sockets get it when the next frame is due. */
  #show(lobby) {
    if (lobby.showing) return;
    lobby.showing = true;
    const every = Math.max(this.#tick_ms, (lobby.sockets * SECOND) / FRAMES_PER_S);
    this.clock.at(Math.max(this.clock.now, lobby.frameAt + every), () => {
      lobby.showing = false;
      lobby.frameAt = this.clock.now;
      this.#frame(lobby, lobby.sockets);
    });
  }

  /** Sends the frame to `left` sockets of the lobby, a slice at a time. */
  #frame(lobby, left) {
    const now = Math.min(left, FRAMES_AT_ONCE);
    const next = () => {
      for (const ear of this.#ears) ear.work((now / this.#ears.length) * this.#machine.hear, () => {});
      if (left > now) this.#frame(lobby, left - now);
    };
    lobby.server.work(now * this.#machine.send, next, { isOutside: true });
  }

  /** The sockets have heard the call. Their people come a moment later, and land. A person who is away hears it when back. */
  #told(lobby, calls) {
    for (const { since, person } of calls) {
      person.isCalled = true;
      if (!person.isThere) continue;
      lobby.sockets -= 1;
      this.#heard(() => {
        this.batons.push(this.clock.now - since);
        this.onCall?.(lobby.index);
      });
    }
  }
}
