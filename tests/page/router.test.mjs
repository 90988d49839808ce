/* keep.js on a page with a router: what a script was told to wait for is loaded whole, and only for what a person did. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { launch, newPage } from "./browser.mjs";

const test = (name, body) => anyTest(name, { timeout: 60_000 }, body);
const KEEP = readFileSync(inRoot("web", "keep.js"));
/** A router as they are: it takes clicks on links, looks ahead under the pointer, and draws an error when it is refused. */
const ROUTER = `
  const draw = async (path) => { const answer = await fetch(path + "/data.json"); document.querySelector("h1").textContent = answer.status; };
  addEventListener("click", (event) => { const link = event.target.closest("a"); if (!link) return; event.preventDefault(); draw(link.pathname); });
  const looked = new Set();
  addEventListener("mouseover", (event) => { const link = event.target.closest("a.eager"); if (link && !looked.has(link.href)) { looked.add(link.href); fetch(link.pathname + "/data.json"); } });
  const call = (path) => { const request = new XMLHttpRequest(); request.open("POST", path); request.onloadend = () => { document.querySelector("h1").textContent = request.status; }; request.send(); };
  const form = document.querySelector("form"); form.addEventListener("submit", (event) => { event.preventDefault(); fetch("/api", { method: "POST" }); });
`;
const SHOP = `<!doctype html><html lang="en"><title>Shop</title><script src="/keep.js"></script><h1>Home</h1>
  <a href="/buy">Buy</a> <a href="/eager" class="eager">Eager</a> <a href="/about" class="other">About</a> <button onclick="call('/api')">Reserve</button>
  <form><input name="name"><button>Send</button></form><script>${ROUTER}</script>`;

describe("keep.js with a router", () => {
  let browser, server, origin, came, context, page;
  before(async () => {
    browser = await launch();
    server = http
      .createServer((request, response) => {
        const { pathname } = new URL(request.url, "http://here");
        came.push(`${request.method} ${pathname}`);
        if (pathname === "/keep.js") return response.writeHead(200, { "Content-Type": "text/javascript" }).end(KEEP);
        if (pathname === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end(SHOP);
        if (/\/data\.json$|^\/api$/.test(pathname)) {
          return response
            .writeHead(429, { "Content-Type": "application/json", "Baton-State": "waiting", "Baton-Page": "/buy/first", "Retry-After": "3" })
            .end("{}");
        }
        response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><html lang="en"><title>Whole</title><h1>Whole ${pathname}</h1>`);
      })
      .listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${server.address().port}`;
  });
  after(async () => {
    await browser.close();
    server.close();
  });
  beforeEach(async () => {
    came = [];
    ({ context, page } = await newPage(browser, { expectNetworkErrors: true }));
    await page.goto(`${origin}/`);
  });
  afterEach(() => context.close());

  const heading = (text) => page.locator("h1").filter({ hasText: text }).waitFor({ timeout: 10_000 });
  const link = (name) => page.getByRole("link", { name });
  /** Resolves when a script of the page has had its answer. */
  const refused = (path) => page.waitForResponse((answer) => new URL(answer.url()).pathname === path).then((answer) => answer.finished());

  test("a click that the router may not draw loads the link whole", async () => {
    await link("Buy").click();
    await heading("Whole /buy");
  });

  test("a look moves nobody, and the click after it loads the link whole, without asking by script again", async () => {
    const answered = refused("/eager/data.json");
    await link("Eager").hover();
    await answered;
    assert.equal(new URL(page.url()).pathname, "/");
    await link("Eager").click();
    await heading("Whole /eager");
    assert.equal(came.filter((each) => each === "GET /eager/data.json").length, 1);
  });

  test("a look after a click on something else moves nobody", async () => {
    await page.getByRole("heading").click();
    const answered = refused("/eager/data.json");
    await link("About").hover();
    await link("Eager").hover();
    await answered;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
    assert.equal(new URL(page.url()).pathname, "/");
  });

  test("what a script fetches by itself moves nobody", async () => {
    const status = await page.evaluate(async () => (await fetch("/api")).status);
    assert.deepEqual([status, new URL(page.url()).pathname], [429, "/"]);
  });

  test("an XMLHttpRequest for a button leads to the page that Baton names", async () => {
    await page.getByRole("button", { name: "Reserve" }).click();
    await heading("Whole /buy/first");
  });

  test("a page that prevents it gets its answer", async () => {
    await page.evaluate(() =>
      document.addEventListener("baton:waiting", (event) => {
        document.title = event.detail.page;
        event.preventDefault();
      }),
    );
    await link("Buy").click();
    await heading("429");
    assert.equal(await page.title(), `${origin}/buy`);
  });

  test("whoever has typed something is asked before it is lost", async () => {
    await page.getByRole("textbox").fill("Ada");
    const asked = once(page, "dialog");
    const clicked = page.getByRole("button", { name: "Reserve" }).click();
    const [dialog] = await asked;
    assert.equal(dialog.type(), "beforeunload");
    await dialog.dismiss();
    await clicked;
    assert.equal(await page.getByRole("textbox").inputValue(), "Ada");
  });
});
