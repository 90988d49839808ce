// Stock WebKitGTK by classic WebDriver, under a display without a screen. Its driver takes one session, so each person has a driver and a browser.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startListening } from "./listening.mjs";
import { Person, keyActions, tapActions } from "./person.mjs";
import { freePort, startProgram, temporaryFolder, webkitPaths } from "./programs.mjs";

/** Without this the toolbar of WebKitGTK's small browser keeps the window, and so the page, wider than a phone. */
const NO_TOOLBAR =
  "window * { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; -gtk-icon-transform: scale(0) }\n";
const READY_WITHIN_MS = 20_000;
/** A driver that waits for what never comes ends as a failure with a place. */
const ANSWERS_WITHIN_MS = 60_000;
/** A look into a page that just goes away or comes may get no answer at all; then the next look gets one. */
const LOOKS_WITHIN_MS = 2_000;
const LOOKS_MAX = 10;

/** There are no forced colours in WebKit. */
export async function startWebKit({ dark, reducedMotion, scripts = true, scale = 1 }) {
  const { driver, display, browser } = webkitPaths();
  const { folder, remove } = temporaryFolder("webkit");
  mkdirSync(path.join(folder, "gtk-3.0"));
  writeFileSync(path.join(folder, "gtk-3.0", "gtk.css"), NO_TOOLBAR);
  writeFileSync(path.join(folder, "gtk-3.0", "settings.ini"), `[Settings]\ngtk-enable-animations=${reducedMotion ? 0 : 1}\n`);
  const screen = await startProgram(display, ["-displayfd", "3", "-screen", "0", "6400x6400x24", "-nolisten", "tcp"], { pattern: /(\d+)\n/, fd: 3 });
  const env = {
    DISPLAY: `:${screen.said[1]}`,
    XDG_CONFIG_HOME: folder,
    HOME: folder,
    GTK_THEME: dark ? "Adwaita:dark" : "Adwaita",
    GDK_SCALE: String(scale),
    NO_AT_BRIDGE: "1",
    LIBGL_ALWAYS_SOFTWARE: "1",
  };
  const args = ["--automation", `--enable-javascript=${scripts}`];
  const closing = [];
  const listening = new Map();
  return {
    name: "webkit",
    get version() {
      return `WebKitGTK ${this.browserVersion}`;
    },
    async origin(url) {
      const { origin } = new URL(url);
      if (!listening.has(origin)) listening.set(origin, await startListening(origin));
      return listening.get(origin).origin;
    },
    async person({ width = 360, height = 740 } = {}) {
      const { call, capabilities, end } = await startSession({ driver, browser, args, env });
      closing.push(end);
      this.browserVersion = capabilities.browserVersion;
      const tab = tabOf(call, end);
      await tab.resize({ width, height });
      return new Person(tab);
    },
    async close() {
      await Promise.all(closing.map((end) => end()));
      await Promise.all([...listening.values()].map((each) => each.close()));
      await screen.stop();
      remove();
    },
  };
}

async function startSession({ driver, browser, args, env }) {
  const port = await freePort();
  const { stop } = await startProgram(driver, [`--port=${port}`], { env, ready: () => isListening(port) });
  const ask = async (method, where, body, withinMs = ANSWERS_WITHIN_MS) => {
    const answer = await fetch(`http://127.0.0.1:${port}${where}`, {
      method,
      signal: AbortSignal.timeout(withinMs),
      ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`WebKit: ${value.error}: ${value.message}`);
    return value;
  };
  const { sessionId, capabilities } = await ask("POST", "/session", {
    capabilities: { alwaysMatch: { pageLoadStrategy: "none", "webkitgtk:browserOptions": { binary: browser, args } } },
  });
  const call = (method, where, body, withinMs) => ask(method, `/session/${sessionId}${where}`, body, withinMs);
  let ended;
  const end = () =>
    (ended ??= call("DELETE", "")
      .catch(() => {})
      .then(stop));
  return { call, capabilities, end };
}

async function isListening(port) {
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("WebKit's driver does not listen");
}

function tabOf(call, close) {
  const run = async (source, args, looks = 1) => {
    const script = `return JSON.stringify((${source})(...JSON.parse(arguments[0])))`;
    try {
      const value = await call("POST", "/execute/sync", { script, args: [JSON.stringify(args)] }, looks * LOOKS_WITHIN_MS);
      return value === null ? undefined : JSON.parse(value);
    } catch (error) {
      if (error.name !== "TimeoutError" || looks === LOOKS_MAX) throw error;
      return run(source, args, looks + 1);
    }
  };
  let left = 0;
  /** Resolves once another document is there than the one of now: the driver's own waiting now and then has no end. */
  const leave = async (act) => {
    left += 1;
    await run(
      (mark) => {
        window.left = mark;
      },
      [left],
    );
    await act();
    for (const end = Date.now() + ANSWERS_WITHIN_MS; Date.now() < end; ) {
      if (await run((mark) => window.left !== mark && document.readyState !== "loading", [left]).catch(() => false)) return;
    }
    throw new Error("WebKit: no other page came");
  };
  const size = () => run(() => [innerWidth, innerHeight], []);
  const settled = async (isMeant) => {
    for (const end = Date.now() + ANSWERS_WITHIN_MS; !isMeant(await size()); )
      if (Date.now() > end) throw new Error(`WebKit: the window stays at ${await size()}`);
  };
  const resize = async ({ width, height }) => {
    await call("POST", "/window/rect", { width, height });
    await settled(([w, h]) => w === width && h <= height);
    // The window's frame takes some of the height.
    const [, inner] = await size();
    await call("POST", "/window/rect", { width, height: height + height - inner });
    await settled(([w, h]) => w === width && h === height);
  };
  return {
    load: (url) => leave(() => call("POST", "/url", { url })),
    reload: () => leave(() => run(() => location.reload(), [])),
    back: () => leave(() => run(() => history.back(), [])),
    forward: () => leave(() => run(() => history.forward(), [])),
    call: run,
    tap: (x, y) => call("POST", "/actions", { actions: tapActions(x, y) }),
    keys: (keys) => call("POST", "/actions", { actions: keyActions(keys) }),
    resize,
    async shoot() {
      return Buffer.from(await call("GET", "/screenshot"), "base64");
    },
    async isExposedAs(selector, role, name) {
      const element = Object.values(await call("POST", "/element", { using: "css selector", value: selector }))[0];
      const [itsRole, itsName] = await Promise.all(["computedrole", "computedlabel"].map((what) => call("GET", `/element/${element}/${what}`)));
      return itsRole === role && [undefined, itsName].includes(name);
    },
    // A tab in front of it would not hide it: the driver opens tabs behind.
    hide: () => call("POST", "/window/minimize"),
    show: () => call("POST", "/window/rect", {}),
    complaints: () => run(() => JSON.parse(sessionStorage.getItem("complaints") ?? "[]"), []),
    close,
  };
}
