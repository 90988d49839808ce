// A place carried from a laptop to a phone, in two real browsers: the link and its QR code on the page, the page with one
// button, the old page that says so. axe on each.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { DESKTOP, PHONE, launch, newPage } from "../page/browser.mjs";
import { scene } from "../runtime/harness.mjs";

const WAY_MS = 120_000;
const LINK = ".carry input";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Runs `story` in a scene with one permit that nobody gets, with a laptop that waits. */
async function laptopWaits(story) {
  const it = await scene({ permits: 0, walk_in: false });
  const laptop = await newPage(browser, { viewport: DESKTOP });
  try {
    await laptop.page.goto(`${it.rt.url}/buy/?seat=7`);
    await laptop.page.waitForSelector("body[data-state=waiting][data-number='1']");
    await story({ it, laptop });
    assert.deepEqual(laptop.complaints, []);
  } finally {
    await laptop.context.close();
    await it.stop();
  }
}

async function link({ page }) {
  await page.locator(".carry-on").click();
  await page.waitForSelector(LINK);
  return await page.locator(LINK).inputValue();
}

async function accessible(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
    [],
  );
}

/** Reads the dark modules that the page drew, one row a line: what a camera would see. */
const modulesOf = (page) =>
  page.evaluate(() => {
    const svg = document.querySelector(".carry svg");
    const size = svg.viewBox.baseVal.width;
    const dark = new Set(
      [
        ...svg
          .querySelector("path")
          .getAttribute("d")
          .matchAll(/M(\d+) (\d+)/g),
      ].map(([, x, y]) => `${x},${y}`),
    );
    return { size, rows: Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => dark.has(`${x},${y}`))) };
  });

test("the place goes to the phone, and the laptop says so", { timeout: WAY_MS }, async () => {
  await laptopWaits(async ({ it, laptop }) => {
    const url = await link(laptop);
    assert.equal(new URL(url).origin, it.rt.url);
    await accessible(laptop.page);

    const { size, rows } = await modulesOf(laptop.page);
    assert.equal((size - 8 - 17) % 4, 0, "a QR code with its quiet zone");
    const corner = (x, y) =>
      rows
        .slice(y, y + 7)
        .map((row) =>
          row
            .slice(x, x + 7)
            .map(Number)
            .join(""),
        )
        .join();
    const finder = "1111111,1000001,1011101,1011101,1011101,1000001,1111111";
    assert.deepEqual([corner(4, 4), corner(size - 11, 4), corner(4, size - 11)], [finder, finder, finder]);
    const drawn = await laptop.page.locator(".carry svg path").evaluate((path) => {
      const { fill, stroke } = getComputedStyle(path);
      return { fill, stroke, ground: getComputedStyle(path.ownerSVGElement).backgroundColor };
    });
    assert.deepEqual(drawn, { fill: "rgb(0, 0, 0)", stroke: "none", ground: "rgb(255, 255, 255)" }, "dark on light, nothing over it");
    assert.ok(
      rows
        .slice(0, 4)
        .flat()
        .every((dark) => !dark),
      "light around it",
    );

    const phone = await newPage(browser, { viewport: PHONE, javaScriptEnabled: false });
    try {
      await phone.page.goto(url);
      await phone.page.waitForSelector("h1");
      assert.equal(await phone.page.locator("h1:visible").textContent(), "Continue on this device?");
      assert.equal(await laptop.page.getAttribute("body", "data-state"), "waiting", "looking changes nothing");
      await phone.page.locator("button:visible").click();
      await phone.page.waitForURL(`${it.rt.url}/buy/?seat=7`);
      assert.equal(await phone.page.getAttribute("body", "data-number"), "1");
      assert.equal(await phone.page.getAttribute("body", "data-state"), "waiting");
      await laptop.page.waitForSelector("body[data-state=over][data-reason=carried]");
      assert.equal(await laptop.page.locator("[data-why=carried] h1").isVisible(), true);
      await accessible(laptop.page);
      assert.deepEqual(phone.complaints, []);
    } finally {
      await phone.context.close();
    }
  });
});

test("of two who open the link one has the place, and the other is told what to do", { timeout: WAY_MS }, async () => {
  await laptopWaits(async ({ laptop }) => {
    const url = await link(laptop);
    const phone = await newPage(browser, { viewport: PHONE, colorScheme: "dark" });
    const third = await newPage(browser, { viewport: PHONE, expectNetworkErrors: true });
    try {
      for (const { page } of [phone, third]) {
        await page.goto(url);
        await page.waitForSelector("body[data-state=ready]");
        await accessible(page);
      }
      await phone.page.locator("button:visible").click();
      await phone.page.waitForSelector("body[data-number='1']");
      await third.page.locator("button:visible").click();
      await third.page.waitForSelector("body[data-state=over]");
      assert.equal(await third.page.locator("h1:visible").textContent(), "This link no longer works");
      await accessible(third.page);
    } finally {
      await Promise.all([phone, third].map(({ context }) => context.close()));
    }
  });
});
