// Stock Firefox over WebDriver BiDi, which it speaks by itself. One process; each person has a container of their own for cookies and storage.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import WebSocket from "ws";
import { Person, keyActions, tapActions } from "./person.mjs";
import { firefoxPath, startProgram, temporaryFolder } from "./programs.mjs";

/** Nothing asks, updates or calls home while a test runs. */
const QUIET = {
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.update.enabled": false,
  "browser.startup.page": 0,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};
const prefsOf = ({ dark, reducedMotion, forcedColors, scripts }) => ({
  ...QUIET,
  "ui.systemUsesDarkTheme": dark ? 1 : 0,
  "ui.prefersReducedMotion": reducedMotion ? 1 : 0,
  ...(forcedColors && { "browser.display.document_color_use": 2 }),
  ...(scripts === false && { "javascript.enabled": false }),
});

/** What Firefox says of a socket that a page leaves behind or that a server did not answer: no fault of the page. */
const NETWORK = /connection to wss?:|server at wss?:/;

class Bidi {
  #next = 0;
  #waiting = new Map();
  #socket;

  constructor(socket, heard) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const { id, type, result, error, message, method, params } = JSON.parse(data);
      if (id === undefined) return heard(method, params);
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (type === "error") reject(new Error(`Firefox: ${error}: ${message}`));
      else resolve(result);
    });
    socket.on("close", () => this.#waiting.forEach(({ reject }) => reject(new Error("Firefox is gone"))));
  }

  send(method, params = {}) {
    const id = ++this.#next;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

export async function startFirefox(wishes) {
  const { folder, remove } = temporaryFolder("firefox");
  writeFileSync(
    path.join(folder, "user.js"),
    Object.entries(prefsOf(wishes))
      .map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
      .join("\n"),
  );
  const { said, stop } = await startProgram(firefoxPath(), ["--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"], {
    pattern: /WebDriver BiDi listening on (ws:\S+)/,
    env: { HOME: folder },
  });
  const socket = new WebSocket(`${said[1]}/session`, { perMessageDeflate: false });
  await once(socket, "open");
  /** By browsing context, what it complained of. */
  const complaints = new Map();
  const bidi = new Bidi(socket, (method, params) => {
    if (method === "log.entryAdded" && ["error", "warn"].includes(params.level) && !NETWORK.test(params.text))
      complaints.get(params.source.context)?.push(params.text);
  });
  const { capabilities } = await bidi.send("session.new", { capabilities: {} });
  await bidi.send("session.subscribe", { events: ["log.entryAdded"] });
  return {
    name: "firefox",
    version: `Firefox ${capabilities.browserVersion}`,
    origin: (url) => new URL(url).origin,
    async person({ width = 360, height = 740, language = "en-GB" } = {}) {
      const { userContext } = await bidi.send("browser.createUserContext");
      // A window of their own: a second tab in one window would hide the first.
      const { context } = await bidi.send("browsingContext.create", { type: "window", userContext });
      complaints.set(context, []);
      const tab = tabOf(bidi, { context, userContext, complaints: complaints.get(context), scale: wishes.scale });
      await bidi.send("emulation.setLocaleOverride", { locale: language, contexts: [context] });
      await tab.resize({ width, height });
      return new Person(tab);
    },
    async close() {
      socket.terminate();
      await stop();
      remove();
    },
  };
}

function tabOf(bidi, { context, userContext, complaints, scale = 1 }) {
  const inTab = (method, params) => bidi.send(method, { context, ...params });
  let front;
  return {
    load: (url) => inTab("browsingContext.navigate", { url, wait: "interactive" }),
    reload: () => inTab("browsingContext.reload", { wait: "interactive" }),
    back: () => inTab("browsingContext.traverseHistory", { delta: -1 }),
    forward: () => inTab("browsingContext.traverseHistory", { delta: 1 }),
    async call(source, args) {
      const expression = `JSON.stringify((${source})(...${JSON.stringify(args)}))`;
      const { type, result, exceptionDetails } = await bidi.send("script.evaluate", { expression, awaitPromise: false, target: { context } });
      if (type === "exception") throw new Error(`in the page: ${exceptionDetails.text}`);
      return result.value === undefined ? undefined : JSON.parse(result.value);
    },
    tap: (x, y) => inTab("input.performActions", { actions: tapActions(x, y) }),
    keys: (keys) => inTab("input.performActions", { actions: keyActions(keys) }),
    resize: (viewport) => inTab("browsingContext.setViewport", { viewport, devicePixelRatio: scale }),
    async shoot() {
      return Buffer.from((await inTab("browsingContext.captureScreenshot")).data, "base64");
    },
    async isExposedAs(selector, role, name) {
      const locate = async (locator) => (await inTab("browsingContext.locateNodes", { locator })).nodes.map(({ sharedId }) => sharedId);
      const [meant, exposed] = await Promise.all([
        locate({ type: "css", value: selector }),
        locate({ type: "accessibility", value: { role, ...(name !== undefined && { name }) } }),
      ]);
      return exposed.includes(meant[0]);
    },
    async hide() {
      ({ context: front } = await bidi.send("browsingContext.create", { type: "tab", userContext, referenceContext: context }));
    },
    show: () => bidi.send("browsingContext.close", { context: front }),
    complaints: async () => complaints,
    close: () => bidi.send("browser.removeUserContext", { userContext }),
  };
}
