// What a person does in a browser, in any engine. A driver brings the tab:
//
//   load(url), reload(), back(), forward()
//   call(source, args)    runs a function's source in the page; JSON in and out
//   tap(x, y), keys(list) real input, as the engine makes it of a mouse and a keyboard
//   resize(size), shoot() → PNG
//   hide(), show()        another tab comes to the front, and goes
//   isExposedAs(selector, role, name)   whether the tree for screen readers has the element so; `name` may be left out
//   complaints()          what the console and the content security policy had to say
//   close()

const SOON_MS = 30_000;
const LOOK_EVERY_MS = 40;

/** What drivers say while one document gives way to the next. */
const BETWEEN_PAGES = /navigat|context|detached|destroyed|closed window|no such (window|frame|node)|stale|unload|javascript error|timeout/i;

/** The middle of the first element on the screen that `selector` finds and that a finger would hit; `text` chooses among several. */
function middleOf(selector, text) {
  if (document.readyState !== "complete") return null;
  const shown = [...document.querySelectorAll(selector)].filter(
    (each) => each.getClientRects().length && (!text || each.textContent.trim() === text),
  );
  const [element] = shown;
  if (!element) return null;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)];
  const hit = document.elementFromPoint(x, y);
  return hit && (element.contains(hit) || hit.contains(element)) ? { x, y } : null;
}

export class Person {
  #tab;

  constructor(tab) {
    this.#tab = tab;
  }

  goto(url) {
    return this.#tab.load(url);
  }
  reload() {
    return this.#tab.reload();
  }
  back() {
    return this.#tab.back();
  }
  forward() {
    return this.#tab.forward();
  }
  resize(size) {
    return this.#tab.resize(size);
  }
  screenshot() {
    return this.#tab.shoot();
  }
  hide() {
    return this.#tab.hide();
  }
  show() {
    return this.#tab.show();
  }
  isExposedAs(...wanted) {
    return this.#tab.isExposedAs(...wanted);
  }
  complaints() {
    return this.#tab.complaints();
  }
  close() {
    return this.#tab.close();
  }

  /** Runs `look` in the page, without waiting for promises of its own. */
  evaluate(look, ...args) {
    return this.#tab.call(String(look), args);
  }

  /**
   * Resolves to the first truthy value of `look` in the page, over as many loads as it takes. It asks again and again: the one way that no engine
   * loses when a document goes, and that works without scripts.
   */
  async until(look, ...args) {
    const end = Date.now() + SOON_MS;
    for (let problem; ; ) {
      try {
        const found = await this.evaluate(look, ...args);
        if (found) return found;
        problem = undefined;
      } catch (error) {
        if (!BETWEEN_PAGES.test(error.message)) throw error;
        problem = error;
      }
      if (Date.now() > end)
        throw new Error(
          `not within ${SOON_MS / 1_000} s: ${look.name || look} ${JSON.stringify(args)}; ${problem?.message ?? (await this.situation())}`,
        );
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** For a failure's message. */
  situation() {
    return this.evaluate(() => `at ${location.href}, ${JSON.stringify({ ...document.body.dataset })}: ${document.body.innerText.slice(0, 400)}`);
  }

  /** Waits for the state of the waiting page. */
  state(...states) {
    return this.until((wanted) => wanted.includes(document.body?.dataset.state) && document.body.dataset.state, states);
  }

  /** Waits until the page's visible text has `text`. */
  sees(text) {
    return this.until((wanted) => document.body?.innerText.includes(wanted), text);
  }

  /** Clicks as soon as there is something to hit, and it has come to rest. */
  async click(selector, text) {
    for (let before; ; ) {
      const { x, y } = await this.until(middleOf, selector, text);
      if (before?.x === x && before.y === y) return this.#tab.tap(x, y);
      before = { x, y };
    }
  }

  /** Types into a field. */
  async type(selector, text) {
    await this.click(selector);
    await this.#tab.keys([...text]);
  }

  /** Presses keys one after the other: characters, or the code points that WebDriver has for `Tab`, `Enter` and others. */
  press(...keys) {
    return this.#tab.keys(keys);
  }
}

export const TAB = "\uE004";
export const ENTER = "\uE007";

/** A click as a WebDriver action, in both of its dialects. */
export const tapActions = (x, y) => [
  {
    type: "pointer",
    id: "mouse",
    parameters: { pointerType: "mouse" },
    actions: [
      { type: "pointerMove", x, y, duration: 0 },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ],
  },
];
export const keyActions = (keys) => [
  {
    type: "key",
    id: "keyboard",
    actions: keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]),
  },
];
