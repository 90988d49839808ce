/*
 * A stand-in for Baton, for tests of the page alone: it serves the built assets and plays the front's part of
 * docs/client.md with one visitor, whose status the test sets. It decides nothing by itself but cookies.
 */

import { EventEmitter } from "node:events";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { buildAssets, policyWith } from "../../scripts/assets.mjs";
import { LEFT, formLeadsTo, isForm } from "../../scripts/gallery/forms.mjs";
import { fill, valuesOf } from "../../web/fill.js";
import { encodeFrame } from "../support/frames.mjs";

/** The room's first page. */
const FIRST = "/buy";
const LATE_MS = 1_000;
const TYPES = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript" };

let assets;
/** The directory of the assets, built once in a process. */
export function builtAssets() {
  assets ??= mkdtemp(join(tmpdir(), "baton-assets-")).then(async (dir) => (await buildAssets(dir), dir));
  return assets;
}

export class Stub extends EventEmitter {
  room = "onsale";
  /** What the visitor's status is now; `state: "none"` until something joins. */
  status = { state: "none" };
  /** What a join makes of it. */
  joined = { state: "waiting", number: 1234, ahead: 56, waiting: 90 };
  /** Fields of the template that are no part of the status. */
  template = {};
  /** The operator's own words for the room. */
  page = {};
  /** @type {number | ""} Of the page's own reload, in s; nothing where it has none. */
  refreshS = 20;
  /** The server's clock, in ms. */
  now = Date.now;
  /** Scripts that are lost on the way. */
  lostAssets = /^$/;
  /** Files that take a second on the way. */
  lateAssets = /^$/;
  sockets = new Set();
  socketsRefused = false;
  pongs = true;
  cookiesKept = true;
  down = false;
  /** How the shop behind the gate answers. 204 leaves the browser on the page that it is on. */
  insideStatus = 200;
  /** Whether the gate lets everybody by. */
  inside = false;
  /** Whether the page joins whoever has a cookie, as it does where no script runs. */
  noScript = false;
  /** The site's page outside the gate, `/shop`, and headers of its own. */
  shopPage = "";
  shopHeaders = {};
  /** The site's service worker, at `/sw.js`. */
  serviceWorker = "";
  /** Every call in its order: "page", "GET status", "POST join", "socket", "inside" … */
  calls = [];

  async open(port = 0) {
    this.assets = await builtAssets();
    this.server = createServer((request, response) => this.#answer(request, response).catch((error) => response.destroy(error)));
    this.wss = new WebSocketServer({ noServer: true });
    this.server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.server.listen(port, "127.0.0.1");
    await once(this.server, "listening");
    this.origin = `http://localhost:${/** @type {import("node:net").AddressInfo} */ (this.server.address()).port}`;
    return this;
  }

  async close() {
    for (const socket of this.sockets) socket.terminate();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  full(status = this.status) {
    return { room: this.room, mode: "open", waiting: 90, poll_after_s: 1, ...status };
  }

  /** Sets the status and tells everybody who listens. */
  set(status) {
    this.status = status;
    for (const socket of this.sockets) socket.send(JSON.stringify(this.full()));
    this.emit("changed");
  }

  /** Sends a frame: bytes, or fields of `encodeFrame`. */
  frame(fields) {
    for (const socket of this.sockets) socket.send(fields instanceof Uint8Array ? fields : encodeFrame(fields));
  }

  /** Resolves once `name` was called `times` times in all. */
  async called(name, times = 1) {
    while (this.count(name) < times) await once(this, "call");
  }

  /** Resolves once a page has an open socket. */
  async connected() {
    while (this.sockets.size === 0) await once(this, "connected");
  }

  count(name) {
    return this.calls.filter((call) => call === name).length;
  }

  #record(name) {
    this.calls.push(name);
    this.emit("call", name);
  }

  #join() {
    if (["none", "over"].includes(this.status.state)) this.set(this.joined);
  }

  #upgrade(request, socket, head) {
    const { pathname, searchParams } = new URL(request.url, this.origin);
    this.#record(searchParams.has("resume") ? "socket resume" : "socket");
    const known = request.headers.cookie?.includes("baton-visitor");
    if (this.down || this.socketsRefused || !known || pathname !== `/__baton/${this.room}/socket`) return socket.destroy();
    this.wss.handleUpgrade(request, socket, head, (ws) => {
      if (!searchParams.has("resume")) this.#join();
      this.sockets.add(ws);
      this.emit("connected");
      ws.on("close", () => {
        this.sockets.delete(ws);
        this.emit("closed");
      });
      ws.on("message", (data) => {
        this.#record(String(data));
        if (this.pongs && String(data) === "ping") ws.send("pong");
      });
      ws.send(JSON.stringify(this.full()));
      this.emit("opened", ws);
    });
  }

  async #answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, this.origin);
    if (pathname.startsWith("/__baton/static/")) return await this.#asset(pathname, response);
    if (pathname === "/favicon.ico") return response.writeHead(404).end();
    if (pathname === "/sw.js") return response.writeHead(200, { "Content-Type": TYPES.js }).end(this.serviceWorker);
    if (pathname.startsWith("/shop")) {
      this.#record("shop");
      return response.writeHead(200, { "Content-Type": TYPES.html, ...this.shopHeaders }).end(this.shopPage);
    }
    const language = pathname.match(/^\/__baton\/onsale\/language\/([\w-]+)$/)?.[1];
    if (language && request.method === "POST") {
      this.#record(`POST language ${language}`);
      return response
        .writeHead(303, {
          Location: formLeadsTo("language", request, this.room, FIRST),
          "Set-Cookie": `baton-language=${language}; Path=/; HttpOnly; SameSite=Lax`,
        })
        .end();
    }
    if (pathname === `/__baton/${this.room}/left`) return await this.#left(request, response);
    const call = pathname.match(/^\/__baton\/onsale\/(join|status|leave|claim)$/)?.[1];
    if (!call) return await this.#page(request, response);
    this.#record(`${request.method} ${call}`);
    if (this.down) return response.destroy();
    const visitor = request.headers.cookie?.includes("baton-visitor");
    if (call === "leave") this.set({ ...this.status, state: "over", reason: "left" });
    if (call === "join") {
      if (!visitor) return this.#json(response, 403, { error: { code: "cookies_required", message: "" } });
      this.#join();
    }
    if (isForm(request)) return response.writeHead(303, { Location: formLeadsTo(call, request, this.room, FIRST) }).end();
    if (call === "leave") return response.writeHead(204).end();
    if (call === "status" && searchParams.has("wait_s")) {
      const gone = once(response, "close");
      const changed = once(this, "changed");
      await Promise.race([gone, changed]);
    }
    this.#json(response, 200, this.full());
  }

  #json(response, code, body) {
    const cookie = this.cookiesKept ? { "Set-Cookie": "baton-visitor=v; Path=/; HttpOnly; SameSite=Lax" } : {};
    response.writeHead(code, {
      Date: new Date(this.now()).toUTCString(),
      "Content-Type": "application/json",
      "Cache-Control": "private, no-store",
      ...cookie,
    });
    response.end(JSON.stringify(body));
  }

  async #asset(pathname, response) {
    if (this.lostAssets.test(pathname)) return response.destroy();
    if (this.lateAssets.test(pathname)) await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    const text = await readFile(join(this.assets, pathname));
    const rules = await readFile(join(this.assets, "_headers"), "utf8");
    const found = rules
      .trim()
      .split(/\n(?=\/)/)
      .map((rule) => rule.split("\n  "));
    const isMeant = ([pattern]) => new RegExp(`^${pattern.replaceAll(".", "\\.").replace("*", ".*")}$`).test(pathname);
    const headers = found.filter(isMeant).flatMap(([, ...lines]) => lines.map((line) => line.trim().split(": ")));
    response.writeHead(200, { "Content-Type": TYPES[pathname.split(".").pop()], ...Object.fromEntries(headers) }).end(text);
  }

  async #left(request, response) {
    this.#record(`${request.method} left`);
    await this.#html(request, response, { status: this.full(LEFT), refreshS: "" });
  }

  async #page(request, response) {
    if (this.inside) {
      this.#record(request.method === "GET" ? "inside" : "inside by POST");
      response.writeHead(this.insideStatus, { "Content-Type": TYPES.html });
      return response.end(this.insideStatus === 200 ? "<!doctype html><title>Shop</title><h1>Inside</h1>" : "");
    }
    this.#record(request.method === "GET" ? "page" : "page by POST");
    const known = request.headers.cookie?.includes("baton-visitor");
    if (known && this.noScript) this.#join();
    const notice = request.method === "GET" ? "" : "not_submitted";
    await this.#html(request, response, { notice, template: this.template });
  }

  async #html(request, response, { status = this.full(), refreshS = this.refreshS, notice = "", template: more = {} }) {
    const template = await readFile(join(this.assets, `/__baton/static/page.${languageOf(request)}.html`), "utf8");
    const values = valuesOf(status, { room: this.room, nowMs: this.now(), refreshS, more: { notice, ...this.page, ...more } });
    const cookie = this.cookiesKept ? { "Set-Cookie": "baton-visitor=v; Path=/; HttpOnly; SameSite=Lax" } : {};
    response.writeHead(request.method === "GET" ? 200 : 429, {
      "Content-Type": TYPES.html,
      "Cache-Control": "private, no-store",
      "Content-Security-Policy": policyWith(this.page?.style),
      "Referrer-Policy": "same-origin",
      "Baton-State": "waiting",
      ...cookie,
    });
    response.end(fill(template, values));
  }
}

function languageOf({ headers }) {
  const chosen = headers.cookie?.match(/baton-language=([\w-]+)/)?.[1];
  const wanted = headers["accept-language"]?.split(/[,;]/)[0] ?? "en";
  const script = /^zh-(TW|HK|Hant)/.test(wanted) ? "zh-Hant" : /^zh/.test(wanted) ? "zh-Hans" : wanted.split("-")[0];
  return chosen ?? script;
}
