// A whole Baton for one test: the built worker on workerd, the demo shop behind it. Every test has its own, so that no
// test sees another's tickets; it is gone when the test ends.

import http from "node:http";
import { randomBytes } from "node:crypto";
import { startShop } from "../../../demo/shop.mjs";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { build, workerDir } from "../../../scripts/build.mjs";
import { startRuntime } from "../../../scripts/runtime.mjs";
import { Visitor } from "../../support/visitor.mjs";

/** A room that behaves at once: short ticks, everything else as in wrangler.toml's defaults. */
const ROOM = { paths: ["/buy/*"], permits: 10, tick_ms: 50 };

/** Nothing to do when the build step ran before. `BATON_AS_BUILT=1` takes what is there, for work on the tests. */
let built;
const isThere = () => process.env.BATON_AS_BUILT && existsSync(path.join(workerDir(), "index_bg.wasm"));
export const ensureBuilt = () => (built ??= isThere() ? Promise.resolve() : build());

/**
 * @typedef {object} World
 * @property {object} [room] settings of the room `onsale`, laid over ROOM
 * @property {object} [rooms] all rooms by name, instead
 * @property {object} [vars] bindings laid over the usual ones; `undefined` removes one
 * @property {string} [origin] a URL instead of the demo shop's
 * @property {boolean} [service] the origin is a service binding
 * @property {Parameters<typeof startShop>[0]} [shop]
 * @property {import("../../../scripts/runtime.mjs").Serving} [runtime]
 */

/** Starts a world, which ends with the test. */
export async function startWorld(t, /** @type {World} */ { room = {}, rooms, vars = {}, origin, service = false, shop = {}, runtime = {} } = {}) {
  await ensureBuilt();
  const originSecret = randomBytes(32).toString("hex");
  const store = await startShop({ originSecret, testRoutes: true, lockMs: 0, ...shop });
  t.after(() => store.stop());
  const all = {
    ROOMS: rooms ?? { onsale: { ...ROOM, ...room } },
    BATON_SECRET: "test-secret-test-secret-test-secret",
    ORIGIN_SECRET: originSecret,
    ORIGIN: service ? undefined : (origin ?? store.url),
    ...vars,
  };
  const originService = service ? `127.0.0.1:${store.port}` : undefined;
  const baton = await startRuntime({ vars: all, originService, ...runtime });
  t.after(() => baton.stop());
  for (const host of ["127.0.0.1", "localhost"]) store.trustHost(`${host}:${baton.port}`);
  const url = new URL("/buy/", baton.url).href;
  return {
    baton,
    shop: store,
    url,
    vars: all,
    visitor: (options = {}) => new Visitor({ url, ...options }),
    raw: (path, options) => raw(baton.port, path, options),
    /** What workerd printed since the start. */
    logs: () => baton.logs(),
  };
}

/** One request with nothing added: exact header lines, exact path. Resolves to `{ status, headers, rawHeaders, body }`. */
export function raw(
  port,
  path,
  /** @type {{ method?: string, headers?: import("node:http").OutgoingHttpHeaders, body?: string | Buffer }} */ {
    method = "GET",
    headers = {},
    body,
  } = {},
) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** A server that answers each request with `answer(request, response)`, for what the shop does not do. */
export async function startOrigin(t, answer) {
  const requests = [];
  const server = http.createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, port, requests, server };
}

/** Tries until `look()` gives something truthy, or the time is over. Conditions, not sleeps. */
export async function eventually(look, { timeoutMs = 10_000, everyMs = 20, what = "it" } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** What a `Set-Cookie` line sets: `{ name, value, attributes }`. */
export function cookieOf(line) {
  const [pair, ...attributes] = line.split("; ");
  const at = pair.indexOf("=");
  return { name: pair.slice(0, at), value: pair.slice(at + 1), attributes };
}

/** The cookies an answer sets, by name. */
export function setCookies(answer) {
  return Object.fromEntries((answer.headers["set-cookie"] ?? []).map(cookieOf).map((cookie) => [cookie.name, cookie]));
}

/** What a pass says of its times, readable without a key: the payload is plain. */
export function passTimes(text) {
  const bytes = Buffer.from(text, "base64url");
  const at = (offset) => Number(bytes.readBigUInt64BE(offset));
  const payload = 6 + 8 + 4 + 8 + 2 + 16;
  return { freshUntil: at(payload), leaseEnds: at(payload + 8), hardEnds: at(payload + 16), provisional: bytes[payload + 24] === 1 };
}
