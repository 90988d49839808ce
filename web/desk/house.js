/* The house's screen, for rooms that come and go without a deploy: a list, a form that begins as a copy of another room, what would change
 * before anything does, and undo. Control flow is here; `room_form.js` is the form, `definition.js` works out what is sent. */

import { confirmed } from "./ask.js";
import { definitionOf, writtenValue } from "./definition.js";
import { filled } from "./filled.js";
import { createRoomForm } from "./room_form.js";
import { h, patch } from "./tree.js";
import { words } from "./words.js";

const make = (tag, attrs = {}) => Object.assign(document.createElement(tag), attrs);
const button = (text, attrs = {}) => make("button", { type: "button", textContent: text, ...attrs });

/** Returns what changes of the house come to, as lines. */
export function changeLines(changes) {
  const { planned, key_change: keyChange, needs } = words.house;
  return changes.flatMap(({ room, operator, does, keys, needs_nobody_for: fixed }) =>
    operator !== undefined
      ? [filled(words.house.people[does], { operator })]
      : [
          filled(planned[does], { room }),
          ...Object.entries(keys ?? {}).map(([key, { from, to }]) =>
            filled(keyChange, {
              key,
              from: from === null ? words.from_default : writtenValue(from),
              to: to === null ? words.from_default : writtenValue(to),
            }),
          ),
          ...(fixed?.length > 0 ? [filled(needs, { keys: fixed.join(", ") })] : []),
        ],
  );
}

/** Creates the screen in `place`. `desk` has the API's calls, `rooms()` as last told, `mayChange()`, `deeper()` (the screens behind this
 * one), `say(text)` and `why(error)`. */
export function createHouse(place, desk) {
  const list = make("div");
  const form = make("div");
  place.append(list, form);
  let told = null;

  async function look() {
    // The title at once: with a slow answer nothing at all would stand here.
    if (!told) patch(list, [h("h2", {}, words.house.title), deeper()]);
    try {
      told = await desk.api.house();
    } catch (error) {
      told = null;
      patch(list, [h("h2", {}, words.house.title), deeper(), h("p", {}, error.status === 404 ? words.house.absent : desk.why(error))]);
      return form.replaceChildren();
    }
    show();
  }

  /** Returns links to the screens a step deeper, if the operator may see any. */
  const deeper = () =>
    desk.deeper().length > 0 &&
    h(
      "p",
      { class: "row start links" },
      desk.deeper().map((name) => h("a", { class: "button", href: `#${name}` }, words.house.deeper[name])),
    );

  function show() {
    const { house } = words;
    const entries = Object.entries(told.rooms);
    const may = desk.mayChange();
    const act = (name, room) => may && h("button", { type: "button", "data-house": name, "data-room": room }, house[name]);
    patch(list, [
      h("h2", {}, house.title),
      deeper(),
      h("p", { class: "hint" }, house.hint),
      entries.length === 0 && h("p", {}, house.none),
      h(
        "ul",
        { class: "cards" },
        entries.map(([room, { definition, state }]) =>
          h(
            "li",
            { key: `house-${room}`, class: "card" },
            h("strong", {}, room),
            h("span", { class: "hint" }, `${house.state[state]} · ${[definition.paths ?? []].flat().join(" ")}`),
            h(
              "span",
              { class: "row" },
              state === "open" && act("edit", room),
              state === "open" && act("delete", room),
              state === "archived" && act("release", room),
            ),
          ),
        ),
      ),
      may &&
        h(
          "div",
          { class: "row" },
          h("button", { type: "button", "data-house": "define", class: "strong" }, house.define),
          told.undo.length > 0 &&
            h("button", { type: "button", "data-house": "undo" }, filled(house.undo, { changes: changeLines(told.undo).join("; ") })),
        ),
    ]);
  }

  /** Changes the house if it is as it was seen, and says what came of it. Resolves to whether it was done. */
  async function attempt(work) {
    try {
      told = await work(told.revision);
      desk.say(filled(words.house.done, told));
      show();
      return true;
    } catch (error) {
      desk.say(desk.why(error));
      await look();
      return false;
    }
  }

  const actions = {
    define: () => edit(null),
    edit: (room) => edit(room),
    async delete(room) {
      if (await confirmed(filled(words.house.delete_question, { room }), words.house.delete_follows, words.house.delete))
        await attempt((revision) => desk.api.applyHouse({ [room]: null }, revision));
    },
    async release(room) {
      if (await confirmed(filled(words.house.release_question, { room }), words.house.release_follows, words.house.release))
        await attempt((revision) => desk.api.releaseRoom(room, revision));
    },
    async undo() {
      if (await confirmed(words.house.undo_question, changeLines(told.undo), words.change)) await attempt((revision) => desk.api.undoHouse(revision));
    },
  };
  list.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-house]");
    if (chosen) actions[chosen.dataset.house](chosen.dataset.room);
  });

  /** Returns what a new room can be a copy of: every room by name, with its definition. */
  function copies() {
    const ofFile = desk
      .rooms()
      .filter((room) => room.settings && !told.rooms[room.room])
      .map((room) => [room.room, definitionOf(room)]);
    return [...Object.entries(told.rooms).map(([room, { definition }]) => [room, definition]), ...ofFile];
  }

  /** Returns the keys there are, each with its value in the first room that told its settings. */
  const known = () => desk.rooms().find(({ settings }) => settings)?.settings ?? {};

  function edit(room) {
    const { house } = words;
    const { element, read, focus } = createRoomForm({ room, copies: copies(), known: known() });
    const outcome = make("div");
    outcome.setAttribute("role", "status");
    const apply = button(house.apply, { className: "strong", hidden: true });
    const row = make("div", { className: "row" });
    row.append(make("button", { textContent: house.plan }), apply, button(words.cancel, { onclick: () => form.replaceChildren() }));
    element.append(outcome, row);
    const wish = () => {
      const { name, definition } = read();
      return { [name]: definition };
    };
    element.addEventListener("input", () => {
      apply.hidden = true;
    });
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      plan(wish(), { outcome, apply });
    });
    apply.addEventListener("click", async () => {
      if (await attempt((revision) => desk.api.applyHouse(wish(), revision))) form.replaceChildren();
    });
    form.replaceChildren(element);
    focus();
  }

  /** Shows what would change, or why Baton would refuse it. Only then can it be done. */
  async function plan(wish, { outcome, apply }) {
    try {
      const { changes, problems, revision } = await desk.api.planHouse(wish);
      told.revision = revision;
      const lines = problems.length > 0 ? problems : changeLines(changes);
      apply.hidden = problems.length > 0 || changes.length === 0;
      const head = problems.length > 0 ? words.house.refused : changes.length === 0 ? words.house.nothing : words.ask.follows;
      patch(outcome, [
        h("p", { class: problems.length > 0 ? "note" : null }, head),
        h(
          "ul",
          {},
          lines.map((line) => h("li", {}, line)),
        ),
      ]);
      if (!apply.hidden) apply.focus();
    } catch (error) {
      apply.hidden = true;
      patch(outcome, [h("p", { class: "note" }, desk.why(error))]);
    }
  }

  return {
    look,
    /** Clears the screen, so that nothing of one operator's is left for the next. */
    forget() {
      told = null;
      patch(list, []);
      form.replaceChildren();
    },
  };
}
