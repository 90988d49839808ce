// The shop behind: it tells what reached it, sends and takes in halves, and has one page that caches may keep.

import { once } from "node:events";
import http from "node:http";

const COOKIES = Array.from({ length: 4 }, (_, i) => `shop-${i}=${"c".repeat(2_000)}; Path=/`);

export async function startShop() {
  const state = { kept: 0, halves: new Map() };
  /** What waits for the other side to have got the first half. */
  const half = (id) => {
    if (!state.halves.has(id)) state.halves.set(id, Promise.withResolvers());
    return state.halves.get(id);
  };
  const routes = {
    "/seen": (request, response) =>
      response.setHeader("Set-Cookie", COOKIES).end(JSON.stringify({ ...request.headers, host: request.headers["x-forwarded-host"] })),
    "/kept": (_request, response) => {
      state.kept += 1;
      response.setHeader("Cache-Control", "public, max-age=60").end(`${state.kept}`);
    },
    "/down": async (request, response) => {
      response.write(`${"first ".repeat(20)}\n`);
      await half(request.url).promise;
      response.end("second");
    },
    "/up": async (request, response) => {
      request.once("data", () => half(request.url).resolve());
      for await (const chunk of request) void chunk;
      response.end("all");
    },
  };
  const server = http
    .createServer((request, response) => {
      response.setHeader("Content-Type", request.url.startsWith("/seen") ? "application/json" : "text/plain");
      const route = routes[`/${request.url.split(/[/?]/)[1]}`];
      return route ? route(request, response) : response.end("the shop");
    })
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    half,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
