// The least that can be called a Baton, in memory: numbers in order, permits, sockets, landing, release. For tests of
// the Visitor and of the crowd, so that these are proven before they judge the real one. `fault` breaks one promise on
// purpose: "barging" (the last in line is called first), "rising" (`ahead` goes up), "crowded" (one permit too many).

import { once } from "node:events";
import http from "node:http";
import { WebSocketServer } from "ws";
import { makeProof } from "../../demo/proof.mjs";
import { encodeFrame } from "../support/frames.mjs";

export class StubBaton {
  constructor({ origin, secret = "stub secret", permits = 2, room = "onsale", fault = null }) {
    Object.assign(this, { origin: new URL(origin), secret, room, fault });
    this.permits = fault === "crowded" ? permits + 1 : permits;
    this.tickets = new Map(); // visitor cookie → ticket
    this.lastNumber = 0;
    this.lastFence = 0;
    this.version = 0;
    this.requests = [];
    this.sockets = new WebSocketServer({ noServer: true });
  }

  async open() {
    this.server = http.createServer((request, response) => this.#answer(request, response));
    this.server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}/buy/`;
    return this;
  }

  close() {
    for (const client of this.sockets.clients) client.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }

  // ---- the line

  all(state) {
    return [...this.tickets.values()].filter((ticket) => ticket.state === state);
  }
  used() {
    return this.all("called").length + this.all("admitted").length;
  }

  join(cookie) {
    const known = this.tickets.get(cookie);
    if (known && known.state !== "over") return known;
    this.lastNumber += 1;
    const ticket = { number: this.lastNumber, state: "waiting", sockets: new Set() };
    this.tickets.set(cookie, ticket);
    return ticket;
  }

  turn() {
    this.version += 1;
    for (const ticket of this.#callable()) {
      this.lastFence += 1;
      Object.assign(ticket, { state: "called", fence: this.lastFence, claimByMs: Date.now() + 30_000 });
      this.#tell(ticket);
    }
    const line = this.all("waiting").map(({ number }) => number);
    const frame = encodeFrame({ version: this.version, low: 500_000, high: 900_000, line });
    for (const client of this.sockets.clients) client.send(frame);
    if (this.fault === "rising") this.all("waiting").forEach((ticket) => this.#tell(ticket));
  }

  /** Who is in line: the called too, so that a missed call raises nobody's `ahead`. */
  line() {
    return [...this.all("waiting"), ...this.all("called")].sort((a, b) => a.number - b.number);
  }

  #callable() {
    const present = this.all("waiting").filter(({ sockets }) => sockets.size > 0);
    if (this.fault === "barging") present.reverse();
    return present.slice(0, Math.max(this.permits - this.used(), 0));
  }

  end(ticket, reason) {
    Object.assign(ticket, { state: "over", reason });
    this.#tell(ticket);
    this.turn();
  }

  /** Instead of a clock: a called ticket whose last socket closes has missed its call at once. */
  #gone(ticket, client) {
    ticket.sockets.delete(client);
    if (ticket.state !== "called" || ticket.sockets.size > 0) return;
    ticket.state = "waiting";
    this.turn();
  }

  status(ticket) {
    const base = { room: this.room, mode: "open", waiting: this.all("waiting").length, poll_after_s: 5 };
    if (!ticket) return { ...base, state: "none" };
    const { state, number, reason } = ticket;
    const real = this.line().filter((other) => other.number < number).length;
    const ahead = this.fault === "rising" ? this.version : real;
    return {
      ...base,
      state,
      number,
      ...(state === "waiting" && { ahead }),
      ...(state === "over" && { reason }),
      ...(state === "called" && { claim_by_at_ms: ticket.claimByMs }),
    };
  }

  #tell(ticket) {
    for (const client of ticket.sockets) client.send(JSON.stringify(this.status(ticket)));
  }

  // ---- requests

  async #answer(request, response) {
    this.requests.push({ method: request.method, url: request.url, headers: request.headers });
    const cookie = /(?:^|; )baton-visitor=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
    const call = request.url.split("?")[0].replace(`/__baton/${this.room}/`, "");
    if (call !== request.url.split("?")[0]) return this.#call(call, cookie, response);
    if (!request.url.startsWith("/buy/")) return this.#forward(request, response, null);
    const ticket = this.#landing(cookie);
    return ticket ? this.#forward(request, response, ticket) : this.#page(cookie, response);
  }

  #call(call, cookie, response) {
    if (!cookie) return sendJson(response, 403, { error: { code: "cookies_required", message: "no cookies" } }, newVisitor());
    if (call === "leave") {
      if (this.tickets.has(cookie)) this.end(this.tickets.get(cookie), "left");
      return response.writeHead(204).end();
    }
    const known = this.tickets.has(cookie);
    const ticket = call === "join" ? this.join(cookie) : this.tickets.get(cookie);
    if (call === "claim" && !this.#landing(cookie)) return sendJson(response, 409, { error: { code: "not_called", message: "" } });
    return sendJson(response, call === "join" && !known ? 201 : 200, this.status(ticket));
  }

  /** The ticket that may pass: admitted already, called, or a walk-in with a known visitor. */
  #landing(cookie) {
    if (!cookie) return null;
    const walksIn = !this.tickets.has(cookie) && this.used() < this.permits && this.all("waiting").length === 0;
    if (walksIn) Object.assign(this.join(cookie), { state: "called", fence: (this.lastFence += 1) });
    const ticket = this.tickets.get(cookie);
    if (ticket?.state === "called") ticket.state = "admitted";
    return ticket?.state === "admitted" ? ticket : null;
  }

  #page(cookie, response) {
    const status = JSON.stringify(this.status(this.tickets.get(cookie)));
    response.writeHead(200, { "content-type": "text/html", "baton-state": "waiting", ...(cookie ? {} : newVisitor()) });
    response.end(`<script type="application/json" id="baton-status">${status}</script>`);
  }

  #forward(request, response, ticket) {
    const { cookie, host, ...headers } = request.headers;
    const fence = ticket ? String(ticket.fence) : "0";
    const { method, url: path } = request;
    const added = ticket && {
      "baton-room": this.room,
      "baton-ticket": String(ticket.number),
      "baton-fence": fence,
      "baton-ends-at-ms": String(Date.now() + 60_000),
    };
    const proof = makeProof({ secret: this.secret, atMs: Date.now(), method, host: this.origin.host, path, room: ticket ? this.room : "", fence });
    const sent = { ...headers, ...added, host: this.origin.host, "baton-proof": proof };
    const onward = http.request(new URL(path, this.origin), { method, headers: sent }, (answer) => {
      const { "baton-release": release, ...kept } = answer.headers;
      if (release && ticket) this.end(ticket, "released");
      response.writeHead(answer.statusCode, kept);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  }

  #upgrade(request, socket, head) {
    this.requests.push({ method: "SOCKET", url: request.url, headers: request.headers });
    const cookie = /(?:^|; )baton-visitor=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
    if (!cookie) {
      const body = JSON.stringify({ error: { code: "cookies_required", message: "no cookies" } });
      socket.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    const ticket = this.join(cookie);
    this.sockets.once("headers", (headers) => headers.push(`Set-Cookie: baton-${this.room}-ticket=t${ticket.number}; Path=/`));
    this.sockets.handleUpgrade(request, socket, head, (client) => {
      ticket.sockets.add(client);
      client.on("close", () => this.#gone(ticket, client));
      client.on("message", (data) => data.toString() === "ping" && client.send("pong"));
      client.send(JSON.stringify(this.status(ticket)));
      this.turn();
    });
  }
}

let visitors = 0;
function newVisitor() {
  visitors += 1;
  return { "set-cookie": `baton-visitor=v${visitors}; Path=/; HttpOnly; SameSite=Lax` };
}

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
