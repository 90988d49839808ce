/* A page of the operator's own, by the contract of demo/own-page/README.md: the example, under the same strict policy. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { PLACEHOLDERS, buildAssets, locales } from "../../scripts/assets.mjs";
import { startGallery } from "../../scripts/gallery.mjs";
import { STATES } from "../../scripts/gallery/states.mjs";
import { launch, newPage } from "./browser.mjs";

const OWN = fileURLToPath(new URL("../../demo/own-page", import.meta.url));
const [english] = (await locales()).filter(({ lang }) => lang === "en");

describe("a page of one's own", () => {
  let browser, gallery;
  before(async () => {
    browser = await launch();
    gallery = await startGallery({ own: OWN });
  });
  after(async () => {
    await browser.close();
    await gallery.close();
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`shows every state, ${javaScriptEnabled ? "alive" : "without JavaScript"}`, async (t) => {
      const { context, page, complaints } = await newPage(browser, { javaScriptEnabled, expectNetworkErrors: true });
      for (const [name, { says, link }] of Object.entries(STATES)) {
        if (link && !javaScriptEnabled) continue;
        await t.test(name, async () => {
          await page.goto(`${gallery.url}/en/${name}`);
          if (javaScriptEnabled) await page.locator("html[data-live]").waitFor();
          if (link === "cookies") await page.locator("[data-state=cookies]").waitFor();
          const headings = page.locator("h1:visible");
          assert.equal(await headings.count(), 1);
          const head = says.find((key) => key.endsWith(".head"));
          if (head) assert.equal(await headings.innerText(), english[head]);
          if (javaScriptEnabled)
            assert.deepEqual(
              (await new AxeBuilder({ page }).setLegacyMode(true).analyze()).violations.map(({ id }) => id),
              [],
            );
        });
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  test("its places are filled, and its picture and style are let in by the policy", async () => {
    const { context, page, complaints } = await newPage(browser);
    await page.goto(`${gallery.url}/en/waiting-million`);
    await page.locator("html[data-live]").waitFor();
    assert.equal(await page.locator("[data-baton=number]").innerText(), "12345678");
    assert.equal(await page.locator("[data-baton=ahead]").innerText(), "1234567");
    assert.ok(await page.locator("header img").evaluate((img) => img.naturalWidth > 0));
    assert.equal(await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor), "rgb(16, 20, 43)");
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

test("its README names every placeholder and every place", async () => {
  const docs = await readFile(new URL("../../demo/own-page/README.md", import.meta.url), "utf8");
  const view = await readFile(new URL("../../web/view.js", import.meta.url), "utf8");
  for (const name of PLACEHOLDERS) assert.ok(docs.includes(`{{${name}}}`), name);
  const places = [...view.matchAll(/\b(?:text|places)\("(\w+)"/g)].map(([, name]) => name);
  assert.ok(places.length > 8);
  for (const name of places) assert.ok(docs.includes(`\`${name}\``), name);
});

test("the front fills exactly the placeholders that a page may have", async () => {
  const source = await readFile(new URL("../../src/gate/template.rs", import.meta.url), "utf8");
  const names = source.match(/const NAMES[^[]*\[&str; \d+\] = \[([^\]]*)\]/)[1].match(/\w+/g);
  assert.deepEqual(names.sort(), [...PLACEHOLDERS].sort());
});

test("a page that asks for what there is not is refused when it is built", async () => {
  for (const [html, problem] of [
    ["{{shoe_size}}", /shoe_size/],
    ["[[no.such]]", /no\.such/],
    ["@@own.none.css@@", /own\.none\.css/],
  ]) {
    const own = await mkdtemp(join(tmpdir(), "baton-own-"));
    await writeFile(join(own, "page.html"), html);
    await assert.rejects(buildAssets(await mkdtemp(join(tmpdir(), "baton-assets-")), { own }), problem);
  }
});
