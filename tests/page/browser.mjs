/* Chromium for the page tests: found, started once in a file, and strict about errors on the console. */

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const NAMES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const CLOSE_WITHIN_MS = 30_000;

export async function launch(flags = []) {
  const executablePath = NAMES.find((name) => name && existsSync(name));
  if (!executablePath) throw new Error("no Chromium found: set CHROMIUM to its path");
  return endsInTime(await chromium.launch({ executablePath, args: [...FLAGS, ...flags] }), "the browser");
}

/** A close that cannot take for ever: one that hung would hold the whole run, and nobody would know where. */
function endsInTime(closing, what) {
  const close = closing.close.bind(closing);
  closing.close = async (...args) => {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} did not close within ${CLOSE_WITHIN_MS / 1_000} s`)), CLOSE_WITHIN_MS);
    });
    await Promise.race([close(...args), late]).finally(() => clearTimeout(timer));
  };
  return closing;
}

export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

/**
 * A page and the complaints of its console: errors, exceptions, violations of the content security policy.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {import("playwright-core").BrowserContextOptions & { expectNetworkErrors?: boolean }} [how]
 */
export async function newPage(browser, { expectNetworkErrors = false, ...options } = {}) {
  const context = endsInTime(await browser.newContext({ locale: "en-GB", viewport: PHONE, ...options }), "a page's context");
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const network = /Failed to load resource|WebSocket connection to|net::ERR/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !(network && expectNetworkErrors)) complaints.push(message.text());
  });
  return { context, page, complaints };
}

/**
 * Returns a function that runs the page's clock to its next ping, and ends when the pong is there. It looks into the page, whose clock could else run past
 * the pong's time before anybody outside has heard of the ping.
 */
export async function pinging(page) {
  await page.evaluate(() => {
    const { send } = WebSocket.prototype;
    const told = { pings: 0, pongs: 0 };
    Object.assign(window, { told });
    WebSocket.prototype.send = function (data) {
      const hear = (event) => {
        if (event.data !== "pong") return;
        told.pongs++;
        this.removeEventListener("message", hear);
      };
      if (data === "ping") {
        told.pings++;
        this.addEventListener("message", hear);
      }
      send.call(this, data);
    };
  });
  const told = () => page.evaluate(() => /** @type {any} */ (window).told);
  return async () => {
    const { pings } = await told();
    while ((await told()).pings === pings) await page.clock.runFor(500);
    while ((await told()).pongs <= pings);
  };
}
