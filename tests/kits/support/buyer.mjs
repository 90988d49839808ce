// A buyer's browser as far as a shop can tell: cookies, a form's Origin, a way through Baton under the public host.

import { HOST } from "./programs.mjs";
import { raw, setCookies } from "../../runtime/support/world.mjs";

export class Buyer {
  #port;
  #cookies = new Map();

  /** `port` is Baton's. */
  constructor(port) {
    this.#port = port;
  }

  /** One request. Resolves to the answer with `json`, if it is some. */
  async ask(path, { method = "GET", headers = {}, body, port = this.#port } = {}) {
    const cookie = [...this.#cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await raw(port, path, { method, body, headers: { host: HOST, accept: "text/html", ...(cookie && { cookie }), ...headers } });
    for (const { name, value } of Object.values(setCookies(answer))) this.#cookies.set(name, value);
    return { ...answer, json: /json/.test(answer.headers["content-type"] ?? "") ? JSON.parse(answer.body) : undefined };
  }

  /** Sends a form, as a page of the shop's own does. */
  post(path, fields, options = {}) {
    const body = new URLSearchParams(fields).toString();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      origin: `http://${HOST}`,
      ...options.headers,
    };
    return this.ask(path, { ...options, method: "POST", body, headers });
  }

  /** Sends a file, as `<input type=file>` does. */
  upload(path, fields, name, bytes) {
    const edge = "----------------baton";
    const part = (head, content) =>
      Buffer.concat([Buffer.from(`--${edge}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")]);
    const texts = Object.entries(fields).map(([field, value]) => part(`name="${field}"`, value));
    const file = part(`name="${name}"; filename="ticket.bin"\r\nContent-Type: application/octet-stream`, bytes);
    const body = Buffer.concat([...texts, file, Buffer.from(`--${edge}--\r\n`)]);
    const headers = { "content-type": `multipart/form-data; boundary=${edge}`, "content-length": body.length, origin: `http://${HOST}` };
    return this.ask(path, { method: "POST", body, headers });
  }
}
