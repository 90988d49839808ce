/* A shop's widget by script in the page of another site, in each engine: it reads that its cart must wait, and its button leads to the line. It asks as
   pretix' widget does: it fetches without cookies, and at a 429 offers the shop's page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, startOrigin, startWorld } from "../runtime/support/world.mjs";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";

const ROOM = { permits: 1, paths: ["/demo/fest", "/demo/fest/cart/*"] };
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Band</title><link rel="icon" href="data:,"><h1>Band</h1>
<p id="said"></p><button id="buy">Buy</button> <a id="open" hidden>Open ticket shop</a>
<script>
  const shop = new URLSearchParams(location.search).get("shop");
  const say = (text) => { document.querySelector("#said").textContent = text; };
  fetch(shop + "/demo/fest/widget/product_list").then(async (answer) => say(await answer.text()));
  document.querySelector("#buy").addEventListener("click", async () => {
    try {
      const answer = await fetch(shop + "/demo/fest/cart/add?ajax=1", { method: "POST", body: new URLSearchParams({ item_1: "1" }) });
      if (answer.status !== 429) return say("no 429");
      say("Many people want tickets");
      const open = document.querySelector("#open");
      open.href = new URL(answer.headers.get("Baton-Page"), answer.url);
      open.hidden = false;
    } catch {
      say("The ticket shop could not be loaded");
    }
  });
</script>`;

const html = (text) => (request, response) => {
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(text);
};
const shop = (request, response) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  if (request.url.includes("/widget/")) return response.end("Festival ticket");
  return html("<!doctype html><html lang=en><title>Fest</title><h1>The ticket shop</h1>")(request, response);
};

for (const name of ENGINES) {
  test(`${name}: a widget on another site leads to the line`, { timeout: 180_000, skip: missing(name) }, async (t) => {
    const engine = await startEngine(name);
    t.after(() => engine.close());
    const band = await startOrigin(t, html(PAGE));
    const from = await engine.origin(`http://127.0.0.1:${band.port}`);
    const { url } = await startOrigin(t, shop);
    const world = await startWorld(t, { origin: url, room: { ...ROOM, widget_origins: [from] } });
    const holder = world.visitor({ url: new URL("/demo/fest/", world.baton.url).href });
    await eventually(async () => (await holder.arrive()).state === "shop", { what: "the holder's way in" });

    const person = await engine.person();
    await person.goto(`${from}/?shop=http://localhost:${world.baton.port}`);
    await person.sees("Festival ticket");
    await person.click("#buy");
    await person.sees("Many people want tickets");
    await person.click("#open");
    await person.state("waiting");
    await holder.leave();
    await person.sees("The ticket shop");
    assert.equal(await person.evaluate(() => location.pathname), "/demo/fest");
  });
}
