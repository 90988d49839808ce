// Chromium, driven by Playwright.

import { chromium } from "playwright-core";
import { launch } from "../../page/browser.mjs";
import { Person } from "./person.mjs";
import { chromiumPath, startProgram, temporaryFolder } from "./programs.mjs";

const NAMED = { "\uE004": "Tab", "\uE007": "Enter" };

export async function startChromium(wishes) {
  const { browser, close } = wishes.hides ? await unheld() : await held();
  const newPage = async (options) => (wishes.hides ? browser.contexts()[0].pages()[0] : (await browser.newContext(options)).newPage());
  return {
    name: "chromium",
    version: `Chromium ${browser.version()}`,
    origin: (url) => new URL(url).origin,
    close,
    async person({ width = 360, height = 740, language = "en-GB" } = {}) {
      const { dark, reducedMotion, forcedColors, scripts = true, scale = 1 } = wishes;
      const page = await newPage({
        viewport: { width, height },
        locale: language,
        deviceScaleFactor: scale,
        javaScriptEnabled: scripts,
        colorScheme: dark ? "dark" : "light",
        reducedMotion: reducedMotion ? "reduce" : "no-preference",
        forcedColors: forcedColors ? "active" : "none",
      });
      if (wishes.hides) await page.setViewportSize({ width, height });
      return new Person(tabOf(page));
    },
  };
}

async function held() {
  const browser = await launch();
  return { browser, close: () => browser.close() };
}

/** Playwright makes every tab believe that it is in front, but for the first context of a browser that it did not start. */
async function unheld() {
  const { folder, remove } = temporaryFolder("chromium");
  const { said, stop } = await startProgram(
    chromiumPath(),
    ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0", `--user-data-dir=${folder}`, "about:blank"],
    {
      pattern: /DevTools listening on (ws:\S+)/,
    },
  );
  const browser = await chromium.connectOverCDP(said[1], { noDefaults: true });
  return {
    browser,
    async close() {
      await browser.close();
      await stop();
      remove();
    },
  };
}

function tabOf(page) {
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/Failed to load resource|WebSocket connection to|net::ERR/.test(message.text()))
      complaints.push(message.text());
  });
  const wait = { waitUntil: "domcontentloaded" };
  let front;
  return {
    load: (url) => page.goto(url, wait),
    reload: () => page.reload(wait),
    back: () => page.goBack(wait),
    forward: () => page.goForward(wait),
    async call(source, args) {
      const value = await page.evaluate(`JSON.stringify((${source})(...${JSON.stringify(args)}))`);
      return value === undefined ? undefined : JSON.parse(value);
    },
    tap: (x, y) => page.mouse.click(x, y),
    async keys(keys) {
      for (const key of keys) await page.keyboard.press(NAMED[key] ?? key);
    },
    resize: (size) => page.setViewportSize(size),
    shoot: () => page.screenshot(),
    async isExposedAs(selector, role, name) {
      const devTools = await page.context().newCDPSession(page);
      const { root } = await devTools.send("DOM.getDocument", { depth: 0 });
      const { nodeId } = await devTools.send("DOM.querySelector", { nodeId: root.nodeId, selector });
      const {
        nodes: [node],
      } = await devTools.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
      await devTools.detach();
      return !node.ignored && node.role.value === role && [undefined, node.name?.value].includes(name);
    },
    async hide() {
      front = await page.context().newPage();
    },
    show: () => front.close(),
    complaints: async () => complaints,
    close: () => page.context().close(),
  };
}
