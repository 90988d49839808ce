// A shop whose knee is known: one page at once and one that works. Each piece of work takes one of `segments` at random, each with
// `servers`, for `delay-ms`. So it serves segments × servers ÷ delay pieces of work a second, and people beyond
// segments × servers ÷ delay × (time of a visit) only wait.
//
//   node tests/find_permits/shop.mjs [--segments 1] [--servers 8] [--delay-ms 40] [--manner steady|leaks|convoys|jams] [--code-file FILE]
//
// leaks: each piece of work leaves a little behind that every later one must step over. convoys: who waits makes who works slower; jams: less so.
// Prints its address on the first line. /stats says how many people it saw and asked what.

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const CODE_PATH = "/.well-known/baton-find-permits";
/** After so many pieces of work each takes twice as long. */
const LEAK_PIECES = 6_000;
/** So many who wait cost as much as the work itself: with the first a shop that fell does not come back by itself, with the second it does. */
const [CONVOY, JAM] = [20, 80];

/** By which factor work takes longer. @type {Record<string, (now: { done: number, waiting: number }) => number>} */
export const MANNERS = {
  steady: () => 1,
  leaks: ({ done }) => 1 + done / LEAK_PIECES,
  convoys: ({ waiting }) => 1 + waiting / CONVOY,
  jams: ({ waiting }) => 1 + waiting / JAM,
};

class Line {
  #free;
  #waiting = [];

  constructor(servers) {
    this.#free = servers;
  }

  get length() {
    return this.#waiting.length;
  }

  async take() {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise((resolve) => this.#waiting.push(resolve));
  }

  give() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

const PAGE =
  '<!doctype html><title>Shop</title><form method="post" action="/order"><input type="hidden" name="key" value="k&amp;1"><button>Order</button></form>';

/** `code`: the text under /.well-known/, a function or null. `answer(request, response)` may answer in the shop's place, by true. */
export async function startKnownShop({
  segments = 1,
  servers = 8,
  delayMs = 40,
  manner = "steady",
  code = () => null,
  answer = () => false,
  port = 0,
  random = Math.random,
} = {}) {
  const lines = Array.from({ length: segments }, () => new Line(servers));
  const stats = { requests: 0, orders: 0, connections: 0, cookies: new Set(), bodies: [] };
  const work = async () => {
    const line = lines[Math.floor(random() * lines.length)];
    await line.take();
    const waiting = lines.reduce((total, { length }) => total + length, 0);
    await sleep(delayMs * MANNERS[manner]({ done: stats.orders, waiting }));
    line.give();
    stats.orders += 1;
  };
  const server = http.createServer(async (request, response) => {
    if (request.url === CODE_PATH) return response.writeHead(code() === null ? 404 : 200).end(code() ?? "");
    if (request.url === "/stats") return response.end(JSON.stringify({ ...stats, cookies: stats.cookies.size }));
    stats.requests += 1;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (await answer(request, response)) return undefined;
    if (request.url === "/")
      return response.writeHead(200, { "content-type": "text/html", "set-cookie": `guest=${stats.requests}; Path=/; HttpOnly` }).end(PAGE);
    if (request.url !== "/order" || request.method !== "POST") return response.writeHead(404).end();
    const body = Buffer.concat(chunks).toString();
    if (stats.bodies.length < 10) stats.bodies.push(body);
    stats.cookies.add(request.headers.cookie);
    await work();
    const isRight = new URLSearchParams(body).get("key") === "k&1" && /^guest=\d+$/.test(request.headers.cookie ?? "");
    return response.writeHead(isRight ? 200 : 400).end(isRight ? "Thank you" : "Who are you?");
  });
  server.on("connection", () => {
    stats.connections += 1;
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stats,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function main() {
  const text = { type: "string" };
  const { values } = parseArgs({ options: { segments: text, servers: text, "delay-ms": text, manner: text, "code-file": text, port: text } });
  const number = (name, fallback) => Number(values[name] ?? fallback);
  const codeFile = values["code-file"];
  const code = () => (codeFile && existsSync(codeFile) ? readFileSync(codeFile, "utf8") : null);
  const shop = await startKnownShop({
    segments: number("segments", 1),
    servers: number("servers", 8),
    delayMs: number("delay-ms", 40),
    manner: values.manner ?? "steady",
    code,
    port: number("port", 0),
  });
  console.log(shop.url);
  process.once("SIGTERM", () => process.exit(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
