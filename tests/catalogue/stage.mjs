// One Baton for all attacks of a file, with a room for each: room `c07` gates `/c07/*`, so no attack sees another's
// tickets and no test waits for a start. Behind it an origin that writes down what reached it. The names of the tests
// begin with the row of docs/security.md that they check.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { startRuntime } from "../../scripts/runtime.mjs";
import { ensureBuilt, eventually, passTimes, raw, setCookies, startOrigin } from "../runtime/support/world.mjs";
import { Visitor } from "../support/visitor.mjs";

/** What a browser sends when somebody goes to a page, and what a script sends. */
export const PAGE = { accept: "text/html,*/*;q=0.8" };
export const JSON_ONLY = { accept: "application/json" };
/** The waiting answer to a script must say this. */
export const PRIVATE = "private, no-store";

const TEST_MS = 120_000;
const ROOM = { permits: 1, tick_ms: 50, linger_s: 60, claim_within_s: 60, lease_idle_s: 600 };

/**
 * Begins a file. Returns `row(title, settings, story)`: a test with its own room, whose name is the first word of the
 * title up to `_`. `settings` are the room's; `vars` and `runtime` are for the Baton of the whole file.
 */
export function catalogue({ vars = {}, runtime = {} } = {}) {
  const rooms = {};
  const secrets = Object.fromEntries(["BATON_SECRET", "ORIGIN_SECRET", "BATON_ADMIN_TOKEN"].map((name) => [name, randomBytes(32).toString("hex")]));
  const stage = { rooms, secrets, handlers: {}, hits: {}, closing: [] };
  let started;
  const start = async () => {
    await ensureBuilt();
    const closing = { after: (end) => stage.closing.push(end) };
    stage.origin = await startOrigin(closing, (request, response) => answer(stage, request, response));
    stage.rt = await startRuntime({ vars: { ROOMS: rooms, ORIGIN: stage.origin.url, ...secrets, ...vars }, ...runtime });
    stage.closing.push(() => stage.rt.stop());
  };
  after(async () => {
    for (const end of stage.closing.reverse()) await end();
  });
  return function row(title, settings, story) {
    const room = title.split("_")[0];
    assert.ok(/^c\d{2,3}$/.test(room) && !rooms[room], `${title}: one room for each row`);
    rooms[room] = { ...ROOM, paths: [`/${room}/*`], ...settings };
    test(title, { timeout: TEST_MS }, async (t) => {
      await (started ??= start());
      await story(new Attack(stage, room, t));
    });
  };
}

/** The origin: what a test ordered for its room, else what it saw as JSON. */
async function answer(stage, request, response) {
  const room = request.url.split(/[/?]/)[1];
  const { method, url, headers, rawHeaders } = request;
  (stage.hits[room] ??= []).push({ method, url, headers, rawHeaders });
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined; // the client went away in the middle
  }
  const body = Buffer.concat(chunks).toString();
  const handler = stage.handlers[room];
  if (handler) return handler(request, response, body);
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
  return response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
}

class Attack {
  #stage;

  constructor(stage, room, t) {
    this.#stage = stage;
    Object.assign(this, { room, t, base: `/${room}/`, secrets: stage.secrets, rt: stage.rt });
  }

  get port() {
    return this.#stage.rt.port;
  }
  get host() {
    return `127.0.0.1:${this.port}`;
  }
  get url() {
    return new URL(this.base, this.#stage.rt.url).href;
  }
  get settings() {
    return this.#stage.rooms[this.room];
  }

  /** What the origin got of this room's, or below another first segment. */
  hits(segment = this.room) {
    return this.#stage.hits[segment] ?? [];
  }

  /** What the origin answers in this room from now on. */
  origin(handler, segment = this.room) {
    this.#stage.handlers[segment] = handler;
  }

  visitor(options = {}) {
    return new Visitor({ url: this.url, room: this.room, ...options });
  }

  /** The name of one of this room's cookies. */
  cookie(kind) {
    return kind === "visitor" ? "baton-visitor" : `baton-${this.room}-${kind}`;
  }

  /** One request with nothing added; `path` is below the room's. */
  raw(path = "", options) {
    return raw(this.port, this.base + path, options);
  }
  /** The same, from the root. */
  rawAt(path, options) {
    return raw(this.port, path, options);
  }

  /** Somebody who is in, whose lease is confirmed. */
  async holder() {
    const visitor = this.visitor();
    const first = await visitor.arrive();
    assert.deepEqual(
      [first.status, first.state],
      [200, "shop"],
      `walks in: ${first.body.slice(0, 200)} ${first.status >= 500 ? this.rt.logs() : ""}`,
    );
    await eventually(
      async () => {
        await visitor.arrive();
        return !passTimes(visitor.cookie("pass")).provisional;
      },
      { what: "a confirmed pass" },
    );
    return visitor;
  }

  /** Somebody in line. */
  async waiter() {
    const visitor = this.visitor();
    await visitor.arrive();
    const { number } = await visitor.arrive();
    assert.ok(number, "has a number");
    return visitor;
  }

  /** A request that must get the waiting answer, and of which the origin must see nothing. */
  async refused(path, { headers = {}, ...options } = {}, what = path) {
    const before = this.hits().length;
    const answer = await this.raw(path, { ...options, headers: { ...JSON_ONLY, ...headers } });
    assert.equal(answer.status, 429, `${what}: ${answer.status}`);
    assert.equal(answer.headers["cache-control"], PRIVATE, what);
    assert.deepEqual([JSON.parse(answer.body).state, JSON.parse(answer.body).room], ["waiting", this.room], what);
    assert.equal(this.hits().length, before, `${what} reached the origin`);
    return answer;
  }

  /** This pass cookie lets nobody in. */
  async deadPass(value, what = "the pass") {
    const answer = await this.refused("x", { headers: { cookie: `${this.cookie("pass")}=${value}` } }, what);
    assert.equal(setCookies(answer)[this.cookie("pass")]?.value, "", `${what} is cleared`);
  }

  /** This pass cookie lets nobody in, and stays: its key may be on its way here. */
  async strangePass(value, what = "the pass") {
    const answer = await this.refused("x", { headers: { cookie: `${this.cookie("pass")}=${value}` } }, what);
    assert.equal(answer.headers["set-cookie"], undefined, `${what} is left alone`);
  }

  /** This pass cookie lets in. */
  async livingPass(value, what = "the pass") {
    const answer = await this.raw("x", { headers: { ...JSON_ONLY, cookie: `${this.cookie("pass")}=${value}` } });
    assert.equal(answer.status, 200, `${what}: ${answer.status} ${answer.body}`);
    return answer;
  }

  /** The room in numbers, as its operator sees it. */
  async report() {
    const answer = await this.rawAt(`/__baton/admin/rooms/${this.room}`, { headers: { authorization: `Bearer ${this.secrets.BATON_ADMIN_TOKEN}` } });
    assert.equal(answer.status, 200, answer.body);
    return JSON.parse(answer.body).report;
  }
}

/** Runs `act` on all, at most `width` at a time. */
export async function each(items, act, width = 16) {
  const left = [...items].entries();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const [at, item] of left) await act(item, at);
    }),
  );
}
