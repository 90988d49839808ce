// `npm run gallery`: the waiting page in every state and language, and the desk in its situations, without a worker. It shows the built
// pages, and answers their requests so that they stay as they are. Pages are at /{language}/{state}, desks at /desk/{situation}/.
//
//   npm run gallery                  at http://localhost:8790/
//   npm run gallery -- --port 9000
//   npm run gallery -- --own DIR     with a page of your own (docs/page.md)

import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { WebSocketServer } from "ws";
import { buildAssets, locales, policyWith, unbuilt } from "./assets.mjs";
import { answerDesk } from "./gallery/desk.mjs";
import { SCREENS } from "./gallery/desk_screens.mjs";
import { SITUATIONS } from "./gallery/desk_states.mjs";
import { LEFT, formLeadsTo, isForm } from "./gallery/forms.mjs";
import { fill, valuesOf } from "../web/fill.js";
import { STATES } from "./gallery/states.mjs";

const TYPES = {
  json: "application/json",
  wasm: "application/wasm",
  html: "text/html; charset=utf-8",
  css: "text/css",
  js: "text/javascript",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
};
/** A called page would leave immediately. One that believes itself offline stays to be looked at. */
const STILL = `Object.defineProperty(Navigator.prototype, "onLine", { get: () => false });\n`;

/** Serves the gallery: `{ url, close() }`. Pages are at `url/{language}/{state}`. `own` as in `buildAssets`. */
export async function startGallery(/** @type {{ port?: number, own?: string }} */ { port = 0, own } = {}) {
  const assets = await mkdtemp(path.join(tmpdir(), "baton-gallery-"));
  await buildAssets(assets, { own, later: unbuilt() });
  const languages = await locales();
  const server = createServer((request, response) => answer(request, response).catch((error) => response.destroy(error)));
  const sockets = new WebSocketServer({ noServer: true });
  const statics = path.join(assets, "__baton/static");

  async function answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, "http://gallery");
    const [, first, second, third, fourth] = pathname.split("/");
    const send = (code, type, body, headers = {}) =>
      response.writeHead(code, { "Content-Type": TYPES[type], "Cache-Control": "no-store", ...headers }).end(body);
    if (pathname === "/") return send(200, "html", index(languages));
    if (pathname === "/still.js") return send(200, "js", STILL);
    if (pathname.startsWith("/__baton/static/"))
      return send(200, path.extname(pathname).slice(1), await readFile(path.join(statics, pathname.slice("/__baton/static/".length))));
    if (first === "desk") return answerDesk({ situation: second, path: pathname.split("/").slice(3).join("/"), statics, send });
    if (third === "language") return response.writeHead(303, { Location: inLanguage(formLeadsTo("language", request, second, "/"), fourth) }).end();
    const state = STATES[second];
    if (!state) return response.writeHead(404).end();
    const isLeft = first === "__baton" && third === "left";
    if (first === "__baton" && !isLeft) return call(state, second, third, request, response);
    const language = isLeft ? (searchParams.get("to")?.split("/")[1] ?? "en") : first;
    const template = await readFile(path.join(statics, `page.${language}.html`), "utf8");
    const status = statusOf(isLeft ? { status: LEFT } : state, second);
    const html = fill(
      template,
      valuesOf(status, { room: second, nowMs: Date.now(), ...(isLeft && { refreshS: "" }), more: { ...state.page, ...(!isLeft && state.template) } }),
    );
    send(200, "html", html.replace("<script", '<script src="/still.js"></script>\n<script'), {
      "Content-Security-Policy": policyWith(state.page?.style),
    });
  }

  /** Answers a call of the page. A form leads the visitor back to the page; a script hears the status, or the failure that this state is about. */
  function call(state, room, name, request, response) {
    const send = (code, body) => response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (state.link === "lost") return response.destroy();
    if (state.link === "busy") return send(503, { error: { code: "room_unavailable" } });
    if (state.link === "cookies") return send(403, { error: { code: "cookies_required" } });
    if (isForm(request)) return response.writeHead(303, { Location: formLeadsTo(name, request, room, "/") }).end();
    send(200, statusOf(state, room));
  }

  server.on("upgrade", (request, socket, head) => {
    const room = request.url.split("/")[2];
    const state = STATES[room];
    if (!state || state.link) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on("message", (data) => String(data) === "ping" && ws.send("pong"));
      ws.send(JSON.stringify(statusOf(state, room)));
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns the same page in another language: its address, or the one in the address of the page after leaving, begins with it. */
const inLanguage = (address, language) =>
  address.replace(/^\/(?!__baton)[^/]+|(?<=\?to=%2F)[^%]+/, (found) => (found.startsWith("/") ? "/" : "") + language);

function statusOf({ status, opensInS, claimInS }, room) {
  return {
    room,
    mode: "open",
    poll_after_s: 5,
    ...status,
    ...(opensInS && { opens_at_ms: Date.now() + opensInS * 1_000 }),
    ...(claimInS && { claim_by_at_ms: Date.now() + claimInS * 1_000 }),
  };
}

/** Returns the index: every state, in the language that is picked. */
function index(languages) {
  const links = languages.map(({ lang, name }) => `<a href="?#${lang}" data-lang="${lang}">${name}</a>`).join(" ");
  const desks = Object.entries(/** @type {Record<string, { view?: string }>} */ ({ ...SITUATIONS, ...SCREENS }))
    .map(([name, { view = "" }]) => `<a href="/desk/${name}/#${view}">${name}</a>`)
    .join(" ");
  const frames = Object.keys(STATES)
    .map(
      (state) =>
        `<figure><figcaption><a data-state="${state}">${state}</a></figcaption><iframe loading="lazy" data-state="${state}"></iframe></figure>`,
    )
    .join("\n");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Baton: the waiting page</title>
<style>body{font:1rem/1.5 system-ui;margin:1rem}nav{position:sticky;top:0;background:Canvas;padding:.5rem 0}main{display:flex;flex-wrap:wrap;gap:1.5rem}figure{margin:0}iframe{width:360px;height:740px;border:1px solid #8888;border-radius:12px}</style>
<nav>${links} · the desk: ${desks}</nav><main>${frames}</main>
<script type="module">
const show = () => {
  const lang = location.hash.slice(1) || "en";
  for (const frame of document.querySelectorAll("iframe")) frame.src = "/" + lang + "/" + frame.dataset.state;
  for (const link of document.querySelectorAll("figcaption a")) link.href = "/" + lang + "/" + link.dataset.state;
};
for (const link of document.querySelectorAll("nav a")) link.onclick = (event) => { event.preventDefault(); location.hash = link.dataset.lang; };
addEventListener("hashchange", show);
show();
</script></html>`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const asked = (flag) => process.argv[process.argv.indexOf(`--${flag}`) + 1 || Infinity];
  const { url } = await startGallery({ port: Number(asked("port") ?? 8790), own: asked("own") });
  console.log(`The waiting page in every state: ${url}/`);
}
