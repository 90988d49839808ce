// Requests one after the other, counted and paced: an attack from here can neither hammer nor run away.

import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";

/** All of a run. An attempt that needs more is not made. */
export const REQUESTS_MAX = 400;
const PAUSE_MS = 40;
const TIMEOUT_MS = 20_000;
const SILENCE_MS = 1_500;

/** No answer in time. */
export class Late extends Error {}

export class Client {
  #url;
  #last = Promise.resolve();
  sent = 0;

  constructor(url) {
    this.#url = new URL(url);
  }

  get origin() {
    return this.#url.origin;
  }
  get host() {
    return this.#url.host;
  }

  /** The request's turn: after the one before, a pause later. */
  #turn(act) {
    const mine = this.#last.then(async () => {
      if (this.sent >= REQUESTS_MAX) throw new Error(`more than ${REQUESTS_MAX} requests`);
      this.sent += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return act();
    });
    this.#last = mine.catch(() => {});
    return mine;
  }

  /**
   * One request, its path and headers as they are. `{ status, headers, body, json }`; an upgrade has status 101.
   *
   * @param {string} path
   * @param {{ method?: string, headers?: Record<string, string>, body?: string }} [how]
   */
  ask(path, { method = "GET", headers = {}, body } = {}) {
    return this.#turn(
      () =>
        new Promise((resolve, reject) => {
          const { protocol, hostname, port, host } = this.#url;
          const options = { hostname, port, path, method, headers: { host, ...headers }, agent: false, timeout: TIMEOUT_MS };
          const request = (protocol === "https:" ? https : http).request(options);
          request.on("timeout", () => request.destroy(new Late(`no answer within ${TIMEOUT_MS} ms`)));
          request.on("error", reject);
          request.on("upgrade", (response, socket) => {
            socket.destroy();
            resolve({ status: 101, headers: response.headers, body: "", json: null });
          });
          request.on("response", async (response) => {
            try {
              const chunks = [];
              for await (const chunk of response) chunks.push(chunk);
              const text = Buffer.concat(chunks).toString();
              resolve({ status: response.statusCode, headers: response.headers, body: text, json: parsed(text) });
            } catch (error) {
              reject(error);
            }
          });
          request.end(body);
        }),
    );
  }

  /** Bytes as they are; everything that comes back until silence. */
  send(text) {
    return this.#turn(
      () =>
        new Promise((resolve) => {
          const { protocol, hostname, port } = this.#url;
          const secure = protocol === "https:";
          const to = { host: hostname, port: Number(port) || (secure ? 443 : 80), servername: hostname, ALPNProtocols: ["http/1.1"] };
          const socket = secure ? tls.connect(to) : net.connect(to);
          let heard = "";
          const end = () => {
            clearTimeout(silence);
            socket.destroy();
            resolve(heard);
          };
          let silence = setTimeout(end, TIMEOUT_MS);
          socket.setEncoding("latin1");
          socket.on(secure ? "secureConnect" : "connect", () => socket.write(Buffer.from(text, "latin1")));
          socket.on("data", (chunk) => {
            heard += chunk;
            clearTimeout(silence);
            silence = setTimeout(end, SILENCE_MS);
          });
          socket.on("error", end);
          socket.on("close", end);
        }),
    );
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
