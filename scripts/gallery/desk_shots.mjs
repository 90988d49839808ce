// Takes the pictures of the desk in docs/images/desk/: `node scripts/gallery/desk_shots.mjs [--to DIR] [--only NAME]`. Needs Chromium. With --to it
// takes every situation on phone and desktop, light and dark, in both languages, to look through.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { DESKTOP, PHONE, launch } from "../../tests/page/browser.mjs";
import { inRoot } from "../common.mjs";
import { startGallery } from "../gallery.mjs";
import { SCREENS } from "./desk_screens.mjs";
import { SITUATIONS } from "./desk_states.mjs";

/** The screens that the docs have pictures of. With --to all are taken. */
const PICTURED = ["webhooks-failing", "operators"];
/** The most bytes of a picture of the docs. */
const BYTES_MAX = 60_000;
const QUALITY = 0.75;

const STATES = { ...SITUATIONS, ...SCREENS };
/** Something of a screen is there. */
const SHOWN = ".hooks .say:visible, .operators > p:visible";
const { to, only } = parseArgs({ options: { to: { type: "string" }, only: { type: "string" } } }).values;
const gallery = await startGallery();
const browser = await launch();

/** Opens the page of a situation, as it is after its second look at the rooms. */
async function open(name, { language = "en", ...options }) {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "Asia/Tokyo", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const { press, view = "", silent, changes, rehearsal } = STATES[name];
  await page.goto(`${gallery.url}/desk/${name}/?lang=${language}#${view}`);
  if (SCREENS[name]) {
    await page.locator(SHOWN).first().waitFor();
    return { page, context };
  }
  await page.locator(".say h2").first().waitFor();
  if (!silent) await page.waitForFunction(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/rooms")).length >= 4);
  if (silent) await page.locator("article .say.act").waitFor();
  if (changes) await page.locator(".undo-now:not([hidden])").waitFor();
  // The page must look the same several looks later. A rehearsal is known only from the second look on.
  if (rehearsal) await page.waitForFunction(() => document.querySelector(".say h2").textContent.match(/12/));
  if (press) {
    await page.locator(`[data-do="${press}"]`).first().click();
    await page.waitForFunction(
      () => document.querySelectorAll("#consequence li").length > 2 && !document.querySelector("#consequence").textContent.includes("…"),
    );
  }
  return { page, context };
}

/** Returns PNG bytes as WebP, converted by the browser that took them. */
async function asWebp(page, png) {
  const url = await page.evaluate(
    async ([data, quality]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      canvas.getContext("2d").drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", quality);
    },
    [png.toString("base64"), QUALITY],
  );
  return Buffer.from(url.split(",")[1], "base64");
}

for (const name of only ? [only] : Object.keys(STATES)) {
  if (to) {
    await mkdir(to, { recursive: true });
    for (const [device, viewport] of [
      ["phone", PHONE],
      ["desktop", DESKTOP],
    ]) {
      for (const [colorScheme, language] of [
        ["light", "en"],
        ["dark", "ja"],
      ]) {
        const { page, context } = await open(name, { viewport, colorScheme, language });
        await page.screenshot({ path: path.join(to, `${name}-${device}-${colorScheme}-${language}.png`), fullPage: !STATES[name].press });
        await context.close();
      }
    }
    continue;
  }
  if ((SCREENS[name] && !PICTURED.includes(name)) || STATES[name].isPlain) continue;
  const isWide = ["all-well", "many-rooms", "house-rooms"].includes(name);
  const { page, context } = await open(name, {
    viewport: isWide ? { width: 1_100, height: 860 } : { width: 400, height: 860 },
    colorScheme: name === "shop-failing" ? "dark" : "light",
  });
  const picture = await asWebp(page, await page.screenshot());
  if (picture.length > BYTES_MAX) throw new Error(`${name}: ${picture.length} bytes, and a picture may have ${BYTES_MAX}`);
  await mkdir(inRoot("docs", "images", "desk"), { recursive: true });
  await writeFile(inRoot("docs", "images", "desk", `${name}.webp`), picture);
  await context.close();
}
await browser.close();
await gallery.close();
