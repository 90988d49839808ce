// Chromium with a window, on a display without a screen. Only so does it prerender, and only for a debugger that holds the tab and not one of its
// pages: so neither Playwright nor a headless browser shows what speculation rules do.

import { once } from "node:events";
import WebSocket from "ws";
import { findProgram } from "../../../scripts/common.mjs";
import { eventually, pass } from "../../runtime/harness.mjs";
import { chromiumPath, startProgram, temporaryFolder } from "../../support/engines/programs.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-component-update",
  "--disable-sync",
  "--window-size=1280,900",
  "--remote-debugging-port=0",
];
/** A page that gives way to another may never answer. */
const ANSWERS_WITHIN_MS = 2_000;
const LOADS_WITHIN_MS = 20_000;
/** How long a finger or a button is down. */
const PRESS_MS = 60;

/** Whether there is a display to be had. */
export const canBeHeaded = () => Boolean(findProgram("Xvfb"));

class Debugger {
  #socket;
  #next = 0;
  #waiting = new Map();
  heard = () => {};

  static async open(url) {
    const it = new Debugger();
    it.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 1 << 28 });
    await once(it.#socket, "open");
    it.#socket.on("message", (data) => it.#take(JSON.parse(data)));
    return it;
  }

  #take({ id, result, error, method, params, sessionId }) {
    if (id === undefined) return this.heard(method, params, sessionId);
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(new Error(`Chromium: ${error.message}`));
    else resolve?.(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#next;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    return answer;
  }
}

/** The part of Playwright's page that the questions use. */
class Page {
  #debugger;
  /** The sessions of the tab's pages: the one that is shown, and those that are prerendered. */
  #sessions = new Set();

  constructor(debug) {
    this.#debugger = debug;
  }

  attached(session) {
    this.#sessions.add(session);
  }
  detached(session) {
    this.#sessions.delete(session);
  }

  async #run(session, expression) {
    const answer = this.#debugger.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }, session);
    const { result, exceptionDetails } = await Promise.race([
      answer,
      pass(ANSWERS_WITHIN_MS).then(() => ({ exceptionDetails: { text: "no answer" } })),
    ]);
    if (exceptionDetails) throw new Error(`in the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** The session of the page on the screen. */
  async #shown() {
    const look = async () => {
      for (const session of [...this.#sessions].reverse()) {
        if (await this.#run(session, "!document.prerendering && document.visibilityState === 'visible'").catch(() => false)) return session;
      }
    };
    return eventually(look, { timeoutMs: LOADS_WITHIN_MS, what: "a page on the screen" });
  }

  async evaluate(look, ...args) {
    return this.#run(await this.#shown(), `(${look})(...${JSON.stringify(args)})`);
  }

  async goto(url) {
    const { errorText } = await this.#debugger.send("Page.navigate", { url }, await this.#shown());
    if (errorText) throw new Error(`${url}: ${errorText}`);
    const isThere = () => document.readyState === "complete" && location.href !== "about:blank";
    await eventually(() => this.evaluate(isThere).catch(() => false), { timeoutMs: LOADS_WITHIN_MS, what: url });
  }

  async goBack() {
    await this.evaluate(() => {
      history.back();
    });
  }

  getByText(text) {
    const middle = () =>
      this.evaluate((wanted) => {
        const found = [...document.querySelectorAll("a, button")].find(
          (each) => each.textContent.trim() === wanted && each.getClientRects().length > 0,
        );
        if (!found || document.readyState === "loading") return null;
        const { left, top, width, height } = found.getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
      }, text).catch(() => null);
    const mouse = async (type, at, more = {}) => this.#debugger.send("Input.dispatchMouseEvent", { type, ...at, ...more }, await this.#shown());
    const hover = async ({ timeout }) => {
      const at = await eventually(middle, { timeoutMs: timeout, what: `"${text}"` });
      await mouse("mouseMoved", at);
      return at;
    };
    const click = async (options) => {
      const at = await hover(options);
      const button = { button: "left", clickCount: 1 };
      await mouse("mousePressed", at, { ...button, buttons: 1 });
      await pass(PRESS_MS);
      await mouse("mouseReleased", at, button);
    };
    return { first: () => ({ hover, click }) };
  }
}

/** Starts it. Resolves to `{ newVisit, close }`; `newVisit()` to `{ page, context: { close } }`, with cookies and caches of its own. */
export async function launchHeaded() {
  const { folder, remove } = temporaryFolder("headed");
  const screen = await startProgram(findProgram("Xvfb"), ["-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], {
    pattern: /(\d+)\n/,
    fd: 3,
  });
  const chromium = await startProgram(chromiumPath(), [...FLAGS, `--user-data-dir=${folder}`, "about:blank"], {
    pattern: /DevTools listening on (ws:\S+)/,
    env: { DISPLAY: `:${screen.said[1]}` },
  });
  const debug = await Debugger.open(chromium.said[1]);
  const pages = new Map();
  debug.heard = (method, params, sessionId) => {
    if (method === "Target.attachedToTarget") pages.get(sessionId)?.attached(params.sessionId);
    if (method === "Target.detachedFromTarget") pages.get(sessionId)?.detached(params.sessionId);
  };
  return {
    async newVisit() {
      const { browserContextId } = await debug.send("Target.createBrowserContext");
      const { targetId } = await debug.send("Target.createTarget", { url: "about:blank", browserContextId, newWindow: true, forTab: true });
      const { sessionId } = await debug.send("Target.attachToTarget", { targetId, flatten: true });
      const page = new Page(debug);
      pages.set(sessionId, page);
      await debug.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }, sessionId);
      return { page, context: { close: () => debug.send("Target.disposeBrowserContext", { browserContextId }) } };
    },
    async close() {
      await chromium.stop();
      await screen.stop();
      remove();
    },
  };
}
