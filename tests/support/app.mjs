// An app as Baton sees one: it keeps no cookies, and sends the credentials that it got last.

import http from "node:http";

/** One client. `send()` resolves to `{ status, headers, body, json }`. */
export class App {
  constructor({ url, room = "onsale", credentials, headers = {} }) {
    this.url = new URL(url);
    this.room = room;
    this.credentials = credentials;
    this.headers = headers;
  }

  /** One request with the credentials, which are kept as the answer says. */
  async send(method, path, /** @type {{ headers?: Record<string, string>, body?: string }} */ { headers = {}, body } = {}) {
    const own = this.credentials === undefined ? {} : { "baton-credentials": this.credentials };
    const answer = await exchange(this.url, method, path, { headers: { accept: "application/json", ...this.headers, ...own, ...headers }, body });
    this.credentials = answer.headers["baton-credentials"] ?? this.credentials;
    return answer;
  }

  /** One of the room's calls. */
  call(name, method = "POST", options) {
    return this.send(method, `/__baton/${this.room}/${name}`, options);
  }

  /** What stands in the credentials under a name such as `visitor` or `onsale-pass`. */
  token(name) {
    const pairs = (this.credentials ?? "").split("; ").map((pair) => pair.split("="));
    return pairs.find(([found]) => found === name)?.[1];
  }

  /** In, or in line: whatever `enter` says of somebody whose credentials came back. */
  async enter() {
    const first = await this.call("enter");
    return first.status === 401 ? this.call("enter") : first;
  }
}

function exchange(url, method, path, { headers, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: url.hostname, port: url.port, method, path, headers, agent: false }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers["content-type"]?.startsWith("application/json");
        resolve({ status: response.statusCode, headers: response.headers, body: text, json: isJson ? JSON.parse(text) : undefined });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
