/* A shop whose page comes from www and whose gated API is behind Baton, with cookies and preflights, in each engine. No setting of Baton's knows of www. */

import assert from "node:assert/strict";
import { eventually, startOrigin, startWorld } from "../runtime/support/world.mjs";
import { inEachEngine, startEngine } from "../support/engines/index.mjs";

const ROOM = { permits: 1, paths: ["/buy/*", "/api/*"] };
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><p id="said"></p><button id="order">Order</button>
<script>
  const api = new URLSearchParams(location.search).get("api");
  const say = (text) => { document.querySelector("#said").textContent = text; };
  document.querySelector("#order").addEventListener("click", async () => {
    say("");
    try {
      const headers = { "Content-Type": "application/json", "X-Shop-Token": "7" };
      const answer = await fetch(api + "/api/orders?seat=4", { method: "PUT", credentials: "include", headers, body: '{"seat":4}' });
      say((await answer.json()).said);
    } catch {
      say("Not now");
    }
  });
</script>`;

const html = (text) => (request, response) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(text);

/** The shop behind Baton: an API that lets its own page read and change, and the page on which people come in. */
const shop = (origins, preflights) => (request, response) => {
  if (!request.url.startsWith("/api/")) return html("<!doctype html><html lang=en><title>In</title><h1>Choose your seats</h1>")(request, response);
  if (origins.includes(request.headers.origin)) {
    response.setHeader("Access-Control-Allow-Origin", request.headers.origin);
    response.setHeader("Access-Control-Allow-Credentials", "true");
  }
  if (request.method !== "OPTIONS") {
    response.setHeader("Content-Type", "application/json");
    return response.end(JSON.stringify({ said: request.headers["baton-fence"] ? "Thank you" : "not inside" }));
  }
  preflights.push(request);
  response.setHeader("Access-Control-Allow-Methods", "PUT");
  response.setHeader("Access-Control-Allow-Headers", "content-type, x-shop-token");
  return response.writeHead(204).end();
};

inEachEngine("a page of www orders by a gated API, and the preflight needs no pass", { timeout: 180_000 }, async (t, name) => {
  const engine = await startEngine(name);
  t.after(() => engine.close());
  const page = await startOrigin(t, html(PAGE));
  const from = await engine.origin(`http://localhost:${page.port}`);
  const preflights = [];
  const { url } = await startOrigin(t, shop([from], preflights));
  const world = await startWorld(t, { origin: url, room: ROOM });
  const api = await engine.origin(`http://localhost:${world.baton.port}`);
  const holder = world.visitor();
  await eventually(async () => (await holder.arrive()).state === "shop", { what: "the holder's way in" });
  await holder.arrive();

  const person = await engine.person();
  const order = async (said) => {
    await person.goto(`${from}/?api=${api}`);
    await person.click("#order");
    await person.sees(said);
  };
  await order("Not now");
  const [first] = preflights;
  assert.deepEqual([first.url, first.headers["baton-preflight"], first.headers.cookie], ["/api/orders", "1", undefined]);
  await person.goto(`${api}/buy/`);
  await person.state("waiting");
  await holder.leave();
  await person.sees("Choose your seats");
  // Seen before the page is whole, and Chromium ends the next one's loading for this one's.
  await person.until(() => document.readyState === "complete");
  await order("Thank you");
});
