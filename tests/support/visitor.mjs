// One simulated person with a browser: cookies, navigations, the room's socket. A real HTTP client, so that what it
// sees is what visitors of any Baton see. It decodes frames on its own, from docs/client.md and not with the page's
// code, so that the two check each other. It asserts nothing: it keeps a history, and tests judge.

import WebSocket from "ws";
import { exchange, parse, textOf } from "./exchange.mjs";

const PING_EVERY_MS = 25_000;
/** After both have said that the socket is closed, a browser waits for the end of the connection no longer than this. */
const CLOSING_MS_MAX = 2_000;
const REQUEST_TIMEOUT_MS = 60_000;
const ACCEPT_PAGE = "text/html,application/xhtml+xml,*/*;q=0.8";

/** Cookies of one origin. Paths and expiry dates in the past are all that it needs to know about. */
export class CookieJar {
  #cookies = new Map();

  take(setCookies = []) {
    for (const line of setCookies) {
      const [pair, ...attributes] = line.split(";").map((part) => part.trim());
      const name = pair.slice(0, pair.indexOf("="));
      if (isGone(attributes)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(name.length + 1));
    }
  }

  header() {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  get(name) {
    return this.#cookies.get(name);
  }
  set(name, value) {
    this.#cookies.set(name, value);
  }
  delete(name) {
    return this.#cookies.delete(name);
  }
  names() {
    return [...this.#cookies.keys()];
  }
  clear() {
    this.#cookies.clear();
  }
}

function isGone(attributes) {
  const valueOf = (wanted) => attributes.map((a) => a.split("=")).find(([k]) => k.toLowerCase() === wanted)?.[1];
  const age = valueOf("max-age");
  if (age !== undefined) return Number(age) <= 0;
  const expires = valueOf("expires");
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

// ------------------------------------------------------------------------------------------------ frames

/** The ranks of a frame's points, each with whether a slack leads to it. @returns {Generator<[number, boolean]>} */
function* ranksOf(waiting) {
  for (let rank = 0, slacked = false; rank < waiting; ) {
    yield [rank, slacked];
    if (rank === waiting - 1) return;
    slacked = rank >= 5000;
    const step = rank < 100 ? 1 : slacked ? Math.floor(rank / 16) : 3 + Math.floor(rank / 100);
    rank = Math.min(rank + step, waiting - 1);
  }
}

/**
 * A frame as an object, or `null` when its format is unknown. Its points are `[number, ahead, slack]`, slack `null`
 * where there is none. Throws on a frame that is cut or too long or says what cannot be.
 */
export function decodeFrame(bytes) {
  if (bytes[0] !== 1) return null;
  let at = 2; // the format, and the mode
  const byte = () => {
    if (at >= bytes.length) throw new RangeError("frame is cut");
    at += 1;
    return bytes[at - 1];
  };
  const integer = () => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 56; scale *= 128) {
      // 2^53 − 1 doesn't fit the 32 bits of JavaScript's shifts
      const next = byte();
      value += (next & 0x7f) * scale;
      if (!Number.isSafeInteger(value)) break;
      if (next < 0x80) return value;
    }
    throw new RangeError("integer above 2^53 − 1");
  };
  const mode = ["open", "paused", "bypass", "closed", "sold_out", "drain", "observe"][bytes[1] % 128];
  const behind = bytes[1] >= 128;
  const spread_s = byte();
  if (mode === undefined) throw new RangeError(`mode ${bytes[1]}`);
  const [version, waiting, call_us_low, call_us_high] = Array.from({ length: 4 }, integer);
  if (call_us_low > call_us_high) throw new RangeError("a range that runs backwards");
  const points = [];
  for (const [ahead, slacked] of ranksOf(waiting)) {
    const [number, before] = points.at(-1) ?? [0, -1];
    const step = integer();
    if (step < ahead - before) throw new RangeError("more people than numbers");
    if (!Number.isSafeInteger(number + step)) throw new RangeError("number above 2^53 − 1");
    points.push([number + step, ahead, slacked ? byte() : null]);
  }
  const seats_to = at < bytes.length ? integer() : undefined;
  if (at !== bytes.length) throw new RangeError("bytes after the frame");
  return { mode, behind, spread_s, version, waiting, call_us_low, call_us_high, points, seats_to };
}

/** The bound on `ahead` that a frame gives to one number (docs/client.md, "Frame", steps 1 to 4). */
export function aheadFromFrame({ points, waiting }, number) {
  const after = points.findIndex(([n]) => n > number);
  const last = after === -1 ? points.at(-1) : points[after - 1];
  if (!last) return 0;
  const [n, a] = last;
  if (n === number) return a;
  if (after === -1) return waiting;
  const [next, more, slack] = points[after];
  const bounds = [a + (number - n), more - 1];
  if (slack !== null) bounds.push(a + Math.floor(((number - n) * (more - a)) / (next - n)) + Math.ceil((slack * (more - a)) / 255));
  return Math.min(...bounds);
}

// ------------------------------------------------------------------------------------------------ visitor

/** @typedef {{ method?: string, headers?: Record<string, string>, body?: string, timeoutMs?: number }} Asked */

export class Visitor {
  /**
   * `url`: any Baton; its path is where `arrive()` goes by default. `headers` go with every request.
   */
  constructor({ url, room = "onsale", language = "en", headers = {}, jar = new CookieJar(), name = "visitor" }) {
    this.url = new URL(url);
    this.room = room;
    this.language = language;
    this.extraHeaders = headers;
    this.jar = jar;
    this.name = name;
    this.tab = freshTab();
  }

  // What this tab knows.
  get number() {
    return this.tab.number;
  }
  get ahead() {
    return this.tab.ahead;
  }
  get state() {
    return this.tab.last?.state;
  }
  get last() {
    return this.tab.last;
  }
  get socket() {
    return this.tab.socket;
  }
  get history() {
    return this.tab.history;
  }

  // ---- requests

  /**
   * One request, cookies both ways, redirects not followed.
   * Answers `{ status, headers, body, json, error }`; `error` is the code of a Baton error.
   */
  async request(path, /** @type {Asked} */ { method = "GET", headers = {}, body, timeoutMs = REQUEST_TIMEOUT_MS } = {}) {
    /** @type {Record<string, string>} */
    const sent = { host: this.url.host, "accept-language": this.language, ...this.extraHeaders, ...headers };
    const cookie = this.jar.header();
    if (cookie) sent.cookie = cookie;
    const url = new URL(path, this.url);
    const startedAt = Date.now();
    const answer = await exchange(url, { method, headers: sent, body, timeoutMs });
    this.jar.take(answer.headers["set-cookie"]);
    this.#record("request", { method, path, status: answer.status, took_ms: Date.now() - startedAt });
    return answer;
  }

  /** A call to the room from a page of the site, as `fetch()` would make it. */
  call(name, options = {}) {
    const headers = {
      accept: "application/json",
      origin: this.url.origin,
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "cors",
      "sec-fetch-dest": "empty",
      ...options.headers,
    };
    return this.request(`/__baton/${this.room}/${name}`, { ...options, headers });
  }

  /**
   * Opens a page, as typing its address would. `state` is `waiting` (Baton's page) or `shop` (anything else), and
   * `status_object` what the waiting page carries.
   */
  async arrive(path = this.url.pathname + this.url.search, /** @type {Asked} */ { method = "GET", headers = {}, body } = {}) {
    const answer = await this.request(path, { method, body, headers: { ...navigation("none"), ...headers } });
    const waiting = answer.headers["baton-state"] === "waiting";
    const told = waiting ? embeddedStatus(answer.body) : null;
    if (told) this.#learn(told, "http");
    if (!waiting) this.#learnFromShop(answer);
    return {
      ...answer,
      state: waiting ? "waiting" : "shop",
      status_object: told,
      number: told?.number ?? numberIn(answer.headers["shop-ticket"]) ?? this.number,
      fence: numberIn(answer.headers["shop-fence"]),
    };
  }

  async join() {
    return this.#told(await this.call("join", { method: "POST" }));
  }

  async status(/** @type {{ wait_s?: number }} */ { wait_s } = {}) {
    return this.#told(await this.call(wait_s === undefined ? "status" : `status?wait_s=${wait_s}`));
  }

  async claim() {
    return this.#told(await this.call("claim", { method: "POST" }));
  }

  async leave() {
    return this.call("leave", { method: "POST" });
  }

  /** Goes to the gated path with a called ticket. Tries no second time: tests want to see what the first one did. */
  async claimByLanding(path) {
    const answer = await this.arrive(path);
    if (answer.state === "shop" && answer.status < 400) this.#record("landed", { number: answer.number });
    return answer;
  }

  /** Sends the shop's form; `key` is the one in the form that was seen last. Follows to the thank-you page. */
  async book({ seats = 1, key = this.tab.formKey ?? crypto.randomUUID(), follow = true } = {}) {
    const answer = await this.request("/buy/book", {
      method: "POST",
      headers: {
        ...navigation("same-origin"),
        origin: this.url.origin,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ seats: String(seats), key }).toString(),
    });
    const location = answer.headers.location;
    const booking = answer.status === 303 ? location?.split("/").at(-1) : undefined;
    if (booking) this.#record("booked", { booking, number: this.number });
    const thanks = booking && follow ? await this.request(location, { headers: navigation("same-origin") }) : undefined;
    return { ...answer, booking, thanks };
  }

  // ---- the socket

  /**
   * Opens the room's socket and waits for its first status. Rejects with `status`, `error` and `retryAfterS` when refused.
   * `resume`: takes no number, as the page opens it once it has one.
   */
  openSocket({ timeoutMs = 15_000, headers = {}, resume = false } = {}) {
    this.closeSocket();
    const url = new URL(`/__baton/${this.room}/socket${resume ? "?resume=1" : ""}`, this.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const sent = { origin: this.url.origin, cookie: this.jar.header(), ...this.extraHeaders, ...headers };
    const socket = new WebSocket(url, { headers: sent, perMessageDeflate: false, handshakeTimeout: timeoutMs, closeTimeout: CLOSING_MS_MAX });
    this.tab.socket = socket;
    this.tab.closed = null;
    socket.on("upgrade", (response) => this.jar.take(response.headers["set-cookie"]));
    socket.on("message", (data, binary) => this.#hear(data, binary));
    const ping = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send("ping"), PING_EVERY_MS);
    ping.unref();
    socket.on("close", (code, reason) => {
      clearInterval(ping);
      if (this.tab.socket !== socket) return; // an older socket of this tab, already replaced
      this.tab.closed = { code, reason: reason.toString() };
      this.#record("closed", this.tab.closed);
      this.#wake();
    });
    return this.#opened(socket, timeoutMs);
  }

  #opened(socket, timeoutMs) {
    return new Promise((resolve, reject) => {
      const fail = (error) => {
        clearTimeout(timer);
        socket.terminate();
        reject(error);
      };
      const timer = setTimeout(() => fail(new Error(`${this.name}: no status on the socket`)), timeoutMs);
      socket.on("error", fail);
      socket.on("close", (code) => fail(new Error(`${this.name}: socket closed ${code} before a status`)));
      socket.once("unexpected-response", async (_request, response) => {
        this.jar.take(response.headers["set-cookie"]);
        const body = await textOf(response);
        fail(
          Object.assign(new Error(`${this.name}: socket refused, ${response.statusCode} ${body.slice(0, 120)}`), {
            status: response.statusCode,
            error: parse(body)?.error?.code,
            retryAfterS: Number(response.headers["retry-after"]),
          }),
        );
      });
      const first = (_data, binary) => {
        if (binary) return;
        clearTimeout(timer);
        socket.off("message", first);
        resolve(this.tab.last);
      };
      socket.on("message", first);
    });
  }

  #hear(data, binary) {
    if (binary) return this.#see(decodeFrame(data));
    const text = data.toString();
    const status = text === "pong" ? null : parse(text);
    if (status) return this.#learn(status, "socket");
    this.#record(text === "pong" ? "pong" : "nonsense", { text });
    return this.#wake();
  }

  #see(frame) {
    const tab = this.tab;
    if (!frame || frame.version < Math.max(tab.frame?.version ?? 0, tab.version)) return;
    tab.frame = frame;
    if (tab.number !== undefined && tab.last?.state === "waiting") {
      tab.ahead = Math.min(tab.ahead ?? Infinity, aheadFromFrame(frame, tab.last.lane?.number ?? tab.number));
    }
    this.#record("frame", { version: frame.version, waiting: frame.waiting, ahead: tab.ahead, seats_to: frame.seats_to });
    this.#wake();
  }

  ping() {
    this.tab.socket.send("ping");
  }

  /** Closes the socket as a closing tab does. `abrupt`: as a dead battery does. */
  closeSocket({ abrupt = false } = {}) {
    const { socket } = this.tab;
    if (!socket) return;
    this.tab.socket = null;
    if (abrupt) socket.terminate();
    else socket.close(1000);
  }

  /**
   * Waits until `predicate(visitor)` holds; looks again after each message and each answer. Rejects on timeout, and
   * at once when the socket closes, unless `evenClosed`.
   */
  waitFor(predicate, timeoutMs = 30_000, { evenClosed = false } = {}) {
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        clearTimeout(timer);
        this.tab.waiters.delete(look);
        settle(value);
      };
      const failed = (why) => new Error(`${this.name}: ${why}; last known ${JSON.stringify(this.tab.last)}`);
      const look = () => {
        if (predicate(this)) return end(resolve, this.tab.last);
        const { closed } = this.tab;
        if (closed && !evenClosed) end(reject, Object.assign(failed(`socket closed ${closed.code}`), closed));
        return undefined;
      };
      const timer = setTimeout(() => end(reject, failed(`waited ${timeoutMs} ms in vain`)), timeoutMs);
      this.tab.waiters.add(look);
      look();
    });
  }

  waitForState(states, timeoutMs, options) {
    return this.waitFor((visitor) => [states].flat().includes(visitor.state), timeoutMs, options);
  }

  // ---- tabs and cookies

  /** A second tab of the same browser: the same cookies, its own socket and history. */
  fork() {
    const { url, room, language, extraHeaders: headers, jar, name } = this;
    return new Visitor({ url, room, language, headers, jar, name: `${name}'` });
  }

  dropCookies() {
    this.jar.clear();
  }

  /** Baton's cookie by its short name (`visitor`, `ticket`, `pass`), with any prefix. */
  cookie(which) {
    const plain = which === "visitor" ? "baton-visitor" : `baton-${this.room}-${which}`;
    return this.jar.get(`__Secure-${plain}`) ?? this.jar.get(`__Host-${plain}`) ?? this.jar.get(plain);
  }

  // ---- history

  /** Every time that a server-sent `ahead` was above an earlier one for the same number. Must stay empty. */
  aheadRises() {
    return this.tab.history.filter(({ kind }) => kind === "ahead_rose");
  }

  /** Every number that this tab was ever told, in order, without repeats next to each other. */
  numbers() {
    return this.tab.numbers;
  }

  /** When (local Unix ms) this tab heard that it is called; undefined when never. */
  calledAtMs() {
    return this.tab.history.find(({ kind, state }) => kind === "status" && state === "called")?.at_ms;
  }

  #told(answer) {
    if (answer.json?.state) this.#learn(answer.json, "http");
    return answer;
  }

  #learn(status, channel) {
    const tab = this.tab;
    const begunAnew = tab.edition !== undefined && status.edition !== undefined && status.edition !== tab.edition;
    if (status.number !== undefined && (status.number !== tab.number || begunAnew)) this.#renumber(status.number);
    tab.edition = status.edition ?? tab.edition;
    this.#watchAhead(status, channel);
    tab.last = status;
    tab.version = Math.max(tab.version, status.version ?? 0);
    if (status.missed) tab.everMissed = true;
    this.#record("status", { channel, state: status.state, number: status.number, ahead: status.ahead });
    this.#wake();
  }

  #renumber(number) {
    this.tab.number = number;
    this.tab.numbers.push(number);
    this.tab.ahead = undefined;
    this.tab.told = {};
  }

  /** Answers on the socket and over HTTP may overtake each other, so each way is compared with itself only. */
  #watchAhead({ ahead }, channel) {
    if (ahead === undefined) return;
    const tab = this.tab;
    const before = tab.told[channel];
    if (before !== undefined && ahead > before) this.#record("ahead_rose", { channel, from: before, to: ahead });
    tab.told[channel] = ahead;
    tab.ahead = Math.min(tab.ahead ?? Infinity, ahead);
  }

  #learnFromShop({ headers, body }) {
    const number = numberIn(headers["shop-ticket"]);
    if (number !== undefined && number !== this.tab.number) this.#renumber(number);
    this.tab.formKey = /name="key" value="([^"]+)"/.exec(body)?.[1] ?? this.tab.formKey;
  }

  #record(kind, detail) {
    this.tab.history.push({ at_ms: Date.now(), kind, ...detail });
  }

  #wake() {
    for (const look of [...this.tab.waiters]) look();
  }
}

function freshTab() {
  return {
    number: undefined,
    ahead: undefined,
    last: null,
    frame: null,
    version: 0,
    socket: null,
    closed: null,
    formKey: undefined,
    everMissed: false,
    numbers: [],
    told: {},
    history: [],
    waiters: new Set(),
  };
}

// ------------------------------------------------------------------------------------------------ plumbing

function navigation(site) {
  return {
    accept: ACCEPT_PAGE,
    "sec-fetch-site": site,
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    "sec-fetch-user": "?1",
    "upgrade-insecure-requests": "1",
  };
}

function embeddedStatus(body) {
  const json = /<script[^>]*id="baton-status"[^>]*>([\s\S]*?)<\/script>/.exec(body)?.[1];
  return json ? parse(json) : null;
}

function numberIn(text) {
  return /^\d+$/.test(text ?? "") ? Number(text) : undefined;
}
