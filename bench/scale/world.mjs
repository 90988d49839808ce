// One room as servers: lobbies that gather commands while a batch is out, perhaps porters between, and the room that takes a batch,
// or a bundle of them, in one turn. It knows what is asked and answered and how long each thing takes; who is next is a queue.
//
// The rules are Baton's own: one batch of a lobby is out at a time; releases and claims go before joins; a call goes with the answer
// to its lobby's batch if that is being answered, else as a push, and one push to a lobby is out at a time. A porter holds one bundle
// at the room and gathers the next meanwhile. Under load joins wait for company, as in src/lobby/company.rs.

import { Clock, Server } from "./clock.mjs";
import { COMMANDS_MAX, COMPANY } from "./machines.mjs";

/** A turn that only ends a push. */
const PUSH_HEARD = 0.05;
const SECOND = 1_000;
const newCompany = () => ({ since: -Infinity, joins: 0, before: 0, latest: undefined, until: undefined, hurries: false });

export class World {
  clock = new Clock();
  /** Of each call, ms from the release at the front until the next one's socket is told. */
  batons = [];
  /** Of each visitor who waits, ms from the page until the number is told. */
  numbered = [];
  rows = 0;
  turns = 0;
  #line = [];
  #head = 0;
  #machine;
  #delays;

  constructor({ machine, delays, lobbies, porters = 0 }) {
    this.#machine = machine;
    this.#delays = delays;
    this.room = new Server(this.clock);
    this.porters = Array.from({ length: porters }, () => ({ server: new Server(this.clock), waiting: [], out: false }));
    this.lobbies = Array.from({ length: lobbies }, (_, index) => ({
      index, server: new Server(this.clock), urgent: [], joins: [], company: newCompany(), out: false, sockets: 0, calls: [], pushing: false, porter: porters > 0 ? this.porters[index % porters] : undefined,
    }));
  }

  get waiting() {
    return this.#line.length - this.#head;
  }

  /** People who wait already and whose lobbies know them: nobody is asked anything. */
  fill(count) {
    for (let person = 0; person < count; person++) {
      const lobby = this.lobbies[person % this.lobbies.length];
      lobby.sockets += 1;
      this.#line.push(lobby);
    }
  }

  /** A page that came at `since` opens its socket now, and joins. */
  join(index, since = this.clock.now) {
    this.#ask(index, { kind: "join", since }, (lobby) => { lobby.sockets += 1; });
  }

  /** Somebody inside gives the permit back. */
  release(index) {
    this.#ask(index, { kind: "release", since: this.clock.now });
  }

  /** Somebody who was called lands. */
  claim(index) {
    this.#ask(index, { kind: "claim", since: this.clock.now });
  }

  /** A page whose socket was lost opens it anew; `then()` when its lobby has it. */
  reopen(index, then) {
    const lobby = this.lobbies[index];
    this.clock.after(this.#delays.front, () => lobby.server.request(this.#cost(lobby, this.#machine.lobby_ask), then));
  }

  /** A lobby that lost everything says Hello and is given its list of `pages` pages. */
  list(index, pages, then) {
    const lobby = this.lobbies[index];
    const page = (left) => {
      if (left === 0) return then();
      this.clock.after(this.#delays.object, () => this.room.request(this.#machine.list_page, () => {
        this.clock.after(this.#delays.object, () => lobby.server.work(this.#machine.lobby_message, () => page(left - 1)));
      }));
    };
    page(pages);
  }

  #ask(index, command, then = () => {}) {
    const lobby = this.lobbies[index];
    this.clock.after(this.#delays.front, () => lobby.server.request(this.#cost(lobby, this.#machine.lobby_ask), () => {
      then(lobby);
      (command.kind === "join" ? lobby.joins : lobby.urgent).push(command);
      if (command.kind === "join") this.#meet(lobby);
      this.#send(lobby);
    }));
  }

  /** A lobby with many sockets shows them frames all the time, 2,000 sends a second at most. */
  #cost(lobby, cost) {
    return cost / (1 - (Math.min(lobby.sockets, 2_000) * this.#machine.send) / 1_000);
  }

  /** One more joins: they wait longer the more come in a second, until nobody else seems to come, and not at all where few do. */
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
    const commands = lobby.urgent.splice(0, COMMANDS_MAX);
    commands.push(...lobby.joins.splice(0, COMMANDS_MAX - commands.length));
    Object.assign(company, { latest: undefined, until: undefined, hurries: urgent.length + joins.length > 0 });
    const batch = { lobby, commands };
    const { porter } = lobby;
    if (!porter) return this.clock.after(this.#delays.object, () => this.#turn([batch]));
    this.clock.after(this.#delays.object, () => porter.server.request(this.#machine.porter_message, () => {
      porter.waiting.push(batch);
      this.#bundle(porter);
    }));
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
    this.room.request(cost, () => {
      this.rows += 1;
      this.turns += 1;
      const called = this.#perform(batches);
      this.clock.after(this.#machine.write + this.#delays.object, () => this.#answer(batches, porter, called));
      for (const [lobby, calls] of called) if (!batches.some((batch) => batch.lobby === lobby)) this.#push(lobby, calls);
    });
  }

  /** Who joins stands in line; who gives back calls the first of it. Lobby -> when the releases were, of those it has to call. */
  #perform(batches) {
    const called = new Map();
    for (const { lobby, commands } of batches) for (const { kind } of commands) if (kind === "join") this.#line.push(lobby);
    for (const { commands } of batches) {
      for (const { kind, since } of commands) {
        if (kind !== "release" || this.waiting === 0) continue;
        const next = this.#line[this.#head++];
        called.set(next, [...(called.get(next) ?? []), since]);
      }
    }
    return called;
  }

  #answer(batches, porter, called) {
    const hand = (batch) => {
      const calls = called.get(batch.lobby) ?? [];
      const joined = batch.commands.filter(({ kind }) => kind === "join");
      batch.lobby.server.work(this.#machine.lobby_message + (calls.length + joined.length) * this.#machine.send, () => {
        for (const { since } of joined) this.numbered.push(this.clock.now - since);
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

  #push(lobby, calls) {
    lobby.calls.push(...calls);
    if (lobby.pushing) return;
    lobby.pushing = true;
    this.clock.after(this.#machine.write + this.#delays.object, () => {
      const told = lobby.calls.splice(0);
      lobby.server.request(this.#cost(lobby, this.#machine.lobby_message) + told.length * this.#machine.send, () => {
        this.#told(lobby, told);
        this.clock.after(this.#delays.object, () => this.room.work(PUSH_HEARD, () => {
          lobby.pushing = false;
          if (lobby.calls.length > 0) this.#push(lobby, []);
        }));
      });
    });
  }

  /** Those sockets have heard it. They come a moment later, and land. */
  #told(lobby, calls) {
    for (const since of calls) {
      this.batons.push(this.clock.now - since);
      lobby.sockets -= 1;
      this.onCall?.(lobby.index);
    }
  }
}
