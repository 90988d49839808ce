// Bytes to a server and what comes back: for requests that no HTTP client would send.

import net from "node:net";

/** A server that waits for more would wait for ever; what it has said by then is its answer. */
const SILENCE_MS = 700;
const END_MS = 10_000;

/**
 * Sends text (latin1) and resolves, once the server closes or falls silent, to `{ text, statuses, closed }`: all it said, and
 * the status of each answer in it.
 */
export function send(port, text, { silenceMs = SILENCE_MS } = {}) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    let heard = "";
    let silence;
    const end = (closed) => {
      clearTimeout(silence);
      clearTimeout(late);
      socket.destroy();
      resolve({ text: heard, statuses: [...heard.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status)), closed });
    };
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(end, silenceMs, false);
    };
    const late = setTimeout(end, END_MS, false);
    socket.setEncoding("latin1");
    socket.on("connect", () => {
      socket.write(Buffer.from(text, "latin1"));
      listen();
    });
    socket.on("data", (chunk) => {
      heard += chunk;
      listen();
    });
    socket.on("close", () => end(true));
    socket.on("error", (error) => (["ECONNRESET", "EPIPE"].includes(error.code) ? end(true) : reject(error)));
  });
}
