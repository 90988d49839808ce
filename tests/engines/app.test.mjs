/* A sale in a single-page shop: its page comes from one origin (www), everything else from Baton's (api), in each engine. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { eventually, startOrigin, startWorld } from "../runtime/support/world.mjs";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";

const ROOM = { permits: 1, paths: ["/buy/*", "/api/*"] };
const KIT = /^\/kit\/(\w+\.js)$/;

/** The shop's page. It keeps its credentials in the tab, and comes back after a reload. */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><p id="place"></p><button id="enter">Buy</button>
<button id="book" hidden>Book now</button><button id="leave" hidden>Leave</button>
<script type="module">
  import { Baton } from "/kit/index.js";
  const store = { get: () => sessionStorage.getItem("baton") ?? "", set: (text) => sessionStorage.setItem("baton", text) };
  const baton = new Baton({ url: new URLSearchParams(location.search).get("api"), store });
  const say = (text) => { document.querySelector("#place").textContent = text; };
  const show = (...ids) => { for (const button of document.querySelectorAll("button")) button.hidden = !ids.includes(button.id); };
  baton.on("number", (number) => say("Number " + number));
  const enter = async () => {
    show("leave");
    await baton.enter("onsale");
    say("Inside");
    show("book", "leave");
  };
  const on = (id, act) => document.querySelector("#" + id).addEventListener("click", act);
  on("enter", enter);
  on("book", async () => {
    const answer = await baton.fetch("onsale", "/api/orders", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"seat":4}' });
    say((await answer.json()).said);
  });
  on("leave", async () => { await baton.leave("onsale"); say("Left"); show("enter"); });
  if (store.get()) enter();
</script>`;

/** Where the page comes from: what no room knows of. */
function www(request, response) {
  const [, kit] = KIT.exec(request.url) ?? [];
  response.setHeader("Content-Type", kit ? "text/javascript" : "text/html; charset=utf-8");
  response.end(kit ? readFileSync(inRoot("kits", "js", "src", kit)) : PAGE);
}

/** The shop's API, which lets its own page read it, and gives the permit back with the order. */
const api = (origins) => (request, response) => {
  if (origins.includes(request.headers.origin)) response.setHeader("Access-Control-Allow-Origin", request.headers.origin);
  const isIn = request.headers["baton-fence"] !== undefined;
  if (request.url === "/api/orders" && request.method === "POST" && isIn) response.setHeader("Baton-Release", "1");
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ said: isIn ? "Thank you" : "not inside" }));
};

for (const name of ENGINES) {
  const skip = missing(name);
  // Two ports of one host are one site, as www and api are; two hosts are two.
  for (const [title, host] of [
    ["www and api of one site", "localhost"],
    ["a page of another site", "127.0.0.1"],
  ]) {
    test(`${name}: ${title}: waits, goes in, orders`, { timeout: 180_000, skip }, async (t) => {
      const engine = await startEngine(name);
      t.after(() => engine.close());
      const page = await startOrigin(t, www);
      const from = await engine.origin(`http://${host}:${page.port}`);
      const shop = await startOrigin(t, api([from]));
      const world = await startWorld(t, { origin: shop.url, room: { ...ROOM, app_origins: [from] } });
      const holder = world.visitor();
      await eventually(async () => (await holder.arrive()).state === "shop", { what: "the holder's way in" });
      await holder.arrive();

      const person = await engine.person();
      await person.goto(`${from}/?api=http://localhost:${world.baton.port}`);
      await person.click("#enter");
      await person.sees("Number 2");
      await person.reload();
      await person.sees("Number 2");
      await holder.leave();
      await person.sees("Inside");
      await person.click("#book");
      await person.sees("Thank you");
      // The order gave the permit back, so somebody else goes straight in.
      const other = world.visitor();
      await eventually(async () => (await other.arrive()).state === "shop", { what: "the next one's way in" });
      assert.deepEqual(await person.complaints(), []);
    });
  }
}
