// An app's side of Baton: `await baton.enter(room)` comes back when the app may go on. No cookies; fetch and, where there is one,
// a WebSocket are all it needs, so it runs in browsers, React Native and Node.

import { merged } from "./credentials.js";
import { readFrame } from "./frame.js";

/** The line has no place for this app any more; `reason` as in a status, if it is known. */
export class Over extends Error {
  constructor(room, reason) {
    super(`the place in ${room} is over${reason ? `: ${reason}` : ""}`);
    Object.assign(this, { name: "Over", room, reason });
  }
}

/** Baton refuses, and asking again changes nothing; `code` as in docs/errors.md. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message ?? `Baton answered ${status}`);
    Object.assign(this, { name: "Refused", status, code });
  }
}

const PING_MS = 25_000;
/** How long a poll waits for a change, seconds. */
const WAIT_S = 20;
/** A socket that says nothing by then is given up, and the line is asked instead. */
const SOCKET_MS = 10_000;
const PAUSE_MS_MAX = 30_000;

/** Resolves after so long, or rejects when the signal says so. */
const after = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted?.();
    const stop = () => (clearTimeout(timer), reject(signal.reason));
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), ms);
    signal?.addEventListener("abort", stop, { once: true });
  });

const inMemory = () => {
  let kept = "";
  return { get: () => kept, set: (text) => void (kept = text) };
};

export class Baton {
  #listeners = new Map();
  #told = {};
  #writing = Promise.resolve();

  /** `url`: the site's. `store`: where credentials live, `get()` and `set(text)`, which may be async. */
  constructor({ url, store = inMemory(), fetch: send = (...request) => globalThis.fetch(...request), WebSocket: Socket = globalThis.WebSocket }) {
    Object.assign(this, { url: url.replace(/\/+$/, ""), store, send, Socket });
  }

  /** Calls `listener` at each `number`, `ahead`, `called`, `over` and `status`. Returns what ends that. */
  on(name, listener) {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
    return () => all.delete(listener);
  }

  /** Waits in line as long as it takes; resolves to the status once the gated paths are open. */
  async enter(room, { signal } = {}) {
    for (let failures = 0, fresh = 0; ; ) {
      const answer = await this.#call(room, "enter", { method: "POST", signal }).catch((error) => {
        signal?.throwIfAborted?.();
        return { error };
      });
      if (answer.status === 200) {
        failures = fresh = 0;
        this.#tell(answer.json);
        if (answer.json.in) return answer.json;
        if (answer.json.state === "over") throw new Over(room, answer.json.reason);
        await this.#change(room, answer.json, signal);
      } else if (answer.status === 401 && (fresh += 1) <= 2) {
        // Many come at once: each in the last of so many seconds.
        if (answer.retryMs) await after(answer.retryMs - Math.random() * 1_000, signal);
      } else if (answer.error || answer.status === 429 || answer.status >= 500) {
        failures += 1;
        const pause = answer.retryMs ?? Math.min(1_000 * 2 ** failures, PAUSE_MS_MAX);
        await after(pause * (1 + Math.random() / 2), signal);
      } else {
        throw new Refused(answer.status, answer.json?.error?.code, answer.json?.error?.message);
      }
    }
  }

  /** As `fetch`, with the app's credentials. An answer that says "wait" is waited out in `room`, and asked once more. */
  async fetch(room, input, init = {}) {
    const once = async () => {
      const kept = (await this.store.get()) ?? "";
      const answer = await this.send(new URL(input, this.url).href, {
        ...init,
        credentials: "omit",
        headers: { ...plain(init.headers), "Baton-Credentials": kept },
      });
      await this.#keep(kept, answer);
      return answer;
    };
    const answer = await once();
    if (answer.status !== 429 || answer.headers.get("baton-state") !== "waiting") return answer;
    await this.enter(room, { signal: init.signal });
    return once();
  }

  /** Gives the place or the permit up. */
  async leave(room) {
    await this.#call(room, "leave", { method: "POST" });
    this.#told = {};
  }

  async #call(room, call, { method = "GET", signal } = {}) {
    const kept = (await this.store.get()) ?? "";
    const headers = { Accept: "application/json", "Baton-Credentials": kept };
    const answer = await this.send(`${this.url}/__baton/${room}/${call}`, { method, headers, signal, credentials: "omit" });
    await this.#keep(kept, answer);
    const text = await answer.text();
    const seconds = Number(answer.headers.get("retry-after"));
    return { status: answer.status, json: text ? JSON.parse(text) : undefined, retryMs: seconds > 0 ? seconds * 1_000 : undefined };
  }

  /** Changes are written one after the other: each is laid over what the one before has left. */
  #keep(shown, answer) {
    const answered = answer.headers.get("baton-credentials");
    if (answered === null) return this.#writing;
    const write = async () => this.store.set(merged((await this.store.get()) ?? "", shown, answered));
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }

  /** Comes back when something has changed that `enter` should know of. */
  async #change(room, status, signal) {
    if (this.Socket && (await this.#listen(room, status, signal))) return;
    await after(Math.min((status.poll_after_s ?? 1) * 1_000, PAUSE_MS_MAX), signal);
    const { status: code, json } = await this.#call(room, `status?wait_s=${WAIT_S}`, { signal }).catch(() => ({}));
    if (code === 200) this.#tell(json);
  }

  /** The room's socket, by a token among its protocols; false: there is none to be had. */
  async #listen(room, status, signal) {
    const { status: code, json } = await this.#call(room, "socket", { method: "POST", signal }).catch(() => ({}));
    if (code !== 200) return false;
    let place = status;
    return new Promise((resolve, reject) => {
      let heard = false;
      const socket = new this.Socket(`${this.url.replace(/^http/, "ws")}/__baton/${room}/socket`, json.protocols);
      socket.binaryType = "arraybuffer";
      const timers = [setTimeout(() => heard || end(false), SOCKET_MS), setInterval(() => socket.readyState === 1 && socket.send("ping"), PING_MS)];
      // A socket that is closed while it opens tells of an error at once.
      let isOver = false;
      const settle = (how, what) => {
        if (isOver) return;
        isOver = true;
        timers.forEach(clearTimeout);
        signal?.removeEventListener("abort", stop);
        socket.close();
        how(what);
      };
      const end = (isGood) => settle(resolve, isGood);
      const stop = () => settle(reject, signal.reason);
      signal?.addEventListener("abort", stop, { once: true });
      socket.onopen = () => socket.send("{}");
      // Asked anew at once, a lobby that closes sockets would be asked by everybody it closed.
      socket.onclose = socket.onerror = () => end(false);
      socket.onmessage = ({ data }) => {
        heard = true;
        if (data === "pong") return;
        if (typeof data !== "string") {
          const frame = readFrame(data);
          if (frame && place.number && frame.version >= place.version)
            this.#tell({ ...place, ahead: Math.min(frame.ahead(shownNumber(place)), place.ahead ?? Infinity) });
          return;
        }
        place = JSON.parse(data);
        if (["waiting", "hall"].includes(place.state)) this.#tell(place);
        else end(true);
      };
    });
  }

  #tell(status) {
    const before = this.#told;
    // Nothing is said of a place that would put it further back.
    const isSame = before.number === status.number && before.edition === status.edition;
    const ahead = isSame && before.ahead !== undefined && status.ahead !== undefined ? Math.min(before.ahead, status.ahead) : status.ahead;
    this.#told = { ...status, ahead };
    this.#emit("status", this.#told);
    if (status.number !== undefined && !isSame) this.#emit("number", shownNumber(status), status.lane?.title);
    if (ahead !== undefined && (!isSame || ahead !== before.ahead)) this.#emit("ahead", ahead);
    const isNew = (state) => status.state === state && before.state !== state;
    if (isNew("called") || (isNew("admitted") && before.state === "waiting")) this.#emit("called");
    if (isNew("over")) this.#emit("over", status.reason);
  }

  #emit(name, ...what) {
    for (const listener of this.#listeners.get(name) ?? []) listener(...what);
  }
}

/** The number that people are shown: where a room has lanes it counts within the lane. */
const shownNumber = ({ number, lane }) => lane?.number ?? number;

const plain = (headers) =>
  headers?.forEach && !Array.isArray(headers) ? Object.fromEntries([...headers]) : Array.isArray(headers) ? Object.fromEntries(headers) : headers;
