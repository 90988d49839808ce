// Many requests with exact targets over a few connections, one at a time on each. It sends as it stands what an HTTP client would
// tidy.

import net from "node:net";

const WIDTH = 16;
const TIMEOUT_MS = 20_000;

/** An answer's `{ status, headers, body }` if all of it is there, with the bytes that follow. */
function answerIn(text, isEnded) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line, ...rest] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    rest.map((header) => [header.slice(0, header.indexOf(":")).toLowerCase(), header.slice(header.indexOf(":") + 1).trim()]),
  );
  const body = text.slice(end + 4);
  const length = headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  const isWhole = headers["transfer-encoding"] === "chunked" ? body.endsWith("0\r\n\r\n") : length === undefined ? isEnded : body.length >= length;
  return isWhole || isEnded ? { status: Number(line.split(" ")[1]), headers, body: length === undefined ? body : body.slice(0, length) } : undefined;
}

class Line {
  constructor(port, headers) {
    Object.assign(this, { port, headers, socket: undefined });
  }

  async ask(target) {
    if (!this.socket || this.socket.destroyed) this.socket = net.connect(this.port, "127.0.0.1").setNoDelay(true);
    const { socket } = this;
    return new Promise((resolve) => {
      let text = "";
      const done = (answer) => {
        clearTimeout(late);
        socket.removeAllListeners();
        socket.on("error", () => {});
        if (!answer || answer.status >= 400 || answer.headers.connection === "close" || answer.headers["content-length"] === undefined)
          socket.destroy();
        resolve(answer ?? { status: 0, headers: {}, body: "" });
      };
      const look = (isEnded) => {
        const answer = answerIn(text, isEnded);
        if (answer || isEnded) done(answer);
      };
      const late = setTimeout(done, TIMEOUT_MS);
      socket.removeAllListeners();
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        look(false);
      });
      socket.on("error", () => done());
      socket.on("close", () => look(true));
      socket.write(`GET ${target} HTTP/1.1\r\n${this.headers.join("\r\n")}\r\n\r\n`, "latin1");
    });
  }
}

/** Asks for all targets; resolves to their answers in the same order. */
export async function askAll(port, targets, headers) {
  const answers = new Array(targets.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      const line = new Line(port, headers);
      while (next < targets.length) {
        const at = next;
        next += 1;
        answers[at] = await line.ask(targets[at]);
      }
      line.socket?.destroy();
    }),
  );
  return answers;
}

/** An origin that writes down what comes: `answer(target, headers)` gives the body. */
export async function startRecorder(t, answer) {
  const server = net.createServer((socket) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const [line, ...rest] = text.slice(0, end).split("\r\n");
        text = text.slice(end + 4);
        const headers = Object.fromEntries(
          rest.map((header) => [header.slice(0, header.indexOf(":")).toLowerCase(), header.slice(header.indexOf(":") + 1).trim()]),
        );
        const body = answer(line.slice(line.indexOf(" ") + 1, line.lastIndexOf(" ")), headers);
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`,
          "latin1",
        );
      }
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return server.address().port;
}
