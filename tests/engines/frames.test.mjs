/* Frames of gated pages, in each engine. A page of another site can hide one, also within a page of the shop that no room gates: it walks nobody in. */

import assert from "node:assert/strict";
import { eventually, startOrigin, startWorld } from "../runtime/support/world.mjs";
import { inEachEngine, startEngine } from "../support/engines/index.mjs";

const framing = (address) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>News</title><link rel="icon" href="data:,"><h1>News</h1>
<iframe src="${address}" title="seats" width="400" height="300" onload="document.body.dataset.loaded = 1"></iframe>`;
const hasLoaded = () => document.body.dataset.loaded === "1";
const page = (response, text) => response.setHeader("Content-Type", "text/html; charset=utf-8").end(text);

inEachEngine(
  "a frame within another site walks nobody in, and the shop's own shows the page and then the shop",
  { timeout: 180_000 },
  async (t, name) => {
    const engine = await startEngine(name);
    t.after(() => engine.close());
    const shop = await startOrigin(t, ({ url }, response) =>
      page(response, url === "/news" ? framing("/buy/") : "<!doctype html><title>In</title><h1>Choose your seats</h1>"),
    );
    const world = await startWorld(t, { origin: shop.url, room: { permits: 5 } });
    const ours = await engine.origin(`http://localhost:${world.baton.port}`);
    const other = await startOrigin(t, ({ url }, response) => page(response, framing(ours + url)));
    const foreign = await engine.origin(`http://127.0.0.1:${other.port}`);
    const asked = (path) => shop.requests.filter(({ url }) => url === path).length;

    for (const path of ["/buy/", "/news"]) {
      const person = await engine.person();
      await person.goto(foreign + path);
      await person.until(hasLoaded);
    }
    // The frame within the frame has loaded too, for the outer one waits for it.
    assert.deepEqual([asked("/news"), asked("/buy/")], [1, 0]);
    const person = await engine.person();
    await person.goto(`${ours}/news`);
    await eventually(() => asked("/buy/") > 0, { what: "the page in the shop's own frame goes in" });
  },
);
