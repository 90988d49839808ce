// A small ticketing site to stand behind Baton: the origin of `npm start` and of the runtime tests.
//
//   node demo/shop.mjs [--port 9000] [--seats 2000] [--segments 8] [--lock-ms 40] [--db shop.db] [--room onsale]
//                      [--crowd-url http://localhost:8787/buy/] [--public-host localhost:8787] [--test-routes] [--code-file FILE]
//   (ORIGIN_SECRET in the environment)
//
// Everything below /buy/ is gated: with an `originSecret`, a request there must carry Baton's proof. The shop never decides who
// may come in. It only refuses requests that bypassed Baton, counts who is inside, and says when a visitor is done.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runCrowd } from "./crowd.mjs";
import { Guests, guestOf } from "./guests.mjs";
import { buyPage, soldOutPage, startPage, thanksPage, troublePage } from "./pages.mjs";
import { ProofChecker } from "./proof.mjs";
import { SEATS_PER_BOOKING_MAX, Seats } from "./seats.mjs";
import { echoSocket, testRoute } from "./test_routes.mjs";
import { languageOf } from "./texts.mjs";
import { text, texts } from "../scripts/options.mjs";

const BODY_BYTES_MAX = 16 * 1024;
const CROWD_SIZE = 30;
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const FILES = {
  "/shop/shop.css": { file: "shop.css", type: "text/css; charset=utf-8" },
  "/shop/shop.js": { file: "shop.js", type: "text/javascript; charset=utf-8" },
};

/**
 * @typedef {{ originSecret?: string, publicHosts: string[], room: string, crowdUrl?: string, testRoutes: boolean, codeFile?: string,
 *   now: () => number }} Options
 */

/**
 * Starts the shop. `dbPath`, `seats`, `segments`, `lockMs`, `random`, `pause`: see seats.mjs. `now` is the clock of proofs, guests and
 * bookings. `publicHosts` are the hosts (with port) under which visitors reach Baton; see also `trustHost()`. `crowdUrl` is where the start
 * page's demo button sends its visitors; without it there is no button. `codeFile` is the operator's consent for `npm run find-permits`:
 * the shop serves the file while it exists.
 * @param {Partial<Options> & ConstructorParameters<typeof Seats>[0] & { port?: number, host?: string }} [options]
 */
export async function startShop({
  port = 0,
  host = "127.0.0.1",
  originSecret,
  publicHosts = [],
  room = "onsale",
  crowdUrl,
  testRoutes = false,
  codeFile,
  now = Date.now,
  ...seatOptions
} = {}) {
  const shop = new Shop({ originSecret, publicHosts, room, crowdUrl, testRoutes, codeFile, now, seatOptions });
  const server = http.createServer((request, response) => shop.answer(request, response));
  server.on("upgrade", (request, socket, head) => shop.upgrade(request, socket, head));
  server.keepAliveTimeout = 65_000; // longer than a proxy keeps its side open, so that no request meets a closing connection
  server.listen(port, host);
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    stats: () => shop.stats(),
    reset: () => shop.forgetGuests(),
    trustHost: (name) => shop.trustHost(name),
    stop: async () => {
      shop.abortCrowd();
      server.close();
      server.closeAllConnections();
      shop.close();
    },
  };
}

class Shop {
  /** @type {Options} */
  #options;
  #seats;
  #proofs;
  #guests;
  #refused = {};
  #crowd = null;
  #crowdStop = null;

  /** @param {Options & { seatOptions: ConstructorParameters<typeof Seats>[0] }} of */
  constructor({ seatOptions, ...options }) {
    const { originSecret, publicHosts, now } = options;
    this.#options = options;
    this.#seats = new Seats({ ...seatOptions, now });
    this.#proofs = originSecret ? new ProofChecker({ secret: originSecret, now, publicHosts }) : null;
    this.forgetGuests();
  }

  // ---- control flow

  async answer(request, response) {
    const url = urlOf(request);
    const language = languageOf(request.headers["accept-language"]);
    const context = { request, response, url, language, guest: null };
    try {
      if (!url) sendPage(context, 400, troublePage({ language, trouble: "wrong" }));
      else if (url.pathname.startsWith("/buy/")) await this.#gated(context);
      else await this.#open(context);
    } catch (error) {
      console.error("shop:", error);
      if (response.headersSent) response.destroy();
      else sendPage(context, 500, troublePage({ language, trouble: "broken" }));
    }
  }

  async #open(context) {
    const { request, response, url, language } = context;
    const route = `${request.method === "HEAD" ? "GET" : request.method} ${url.pathname}`;
    if (route === "GET /") return sendPage(context, 200, startPage({ language, crowd: Boolean(this.#options.crowdUrl) }));
    if (route === "GET /shop/stats") return sendJson(response, this.#statsFor(url));
    if (route === "GET /healthz") return sendJson(response, { ok: true });
    if (route === "POST /shop/crowd" && this.#options.crowdUrl) return this.#sendCrowd(context);
    if (route === "GET /.well-known/baton-find-permits" && existsSync(this.#options.codeFile ?? ""))
      return sendText(response, await readFile(this.#options.codeFile));
    if (request.method === "GET" && Object.hasOwn(FILES, url.pathname)) return sendFile(response, FILES[url.pathname]);
    return sendPage(context, 404, troublePage({ language, trouble: "missing" }));
  }

  async #gated(context) {
    const { request, response, url, language } = context;
    const refusal = await this.#admit(request, context);
    if (refusal) return this.#refuse(context, refusal);
    if (context.guest) showGuest(response, context.guest);
    context.release = () => context.guest && this.#guests.release(context.guest);
    const { pathname } = url;
    const read = ["GET", "HEAD"].includes(request.method);
    if (pathname === "/buy/" && read) return this.#buyPage(context);
    if (pathname === "/buy/book" && request.method === "POST") return this.#book(context);
    if (pathname.startsWith("/buy/thanks/") && read) return this.#thanks(context);
    if (this.#options.testRoutes && (await testRoute(context))) return undefined;
    return sendPage(context, 404, troublePage({ language, trouble: "missing" }));
  }

  // ---- who may come in

  /** Resolves to why this request is refused, or to `null`. Sets `context.guest`. */
  async #admit(request, context) {
    const unproven = await this.#proofs?.check(request);
    if (unproven) return unproven;
    const guest = guestOf(request.headers);
    if (guest === undefined) return "incomplete";
    context.guest = guest;
    if (!guest) return null;
    // A finished guest may still see the thank-you page, and the answer to a form that was sent twice.
    if (this.#guests.finished(guest) && isAfterwards(request)) return null;
    return this.#guests.enter(guest);
  }

  #refuse(context, why) {
    this.#countRefusal(why);
    context.response.setHeader("shop-refused", why);
    sendPage(context, 403, troublePage({ language: context.language, trouble: "refused" }));
  }

  #countRefusal(why) {
    this.#refused[why] = (this.#refused[why] ?? 0) + 1;
  }

  async upgrade(request, socket, head) {
    socket.on("error", () => socket.destroy());
    const refusal = urlOf(request)?.pathname.startsWith("/buy/") ? await this.#admit(request, {}) : "incomplete";
    if (refusal) this.#countRefusal(refusal);
    const served = !refusal && this.#options.testRoutes && echoSocket(request, socket, head);
    if (!served) socket.end(`HTTP/1.1 ${refusal ? "403 Forbidden" : "404 Not Found"}\r\nConnection: close\r\n\r\n`);
  }

  // ---- pages

  #buyPage(context) {
    const { language, guest } = context;
    const left = this.#seats.left();
    if (left === 0) this.#done(context); // nothing is left to buy, and the next in line should learn that soon
    const page = buyPage({ language, room: this.#options.room, number: guest?.number, left, formKey: randomUUID() });
    sendPage(context, 200, page);
  }

  async #book(context) {
    const { request, response, language, guest } = context;
    const order = orderIn(await bodyOf(request));
    if (!order) return sendPage(context, 400, troublePage({ language, trouble: "wrong" }));
    const mayCommit = () => !guest || !this.#guests.finished(guest); // a second tab may have finished in the meantime
    const { outcome, booking, left } = await this.#seats.book({ ...order, number: guest?.number ?? null, mayCommit });
    if (outcome === "refused") return this.#refuse(context, "finished");
    if (outcome === "sold_out") {
      if (left === 0) this.#done(context);
      return sendPage(context, 409, soldOutPage({ language, left }));
    }
    this.#done(context);
    response.writeHead(303, { location: `/buy/thanks/${booking.id}`, "cache-control": "no-store" });
    return response.end();
  }

  /** Says that the visitor is done: Baton passes the permit on as soon as it sees this header. */
  #done({ response, release }) {
    response.setHeader("baton-release", "1");
    release();
  }

  #thanks(context) {
    const { url, language } = context;
    const booking = this.#seats.byId(url.pathname.slice("/buy/thanks/".length));
    if (!booking) return sendPage(context, 404, troublePage({ language, trouble: "missing" }));
    return sendPage(context, 200, thanksPage({ language, booking }));
  }

  // ---- the demo crowd

  #sendCrowd(context) {
    const { request, response } = context;
    if (!["same-origin", "none", undefined].includes(request.headers["sec-fetch-site"])) {
      return this.#refuse(context, "foreign_crowd");
    }
    if (!this.#crowd?.running) this.#startCrowd();
    response.writeHead(303, { location: "/" });
    return response.end();
  }

  #startCrowd() {
    const crowd = { running: true, served: 0, of: CROWD_SIZE };
    const stop = new AbortController();
    this.#crowd = crowd;
    this.#crowdStop = stop;
    const { crowdUrl, room, now } = this.#options;
    const progress = ({ served }) => {
      crowd.served = served;
    };
    runCrowd({
      url: crowdUrl,
      room,
      visitors: CROWD_SIZE,
      arriveWithinMs: 10_000,
      holdMs: [2_000, 6_000],
      seed: now(),
      signal: stop.signal,
      progress,
    })
      .then(({ served, violations }) => Object.assign(crowd, { served, violations }))
      .catch((error) => console.error("crowd:", error.message))
      .finally(() => {
        crowd.running = false;
      });
  }

  abortCrowd() {
    this.#crowdStop?.abort();
  }

  // ---- figures

  stats() {
    const { capacity, left, bookings, sold } = this.#seats.totals();
    const refused = Object.values(this.#refused).reduce((sum, n) => sum + n, 0);
    return {
      ...this.#guests.stats(),
      bookings,
      refused,
      refused_by: { ...this.#refused },
      seats_total: capacity,
      seats_sold: sold,
      seats_left: left,
      ...(this.#crowd && { crowd: this.#crowd }),
    };
  }

  /** Returns the figures. `?brief=1` leaves out the lists, which grow with every visitor. */
  #statsFor(url) {
    const { order, calls, ...brief } = this.stats();
    return url.searchParams.has("brief") ? brief : { ...brief, order, calls };
  }

  /** Forgets all guests, for when the room in front of the shop begins a new edition and counts from one again. */
  forgetGuests() {
    this.#guests = new Guests({ now: this.#options.now });
  }

  /** Adds a public host of Baton that was not known at the start because its port was not. */
  trustHost(name) {
    this.#proofs?.trustHost(name);
  }

  close() {
    this.#seats.close();
  }
}

// ------------------------------------------------------------------------------------------------ requests

function urlOf(request) {
  return request.url.startsWith("/") ? new URL(`http://shop${request.url}`) : null;
}

function isAfterwards({ method, url }) {
  return url.startsWith("/buy/thanks/") || (method === "POST" && url === "/buy/book");
}

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the form's seats and key, or `null` if they make no sense. */
function orderIn(body) {
  const form = new URLSearchParams(body);
  const seats = Number(form.get("seats"));
  const key = form.get("key") ?? "";
  const sensible = Number.isInteger(seats) && seats >= 1 && seats <= SEATS_PER_BOOKING_MAX && /^[\w-]{8,64}$/.test(key);
  return sensible ? { seats, key } : null;
}

// ------------------------------------------------------------------------------------------------ answers

/** Repeats Baton's headers as the shop's own, for the crowd and for curious people: Baton may take its own off an answer. */
function showGuest(response, { number, fence, endsAtMs }) {
  response.setHeader("shop-ticket", String(number));
  response.setHeader("shop-fence", String(fence));
  response.setHeader("shop-ends-at-ms", String(endsAtMs));
}

function sendPage({ response, language }, status, page) {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-language": language,
    "cache-control": "no-store",
    vary: "Accept-Language",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
  });
  response.end(page);
}

function sendJson(response, value) {
  response.writeHead(200, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}

function sendText(response, bytes) {
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(bytes);
}

async function sendFile(response, { file, type }) {
  const bytes = await readFile(new URL(file, import.meta.url));
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache", "x-content-type-options": "nosniff" });
  response.end(bytes);
}

// ------------------------------------------------------------------------------------------------ command line

async function main() {
  const { values } = parseArgs({
    options: {
      port: text,
      host: text,
      seats: text,
      segments: text,
      "lock-ms": text,
      db: text,
      room: text,
      "crowd-url": text,
      "public-host": texts,
      "test-routes": { type: "boolean" },
      "code-file": text,
    },
  });
  const given = {
    port: Number(values.port ?? 9000),
    host: values.host,
    room: values.room,
    dbPath: values.db,
    seats: values.seats && Number(values.seats),
    segments: values.segments && Number(values.segments),
    lockMs: values["lock-ms"] && Number(values["lock-ms"]),
    crowdUrl: values["crowd-url"],
    testRoutes: values["test-routes"],
    originSecret: process.env.ORIGIN_SECRET,
    publicHosts: values["public-host"],
    codeFile: values["code-file"],
  };
  const shop = await startShop(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
  console.log(`shop: ${shop.url}${given.originSecret ? "" : "  (no ORIGIN_SECRET: anybody may come in)"}`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => shop.stop().then(() => process.exit(0)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
