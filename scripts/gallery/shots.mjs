// Takes the pictures of the waiting page in docs/images/: `node scripts/gallery/shots.mjs`. Needs Chromium.

import { PHONE, launch } from "../../tests/page/browser.mjs";
import { inRoot } from "../common.mjs";
import { startGallery } from "../gallery.mjs";

/** What a picture shows: its file, the language, the state, the scheme. */
const PICTURES = [
  ["waiting-light-en", "en", "waiting", "light"],
  ["waiting-dark-ja", "ja", "near", "dark"],
  ["called-light-en", "en", "called", "light"],
  ["waiting-light-ar", "ar", "waiting", "light"],
  ["hall-dark-en", "en", "hall", "dark"],
];
/** The host at which the pages believe to be. */
const SITE = "tickets.example.com";

const gallery = await startGallery();
const browser = await launch([`--host-resolver-rules=MAP ${SITE}:80 ${new URL(gallery.url).host}`]);
for (const [file, locale, state, colorScheme] of PICTURES) {
  const context = await browser.newContext({
    locale,
    colorScheme,
    viewport: PHONE,
    deviceScaleFactor: 1.5,
    hasTouch: true,
    isMobile: true,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`http://${SITE}/${locale}/${state}`);
  await page.locator("html[data-live]").waitFor();
  if (state !== "called") await page.locator("[data-offers] > *").first().waitFor({ state: "attached" });
  await page.screenshot({ path: inRoot("docs", "images", `${file}.png`) });
  await context.close();
}
await browser.close();
await gallery.close();
