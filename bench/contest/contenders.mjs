// Baton and the peers as scenes.mjs needs them: `open(scene)` makes a room and resolves to how pages behave before it; `kill()` ends server and front
// as when the power fails, and starts them again on the same data; `pids()` names the processes that are measured.

import { fork } from "node:child_process";
import { once } from "node:events";
import { inRoot } from "../../scripts/common.mjs";
import { peers } from "../peers/index.mjs";
import { Batons, Polling, Socketed } from "./manners.mjs";
import { killAll } from "./processes.mjs";
import { startServer } from "./servers.mjs";

const HOUR_S = 3_600;

/** A peer, with a front for each room. */
class Peer {
  #fronts = [];

  constructor(peer, server) {
    this.peer = peer;
    this.server = server;
  }

  static async start(peer, { data, synced }) {
    return new Peer(peer, peer.server && (await startServer(peer.server, { data, synced })));
  }

  pids() {
    return [...this.#fronts.map(({ child }) => child.pid), ...(this.server ? [this.server.pid] : [])];
  }

  async #startFront(front) {
    const env = JSON.stringify({ port: this.server?.port, ...front.scene });
    front.child = fork(inRoot("bench", "peers", "front.mjs"), [this.peer.name, String(front.port), env], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [{ port }] = await Promise.race([
      once(front.child, "message"),
      once(front.child, "exit").then(() => {
        throw new Error(`the front of ${this.peer.name} did not start`);
      }),
    ]);
    front.port = port;
  }

  /** `scene` is `{ room, permits, limitMs }`. */
  async open(scene) {
    const front = { scene, port: 0 };
    await this.#startFront(front);
    this.#fronts.push(front);
    return new (this.peer.told === "poll" ? Polling : Socketed)({ port: front.port, room: scene.room });
  }

  /** Ends the front of the last room. */
  async close() {
    killAll([this.#fronts.pop().child.pid]);
  }

  async kill() {
    const gone = this.#fronts.map(({ child }) => once(child, "exit"));
    killAll(this.#fronts.map(({ child }) => child.pid));
    await Promise.all([...gone, this.server?.kill()]);
    await this.server?.restart();
    for (const front of this.#fronts) await this.#startFront(front);
  }

  async stop() {
    killAll(this.#fronts.map(({ child }) => child.pid));
    await this.server?.stop();
  }
}

/** Baton, with all its rooms in one runtime. */
class Baton {
  constructor(baton) {
    this.baton = baton;
  }

  static async start(stage, scenes) {
    const settings = ({ permits, limitMs }) => ({
      permits,
      walk_in: false,
      lease_idle_s: limitMs / 1_000,
      lease_max_s: HOUR_S,
      claim_within_s: limitMs / 1_000,
      pass_ttl_s: Math.min(60, limitMs / 1_000),
      journal_keep_days: 1,
    });
    return new Baton(await stage.baton(Object.fromEntries(scenes.map((scene) => [scene.room, settings(scene)])), { isFed: false }));
  }

  pids() {
    return [this.baton.pid];
  }
  async open({ room }) {
    return new Batons({ port: this.baton.port, room });
  }
  async close() {}
  kill() {
    return this.baton.runtime.restart();
  }
  async stop() {
    await this.baton.stop();
  }
}

/** Every contender: Baton, each peer with synced writes, and those with Redis once more as Redis comes. `start(stage, scenes)` resolves to one. */
export const contenders = [
  { name: "baton", what: "**Baton**", told: "socket", limit: true, synced: true, start: (stage, scenes) => Baton.start(stage, scenes) },
  ...peers.flatMap((peer) =>
    [true, false]
      .filter((synced) => synced || peer.server === "redis")
      .map((synced) => ({
        name: synced ? peer.name : `${peer.name}_default`,
        what: synced ? peer.what : `the same, Redis as it comes`,
        told: peer.told,
        limit: peer.limit,
        second: peer.second,
        synced,
        start: async (stage) => stage.keep(await Peer.start(peer, { data: stage.options.data, synced })),
      })),
  ),
];
