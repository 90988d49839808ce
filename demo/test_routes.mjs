// Routes below /buy/ that only tests need, for what a proxy can get wrong: slow bodies, sockets, many cookies, errors,
// redirects, cacheable answers. They are off unless `startShop` gets `testRoutes: true`.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer } from "ws";

const MS_MAX = 60_000;
const CHUNKS_MAX = 10_000;
const ECHO_TEXT_MAX = 64 * 1024;

const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

function parameter(url, name, otherwise, max) {
  const value = Number(url.searchParams.get(name) ?? otherwise);
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), max) : otherwise;
}

function json(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers });
  response.end(JSON.stringify(value));
}

/** Answers with what the shop saw of a request: always the length and SHA-256 of its body, the body as text only if it is short. */
async function echo({ request, response }) {
  const hash = createHash("sha256");
  const kept = [];
  let bytes = 0;
  for await (const chunk of request) {
    hash.update(chunk);
    if (bytes < ECHO_TEXT_MAX) kept.push(chunk);
    bytes += chunk.length;
  }
  const { method, url: path, headers, rawHeaders } = request;
  const body = bytes <= ECHO_TEXT_MAX ? Buffer.concat(kept).toString() : null;
  json(response, 200, { method, path, headers, raw_headers: rawHeaders, body, bytes, sha256: hash.digest("hex") });
}

/** `?chunks=10&ms=100&bytes=16`: sends each chunk on its own, so that a client sees whether a proxy streamed the answer. */
async function stream({ response, url }) {
  const [chunks, ms, bytes] = [parameter(url, "chunks", 10, CHUNKS_MAX), parameter(url, "ms", 100, MS_MAX), parameter(url, "bytes", 16, 1 << 20)];
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  for (let i = 0; i < chunks && !response.destroyed; i += 1) {
    response.write(`${`${i} `.padEnd(bytes, ".")}\n`);
    await sleep(ms);
  }
  response.end();
}

async function slow({ response, url }) {
  await sleep(parameter(url, "ms", 1_000, MS_MAX));
  json(response, 200, { slow: true });
}

const ROUTES = {
  "/buy/echo": echo,
  "/buy/slow": slow,
  "/buy/stream": stream,
  "/buy/extend": ({ response, url }) => {
    const s = parameter(url, "s", 60, 86_400);
    json(response, 200, { extended_s: s }, { "baton-extend": String(s) });
  },
  "/buy/release": ({ response, release }) => {
    release();
    json(response, 200, { released: true }, { "baton-release": "1" });
  },
  "/buy/cookie": ({ response }) =>
    json(
      response,
      200,
      { cookies: 3 },
      {
        "set-cookie": [
          "shop-basket=b1; Path=/; SameSite=Lax",
          "shop-language=ja; Path=/; Expires=Wed, 01 Jan 2070 00:00:00 GMT",
          "shop-old=; Path=/; Max-Age=0",
        ],
      },
    ),
  "/buy/error": ({ response, url }) => json(response, parameter(url, "status", 503, 599) || 503, { error: "on purpose" }),
  "/buy/redirect": ({ response, url }) => {
    response.writeHead(parameter(url, "status", 302, 308), { location: url.searchParams.get("to") ?? "/buy/" });
    response.end();
  },
  "/buy/cached": ({ response }) => json(response, 200, { cached: true }, { "cache-control": "public, max-age=60" }),
};

/** Answers the request if its path is one of the routes here. Resolves to whether it was. */
export async function testRoute(context) {
  const route = Object.hasOwn(ROUTES, context.url.pathname) ? ROUTES[context.url.pathname] : null;
  await route?.(context);
  return route !== null;
}

/** Serves `/buy/ws`: sends back what it gets, text as text and binary as binary. `?hello=1` sends the headers seen first. */
export function echoSocket(request, socket, head) {
  const url = new URL(request.url, "http://shop");
  if (url.pathname !== "/buy/ws") return false;
  sockets.handleUpgrade(request, socket, head, (client) => {
    if (url.searchParams.has("hello")) client.send(JSON.stringify(request.headers));
    client.on("message", (data, binary) => client.send(data, { binary }));
    client.on("error", () => client.terminate());
  });
  return true;
}
