/* The screen of webhooks: how each is doing, what it did not take, and two careful actions: try one, and send again. It asks the API while
 * somebody looks. Control flow is here; webhook_says.js has what is said. */

import { confirmed } from "./ask.js";
import { filled } from "./filled.js";
import { mark } from "./overview.js";
import { h, patch } from "./tree.js";
import all from "./webhook_words.json" with { type: "json" };
import { byNeed, causeOf, isBad, sentenceOf, stateOf, valuesOf } from "./webhook_says.js";
import { language } from "./words.js";
import { write } from "./written.js";

const texts = all[language];
const EVERY_MS = 3_000;
/** After something was sent, the next look comes this soon. */
const SOON_MS = 500;
/** This many undelivered messages are shown at first, and this many more with each wish for more. */
const SHOWN = 20;
/** For this long, the desk waits to say whether a webhook took what was tried. */
const TRIED_MS = 30_000;

/** Creates the screen in `place`. `desk` has the API's calls, `mayChange()`, `say(text)` and `why(error)`. */
export function createWebhooks(place, desk) {
  const head = Object.assign(document.createElement("h1"), { textContent: texts.title, tabIndex: -1 });
  const body = document.createElement("div");
  body.className = "hooks";
  place.append(head, body);
  let hooks = null;
  let failed = null;
  let timer;
  /** Which lists are unfolded, and how much of each is shown. */
  const opened = new Map();
  /** What was tried: the webhook's name, how the webhook was then, and until when that matters. */
  let tried = null;

  async function look() {
    clearTimeout(timer);
    if (place.hidden || document.hidden) return;
    try {
      hooks = await desk.api.webhooks();
      failed = null;
      tellTried();
    } catch (error) {
      if (error.status === 403) hooks = null;
      failed = error.status === 403 ? texts.forbidden : error.status === 503 ? texts.unreachable : desk.why(error);
    }
    if (place.hidden) return;
    show();
    timer = setTimeout(look, tried ? SOON_MS : EVERY_MS);
  }

  /** Says once whether the webhook took what was tried. */
  function tellTried() {
    if (!tried) return;
    const now = hooks.find(({ name }) => name === tried.name);
    if (now && (now.taken_at_ms ?? 0) > tried.takenMs) desk.say(filled(texts.took, now));
    else if (now?.failed && now.failed.at_ms > tried.failedMs) desk.say(filled(texts.took_not, now));
    else if (now && Date.now() < tried.untilMs) return;
    tried = null;
  }

  function show() {
    const nowMs = Date.now();
    patch(body, [
      h("p", { class: "hint" }, texts.hint),
      failed && h("p", { class: "note" }, failed),
      hooks && total(nowMs),
      hooks &&
        h(
          "ul",
          { class: "hook-list" },
          byNeed(hooks).map((hook) => card(hook, nowMs)),
        ),
    ]);
  }

  function total(nowMs) {
    const { level, says, advice } = sentenceOf(hooks, nowMs, write, texts);
    return h("div", { class: `say ${level}` }, h("div", { class: "row" }, mark(level)), h("h2", {}, says), h("p", { class: "advice" }, advice));
  }

  function card(hook, nowMs) {
    const { name, url, rooms, kinds, failed: last, dead } = hook;
    const state = stateOf(hook);
    const values = valuesOf(hook, nowMs, write);
    // If this is the only bad one, the sentence above already says what is wrong.
    const isTold = isBad(hook) && hooks.filter(isBad).length === 1;
    const cause = last && isBad(hook) && !isTold ? causeOf(last.why, name, texts) : null;
    const fact = (key, value) => h("div", {}, h("dt", {}, texts[key]), h("dd", {}, value));
    return h(
      "li",
      { key: `hook-${name}`, class: "card" },
      h("div", { class: "row" }, h("h3", {}, name), h("span", { class: isBad(hook) ? "look" : "" }, mark(isBad(hook) ? "look" : "well"))),
      !isTold && texts.own[state] && h("p", {}, filled(texts.own[state], values)),
      cause && h("p", { class: "note" }, cause.says + texts.gap + cause.cure),
      h(
        "dl",
        { class: "facts" },
        fact("url", url),
        fact("rooms", rooms.length > 0 ? rooms.join(texts.comma) : texts.all_rooms),
        fact("kinds", kinds.length > 0 ? kinds.map(kindOf).join(texts.comma) : texts.all_kinds),
        fact("last", hook.taken_at_ms === null ? texts.last_unknown : filled(texts.last_at, values)),
        last && isBad(hook) && fact("failed_last", write.moment(last.at_ms, nowMs)),
      ),
      desk.mayChange() &&
        h(
          "div",
          { class: "row start" },
          h("button", { type: "button", "data-hook": "test", "data-name": name }, texts.test),
          dead.length > 0 && h("button", { type: "button", "data-hook": "all", "data-name": name }, filled(texts.again_all, values)),
        ),
      dead.length > 0 && lying(hook, nowMs),
    );
  }

  /** Returns the list of what nobody took, the newest first, as far as it is unfolded. */
  function lying({ name, dead }, nowMs) {
    const count = opened.get(name) ?? 0;
    const shown = [...dead].reverse().slice(0, Math.max(count, SHOWN));
    const row = (letter) =>
      h(
        "li",
        { key: letter.id },
        h(
          "div",
          {},
          h("p", {}, h("strong", {}, kindOf(letter.kind)), " ", placeOf(letter, nowMs)),
          h("p", { class: "hint" }, causeOf(letter.died.why, name, texts).says),
          h("code", { class: "hint" }, letter.id),
        ),
        desk.mayChange() &&
          h(
            "button",
            {
              type: "button",
              "data-hook": "one",
              "data-name": name,
              "data-id": letter.id,
              "aria-label": filled(texts.again_of, { kind: kindOf(letter.kind), time: write.moment(letter.born_ms, nowMs) }),
            },
            texts.again,
          ),
      );
    const left = dead.length - shown.length;
    return h(
      "details",
      { "data-list": name, open: count > 0 },
      h("summary", {}, filled(texts.lying, { dead: write.number(dead.length) })),
      h("p", { class: "hint" }, texts.lying_hint),
      h("ol", { class: "lying" }, count > 0 && shown.map(row)),
      left > 0 &&
        h("button", { type: "button", "data-hook": "more", "data-name": name }, filled(texts.more, { count: write.number(Math.min(left, SHOWN)) })),
    );
  }

  const kindOf = (kind) => texts.kind_names[kind] ?? kind;
  const placeOf = ({ room, born_ms: bornMs }, nowMs) => filled(texts.lying_since, { room: room ?? texts.house, time: write.moment(bornMs, nowMs) });
  const hookOf = (name) => hooks.find((hook) => hook.name === name);

  const actions = {
    async test(name) {
      if (!(await confirmed(filled(texts.ask.test, { name }), texts.ask.test_follows, texts.test))) return;
      await attempt(
        name,
        () => desk.api.testWebhook(name),
        () => filled(texts.tried, { name }),
      );
    },
    async all(name) {
      const values = { name, dead: write.number(hookOf(name).dead.length) };
      if (await confirmed(filled(texts.ask.all, values), texts.ask.again_follows, texts.again)) await again(name);
    },
    async one(name, id) {
      const letter = hookOf(name).dead.find((one) => one.id === id);
      const nowMs = Date.now();
      const what = filled(texts.ask.one_what, {
        kind: kindOf(letter.kind),
        room: letter.room ?? texts.house,
        time: write.moment(letter.born_ms, nowMs),
      });
      if (await confirmed(filled(texts.ask.one, { name }), [what, ...texts.ask.again_follows], texts.again)) await again(name, id);
    },
    more(name) {
      const before = opened.get(name) ?? SHOWN;
      opened.set(name, before + SHOWN);
      show();
      body.querySelectorAll(`[data-list="${name}"] .lying button`)[before]?.focus();
    },
  };

  const again = (name, id) =>
    attempt(
      name,
      () => desk.api.resend(name, id),
      ({ messages }) => filled(messages > 0 ? texts.sent : texts.sent_none, { name, count: write.number(messages) }),
    );

  /** Sends something, says so, and looks at what comes of it. */
  async function attempt(name, work, done) {
    const before = hookOf(name);
    try {
      const told = await work();
      desk.say(done(told));
      if (told.messages > 0)
        tried = { name, takenMs: before?.taken_at_ms ?? 0, failedMs: before?.failed?.at_ms ?? 0, untilMs: Date.now() + TRIED_MS };
    } catch (error) {
      desk.say(error.status === 503 ? texts.unreachable : desk.why(error));
    }
    await look();
    // The button that was pressed may be gone together with its message.
    if (document.activeElement === document.body)
      (body.querySelector(`[data-list="${name}"] summary`) ?? body.querySelector(`[data-hook="test"][data-name="${name}"]`))?.focus();
  }

  body.addEventListener("click", ({ target }) => {
    const { hook, name, id } = target.closest("[data-hook]")?.dataset ?? {};
    if (hook) actions[hook](name, id);
  });
  // A list is made when somebody unfolds it, because each may have 500 messages.
  body.addEventListener(
    "toggle",
    ({ target }) => {
      const { list } = target.dataset;
      if (!list || target.open === opened.has(list)) return;
      if (target.open) opened.set(list, SHOWN);
      else opened.delete(list);
      show();
    },
    true,
  );
  document.addEventListener("visibilitychange", look);
  return {
    leave() {
      clearTimeout(timer);
      hooks = null;
      patch(body, []);
    },
    look() {
      hooks = failed = tried = null;
      head.focus({ preventScroll: true });
      return look();
    },
  };
}
