// Many sockets, in a process of their own, so that neither their CPU time nor their open files count as those of the measuring process. `Crowd` is
// the parent's side; run as a program, this file is the child.
//
// The child counts the frames that arrive. A picture is whole when every socket has it; the child then reports when the
// first and the last socket had it.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openSocket } from "./line.mjs";

const TOGETHER = 64;
/** Enough of a frame's head to tell it from the next: the version is in it. */
const KEY_BYTES = 12;
const OFFER = { "sec-websocket-extensions": "permessage-deflate; client_max_window_bits" };

/** @typedef {{ port: number, path: string, count: number, cookies?: string[], compresses?: boolean }} Opening */

export class Crowd {
  #child;
  #waiting = [];
  #closed = 0;

  /**
   * Opens `count` sockets; `cookies`, if given, has one for each. Resolves when all are open. With `compresses` each socket offers compression, as
   * browsers do. Rejects if the server accepts it, since nobody here can read that.
   */
  static async open(/** @type {Opening} */ { port, path, count, cookies, compresses = false }) {
    const crowd = new Crowd();
    crowd.#child = fork(fileURLToPath(import.meta.url), ["child"], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const ready = new Promise((resolve, reject) => {
      crowd.#child.on("message", ({ opened, failed, whole }) => {
        if (failed) reject(new Error(`of ${count} sockets: ${failed}`));
        if (opened) resolve();
        if (whole) crowd.#waiting.shift()?.(whole);
      });
      crowd.#child.once("exit", () => reject(new Error("the crowd is gone")));
    });
    crowd.#child.send({ open: { port, path, count, cookies, compresses } });
    await ready;
    return crowd;
  }

  /** Resolves to the next picture that every socket has had: `{ first_ms, last_ms, bytes }`, by the child's clock. */
  next() {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Pings on every socket, as pages do. */
  ping() {
    this.#child.send({ ping: true });
  }

  async stop() {
    if (this.#closed++ || this.#child.exitCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}

if (process.argv[2] === "child") {
  const sockets = [];
  const pictures = new Map();
  let total = 0;

  const hear = (message) => {
    if (typeof message === "string") return;
    const now = performance.now();
    const key = message.toString("latin1", 0, Math.min(KEY_BYTES, message.length));
    const picture = pictures.get(key) ?? { count: 0, first_ms: now };
    picture.count++;
    if (picture.count < total) return void pictures.set(key, picture);
    pictures.delete(key);
    process.send({ whole: { first_ms: picture.first_ms, last_ms: now, bytes: message.length } });
  };

  const open = async (/** @type {Opening} */ { port, path, count, cookies, compresses }) => {
    total = count;
    const host = `127.0.0.1:${port}`;
    let next = 0;
    const work = async () => {
      while (next < count) {
        const i = next++;
        const headers = { host, origin: `http://${host}`, ...(cookies ? { cookie: cookies[i] } : {}), ...(compresses ? OFFER : {}) };
        const socket = await openSocket(port, path, { headers, onMessage: hear });
        if (/sec-websocket-extensions/i.test(socket.head)) throw new Error(`${path}: the server compresses`);
        sockets.push(socket);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    process.send({ opened: sockets.length });
  };

  process.on("message", (/** @type {{ open?: Opening, ping?: boolean }} */ message) => {
    if (message.open) open(message.open).catch((error) => process.send({ failed: error.message }));
    if (message.ping) sockets.forEach((socket) => socket.ping());
  });
  process.on("disconnect", () => process.exit());
}
