// Many sockets, in a process of its own so that neither its time nor its open files are those of whoever measures.
// `Crowd` is the parent's side; run as a program this file is the child.
//
// The child counts what arrives: a picture is whole when every socket has it. It says when the first and the last had it.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openSocket } from "./line.mjs";

const TOGETHER = 64;
/** Enough of a frame to tell it from the next: its version is in there. */
const KEY_BYTES = 12;
const OFFER = { "sec-websocket-extensions": "permessage-deflate; client_max_window_bits" };

export class Crowd {
  #child;
  #waiting = [];
  #closed = 0;

  /**
   * Opens so many sockets; `cookies`, if any, one for each. Resolves when all are open. With `compresses` each offers it, as browsers do;
   * whoever accepts that is an error, since nobody here can read it.
   */
  static async open({ port, path, count, cookies, compresses = false }) {
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

  /** The next picture that every socket has had: `{ first_ms, last_ms, bytes }`, by the child's clock. */
  next() {
    return new Promise((resolve) => { this.#waiting.push(resolve); });
  }

  /** Every socket pings, as pages do. */
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
    const key = message.latin1Slice(0, Math.min(KEY_BYTES, message.length));
    const picture = pictures.get(key) ?? { count: 0, first_ms: now };
    picture.count++;
    if (picture.count < total) return void pictures.set(key, picture);
    pictures.delete(key);
    process.send({ whole: { first_ms: picture.first_ms, last_ms: now, bytes: message.length } });
  };

  const open = async ({ port, path, count, cookies, compresses }) => {
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

  process.on("message", (message) => {
    if (message.open) open(message.open).catch((error) => process.send({ failed: error.message }));
    if (message.ping) sockets.forEach((socket) => socket.ping());
  });
  process.on("disconnect", () => process.exit());
}
