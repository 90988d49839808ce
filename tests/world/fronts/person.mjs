// Somebody in front of a proxy: by https, under the site's own host, from an address of the loopback's net, over HTTP/1.1 or HTTP/2. It asserts nothing.

import http2 from "node:http2";
import https from "node:https";
import WebSocket from "ws";
import { CookieJar } from "../../support/visitor.mjs";

export const HOST = "tickets.example.com";
/** What `overHttp2` says of a server that does not speak it. */
export const NO_HTTP2 = Symbol("no HTTP/2");
const SILENT_MS_MAX = 60_000;
const PAGE = {
  accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  "sec-fetch-site": "none",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
const CALL = {
  accept: "application/json",
  origin: `https://${HOST}`,
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
};

/** What an answer has, for both versions. */
async function read(answer, status, headers) {
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  return { status, headers, body, json: headers["content-type"]?.includes("json") ? JSON.parse(body) : undefined };
}

export class Person {
  #at;
  #agent = new https.Agent({ keepAlive: true });

  /** `at`: `{ port, ca }` of the proxy. `headers` go with every request. */
  constructor(at, { room, address = "127.0.0.1", headers = {}, cookies = true } = {}) {
    this.#at = { host: "127.0.0.1", servername: HOST, localAddress: address, ...at };
    Object.assign(this, { room, headers, jar: cookies && new CookieJar() });
  }

  #sent(headers) {
    const cookie = this.jar?.header();
    return { ...(cookie && { cookie }), ...this.headers, ...headers };
  }

  #kept(answer) {
    if (this.jar) this.jar.take(answer.headers["set-cookie"]);
    return answer;
  }

  /** Begins a request. Resolves to `{ request, answer }`, `answer` being promised when the headers are there. */
  begin(path, { method = "GET", headers = {} } = {}) {
    const request = https.request({
      ...this.#at,
      agent: this.#agent,
      path,
      method,
      headers: { host: HOST, ...this.#sent(headers) },
      timeout: SILENT_MS_MAX,
    });
    request.on("timeout", () => request.destroy(new Error(`${method} ${path}: silent for ${SILENT_MS_MAX} ms`)));
    const answer = new Promise((resolve, reject) => request.on("response", resolve).on("error", reject));
    answer.catch(() => {});
    return { request, answer };
  }

  async ask(path, options) {
    const { request, answer } = this.begin(path, options);
    request.end();
    const response = await answer;
    return this.#kept(await read(response, response.statusCode, response.headers));
  }

  page(path = `/${this.room}/`, headers = {}) {
    return this.ask(path, { headers: { ...PAGE, ...headers } });
  }

  call(name, method = "GET", headers = {}) {
    return this.ask(`/__baton/${this.room}/${name}`, { method, headers: { ...CALL, ...headers } });
  }

  /** Comes, and takes a number. Resolves to the answer of the call. */
  async join(headers) {
    await this.page();
    return this.call("join", "POST", headers);
  }

  /** Opens the room's socket. Resolves to it, once a status is there. */
  socket() {
    const socket = new WebSocket(`wss://127.0.0.1:${this.#at.port}/__baton/${this.room}/socket`, {
      ...this.#at,
      headers: { host: HOST, origin: `https://${HOST}`, ...this.#sent() },
      handshakeTimeout: SILENT_MS_MAX,
    });
    return new Promise((resolve, reject) => {
      socket.once("message", () => resolve(socket)).once("error", reject);
      socket.once("close", (code) => reject(new Error(`closed ${code} before a status`)));
    });
  }

  /** Runs `story` over one connection of HTTP/2. Resolves to what it resolves to, or to `NO_HTTP2`. */
  async overHttp2(story) {
    const { port, ca } = this.#at;
    const session = http2.connect(`https://${HOST}`, { ca, servername: HOST, host: "127.0.0.1", port });
    session.on("error", () => {});
    try {
      const isSpoken = await new Promise((resolve) => session.once("remoteSettings", () => resolve(true)).once("close", () => resolve(false)));
      if (!isSpoken) return NO_HTTP2;
      const ask = async (path, { method = "GET", headers = {} } = {}) => {
        const stream = session.request({ ":method": method, ":path": path, ":authority": HOST, ...this.#sent(headers) }).end();
        const answered = await new Promise((resolve, reject) => stream.once("response", resolve).once("error", reject));
        return this.#kept(await read(stream, answered[":status"], answered));
      };
      return await story({
        page: () => ask(`/${this.room}/`, { headers: PAGE }),
        join: () => ask(`/__baton/${this.room}/join`, { method: "POST", headers: CALL }),
        // What browsers do where a server offers it: a socket within the connection of the page.
        socket: () => {
          const stream = session.request({
            ":method": "CONNECT",
            ":protocol": "websocket",
            ":path": `/__baton/${this.room}/socket`,
            ":scheme": "https",
            ":authority": HOST,
            origin: `https://${HOST}`,
            "sec-websocket-version": "13",
            ...this.#sent({}),
          });
          return new Promise((resolve, reject) => {
            stream.once("response", (headers) => (headers[":status"] === 200 ? undefined : reject(new Error(`${headers[":status"]}`))));
            stream
              .once("data", resolve)
              .once("error", reject)
              .once("close", () => reject(new Error("closed before a status")));
          }).finally(() => stream.destroy());
        },
        offersSockets: session.remoteSettings.enableConnectProtocol === true,
      });
    } finally {
      session.destroy();
    }
  }

  leave() {
    this.#agent.destroy();
  }
}
