// Shops on frameworks of Node's own, each with one gated page and everything else: `/buy` with all below it answers `buy`, whatever the framework makes of a
// target. What another handler answers, or none, is no `buy`.
//
//   node tests/spellings/node/handlers.mjs express fastify …   prints `NAME listening on 127.0.0.1:PORT` for each

import http from "node:http";

const BUY = "buy";
const OTHER = "other";
const PAGES = ["/buy", "/buy/*"];

/** A server that answers by a handler of Node's own; one that throws is no page. */
const server = (answer) =>
  http.createServer((request, response) => {
    const fail = () => response.headersSent || response.writeHead(500).end();
    try {
      Promise.resolve(answer(request, response)).catch(fail);
    } catch {
      fail();
    }
  });
const end = (text) => (_request, response) => response.end(text);
const gated = (pathname) => (/^\/buy(\/|$)/.test(pathname) ? BUY : OTHER);

/** Name → a server that is not yet listening. Each says by its own router which page it is. */
const SHOPS = {
  async express() {
    const { default: express } = await import("express");
    const app = express();
    app.use("/buy", end(BUY)).use(end(OTHER));
    return http.createServer(app);
  },
  async "express-4"() {
    const { default: express } = await import("express-4");
    const app = express();
    app.get("/buy", end(BUY)).get("/buy/*", end(BUY)).use(end(OTHER));
    return http.createServer(app);
  },
  async fastify() {
    const { default: fastify } = await import("fastify");
    const app = fastify();
    for (const page of PAGES) app.get(page, async () => BUY);
    app.setNotFoundHandler(async () => OTHER);
    await app.ready();
    return app.server;
  },
  async koa() {
    const [{ default: Koa }, { default: Router }] = [await import("koa"), await import("@koa/router")];
    const router = new Router();
    for (const page of ["/buy", "/buy/*rest"])
      router.get(page, (context) => {
        context.body = BUY;
      });
    const app = new Koa({ silent: true });
    app.silent = true;
    app.use(router.routes()).use((context) => {
      context.body ??= OTHER;
    });
    return http.createServer(app.callback());
  },
  async hono() {
    const [{ Hono }, { getRequestListener }] = [await import("hono"), await import("@hono/node-server")];
    const app = new Hono();
    for (const page of PAGES) app.get(page, (context) => context.text(BUY));
    app.notFound((context) => context.text(OTHER));
    return http.createServer(getRequestListener(app.fetch));
  },
  async hapi() {
    const { default: Hapi } = await import("@hapi/hapi");
    const listener = http.createServer();
    const app = Hapi.server({ listener, autoListen: false });
    app.route([
      { method: "GET", path: "/buy/{rest*}", handler: () => BUY },
      { method: "GET", path: "/{rest*}", handler: () => OTHER },
    ]);
    await app.start();
    return listener;
  },
  async restify() {
    const { default: restify } = await import("restify");
    const app = restify.createServer();
    for (const page of PAGES)
      app.get(page, (_request, response, next) => {
        response.end(BUY);
        next();
      });
    return app.server;
  },
  async polka() {
    const { default: polka } = await import("polka");
    const app = polka().use("/buy", end(BUY)).get("*", end(OTHER));
    return server(app.handler);
  },
  async h3() {
    const { H3 } = await import("h3");
    const { toNodeHandler } = await import("h3/node");
    const app = new H3();
    for (const page of ["/buy", "/buy/**"]) app.get(page, () => BUY);
    app.get("/**", () => OTHER);
    return server(toNodeHandler(app));
  },
  async tinyhttp() {
    const { App } = await import("@tinyhttp/app");
    const app = new App({ noMatchHandler: end(OTHER) });
    for (const page of PAGES) app.get(page, end(BUY));
    return server(app.handler.bind(app));
  },
  async connect() {
    const { default: connect } = await import("connect");
    return http.createServer(connect().use("/buy", end(BUY)).use(end(OTHER)));
  },
  async router() {
    const { default: Router } = await import("router");
    const router = new Router();
    for (const page of ["/buy", "/buy/*rest"]) router.get(page, end(BUY));
    return server((request, response) => router(request, response, () => response.end(OTHER)));
  },
  async "find-my-way"() {
    const { default: findMyWay } = await import("find-my-way");
    const router = findMyWay({
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      caseSensitive: false,
      useSemicolonDelimiter: true,
      defaultRoute: end(OTHER),
    });
    for (const page of PAGES) router.on("GET", page, end(BUY));
    return server((request, response) => router.lookup(request, response));
  },
  async "itty-router"() {
    const [{ Router }, { getRequestListener }] = [await import("itty-router"), await import("@hono/node-server")];
    const router = Router();
    router.get("/buy/*", () => new Response(BUY)).all("*", () => new Response(OTHER));
    return http.createServer(getRequestListener((request) => router.fetch(request)));
  },
  /** A file below the gated path is the page. */
  async sirv() {
    const { default: sirv } = await import("sirv");
    return server(sirv(new URL("./pages", import.meta.url).pathname, { dev: true, onNoMatch: (_request, response) => response.end(OTHER) }));
  },
  async send() {
    const { default: send } = await import("send");
    return server((request, response) =>
      send(request, request.url.split("?")[0], { root: new URL("./pages", import.meta.url).pathname })
        .on("error", () => response.end(OTHER))
        .pipe(response),
    );
  },
  "new URL": () => server((request, response) => response.end(gated(decodeURIComponent(new URL(request.url, "http://shop.internal").pathname)))),
  "url.parse": async () => {
    const url = await import("node:url");
    return server((request, response) => response.end(gated(decodeURIComponent(url.parse(request.url).pathname ?? ""))));
  },
};

for (const name of process.argv.slice(2)) {
  const shop = await SHOPS[name]();
  shop.listen(0, "127.0.0.1", () => console.log(`${name} listening on 127.0.0.1:${shop.address().port}`));
}
