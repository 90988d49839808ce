// A kept HTTP/1.1 connection and a WebSocket, as lean as they can be: a client on the same machine as the measured server must cost little. They talk
// to workerd only and rely on what it sends.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");

/** Returns the text of a request. `headers`: name -> value. */
export function requestText(method, path, headers = {}) {
  const length = method === "POST" ? { "content-length": 0 } : {};
  return `${method} ${path} HTTP/1.1\r\n${Object.entries({ ...length, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
}

/** One kept connection with one request at a time. If the server has closed it after a long idle time, the next request opens a new one. */
export class Line {
  #port;
  #socket;
  #bytes = Buffer.alloc(0);
  #waiting;

  static async open(port) {
    const line = new Line();
    line.#port = port;
    await line.#connect();
    return line;
  }

  async #connect() {
    const socket = await connected(this.#port);
    this.#socket = socket;
    socket.on("data", (chunk) => this.#hear(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  /** Whether the server has closed the connection. */
  get isClosed() {
    return this.#socket.closed || this.#socket.readableEnded;
  }

  /** Resolves to `{ status, head, body }`. */
  async send(text) {
    if (this.isClosed) await this.#connect();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close() {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #fail(error) {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #hear(chunk) {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const answer = readAnswer(this.#bytes);
    if (!answer) return;
    this.#bytes = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }
}

function readAnswer(bytes) {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.latin1Slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const rest = bytes.subarray(headEnd + 4);
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  if (length) return rest.length < Number(length[1]) ? undefined : { status, head, body: rest.toString() };
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return { status, head, body: "" };
  if (rest.subarray(-5).toString("latin1") !== "0\r\n\r\n") return undefined;
  return { status, head, body: unchunked(rest) };
}

function unchunked(bytes) {
  const parts = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.latin1Slice(at, end), 16);
    if (!size) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}

function connected(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Returns `name=value` of every cookie that an answer sets. */
export const cookiesSet = (head) => [...head.matchAll(/\r\nset-cookie: ([^;\r]+)/gi)].map(([, pair]) => pair);

/**
 * Opens a WebSocket. `onMessage(text or bytes)` is called for each message. Resolves, once the socket is open, to
 * `{ head, ended, ping, say, close }`; `ended` resolves when either side has closed it. Rejects with the status if the server refuses it.
 */
export async function openSocket(port, path, { headers = {}, onMessage }) {
  const socket = await connected(port);
  const asked = {
    host: `127.0.0.1:${port}`,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    ...headers,
  };
  socket.write(requestText("GET", path, asked));
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    let head;
    socket.once("error", reject);
    const ended = once(socket, "close").catch(() => {});
    void ended.then(() => reject(new Error(`${path}: closed before it was open`)));
    socket.on("data", (chunk) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      if (head === undefined) {
        const end = bytes.indexOf(HEAD_END);
        if (end < 0) return;
        head = bytes.toString("latin1", 0, end);
        bytes = bytes.subarray(end + 4);
        if (!head.startsWith("HTTP/1.1 101")) return reject(new Error(`${path}: ${head.slice(0, 40)}`));
        resolve({ head, ended, ping: () => socket.write(masked("ping")), say: (text) => socket.write(masked(text)), close: () => socket.destroy() });
      }
      for (let frame = readFrame(bytes); frame; frame = readFrame(bytes)) {
        bytes = bytes.subarray(frame.size);
        if (frame.opcode === 1) onMessage(frame.payload.toString());
        else if (frame.opcode === 2) onMessage(frame.payload);
      }
    });
  });
}

/** Reads a frame of a server, which is never masked and never split. Returns undefined until the frame is whole. */
function readFrame(bytes) {
  if (bytes.length < 2) return undefined;
  const short = bytes[1] & 0x7f;
  const at = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < at) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < at + length) return undefined;
  return { opcode: bytes[0] & 0x0f, payload: bytes.subarray(at, at + length), size: at + length };
}

/** Returns a client's text frame, of at most 125 bytes. A mask of zeros is a valid mask. */
const masked = (text) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
