/* The screen of who may operate: operators of the file and of the house, a form for those of the house, and a token that is shown once. The
 * API decides who may do what. The screen shows it, and says a refusal in words. */

import { confirmed } from "./ask.js";
import { filled } from "./filled.js";
import { changeLines } from "./house.js";
import { openOperatorForm } from "./operator_form.js";
import all from "./operator_words.json" with { type: "json" };
import { canMake, makeToken } from "./token.js";
import { h, patch } from "./tree.js";
import { language, words } from "./words.js";
import { write } from "./written.js";

const texts = all[language];
/** The name of the operator who holds the secret. */
const SECRET_HOLDER = "operator";
const ROLES = ["view", "operate", "own"];

const make = (tag, attrs = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attrs);
  element.append(...children);
  return element;
};

/** Creates the screen in `place`. `desk` has the API's calls, `rooms()` (names), `self()` (the own name), `say(text)` and `why(error)`. */
export function createOperators(place, desk) {
  const head = make("h1", { textContent: texts.title, tabIndex: -1 });
  const [form, list] = [make("div"), make("div", { className: "operators" })];
  const refusal = make("p", { className: "note", hidden: true, role: "alert" });
  place.append(head, form, refusal, list);
  let told = null;
  /** What gets the focus when a form is closed. */
  let opener = null;

  async function look() {
    try {
      told = await desk.api.house();
      if (!told.operators) return only(texts.forbidden);
    } catch (error) {
      return only({ 403: texts.forbidden, 404: texts.only_house, 503: texts.errors.silent }[error.status] ?? desk.why(error));
    }
    show();
  }

  /** Shows only why there is nothing to show. */
  function only(text) {
    told = null;
    clear();
    patch(list, [h("p", {}, text)]);
  }

  function show() {
    const people = [
      ...Object.entries(told.operators).map(([name, of]) => ({ name, ...of })),
      ...Object.entries(told.operators_of_file).map(([name, of]) => ({ name, ...of, isOfFile: true })),
    ];
    const undo = told.undo.filter(({ operator }) => operator !== undefined);
    patch(list, [
      h("p", { class: "hint" }, texts.hint),
      h(
        "div",
        { class: "row start" },
        h("button", { type: "button", class: "strong", "data-operator": "add" }, texts.add),
        undo.length > 0 &&
          undo.length === told.undo.length &&
          h("button", { type: "button", "data-operator": "undo" }, filled(texts.undo, { changes: changeLines(undo).join("; ") })),
      ),
      h("ul", { class: "cards" }, people.map(card)),
      h("p", { class: "hint" }, texts.file_hint),
    ]);
  }

  function card({ name, role, rooms, token, email, ends_at: endsAt, isOfFile }) {
    const act = (what, label) =>
      h("button", { type: "button", "data-operator": what, "data-name": name, "aria-label": filled(texts[`${what}_of`], { name }) }, label);
    const where = rooms?.length > 0 ? filled(texts.within, { rooms: rooms.join(", ") }) : texts.everywhere;
    const way = token && email ? "both" : email ? "email" : "token";
    const endsMs = Date.parse(endsAt);
    const end = endsAt && filled(endsMs < Date.now() ? texts.over : texts.ends, { time: write.date(endsMs) });
    return h(
      "li",
      { key: `operator-${name}`, class: "card" },
      h(
        "div",
        { class: "row" },
        h("strong", {}, name, name === desk.self() && h("span", { class: "hint" }, ` (${texts.you})`)),
        isOfFile && h("span", { class: "tag" }, name === SECRET_HOLDER ? texts.of_secret : texts.of_file),
      ),
      h("span", {}, `${texts.roles[role]} · ${where}`),
      h("span", { class: "hint" }, [filled(texts.ways[way], { email }), end].filter(Boolean).join(" · ")),
      !isOfFile &&
        h(
          "div",
          { class: "row start" },
          act("change", texts.change),
          token && name !== desk.self() && act("renew", texts.renew),
          act("remove", texts.remove),
        ),
    );
  }

  /** Clears whatever is filled in or shown, a token above all. */
  function clear() {
    form.replaceChildren();
    delete form.dataset.of;
    refuse();
  }

  /** Says why something was not done. Without a text it takes away what was said. */
  function refuse(text = "") {
    refusal.textContent = text;
    refusal.hidden = text === "";
    if (text) refusal.scrollIntoView({ block: "nearest" });
  }

  /** Changes the house if it is as it was seen. Resolves to whether it was done, and says why if it was refused. */
  async function attempt(name, work, done) {
    refuse();
    try {
      told = await work(told.revision);
      desk.say(filled(done, { name }));
      show();
      return true;
    } catch (error) {
      const { conflict, last_owner: lastOwner, gone, refused, silent } = texts.errors;
      const why =
        {
          403: texts.forbidden,
          412: conflict,
          409: lastOwner,
          404: filled(gone, { name }),
          400: filled(refused, { why: error.message }),
          503: silent,
        }[error.status] ?? desk.why(error);
      // What was typed stays, over the house as it is now.
      if ([404, 412].includes(error.status)) await look();
      refuse(why);
      return false;
    }
  }

  function close() {
    clear();
    const [what, name] = opener ?? [];
    opener = null;
    (list.querySelector(`[data-operator="${what}"]${name ? `[data-name="${CSS.escape(name)}"]` : ""}`) ?? head).focus();
  }

  function open(operator, save) {
    clear();
    form.dataset.of = operator?.name ?? "";
    const taken = [...Object.keys(told.operators), ...Object.keys(told.operators_of_file)];
    openOperatorForm(form, { operator, taken, rooms: desk.rooms(), texts, save, close });
  }

  const actions = {
    add() {
      if (!canMake()) return refuse(texts.insecure);
      opener = ["add"];
      open(null, async (name, { role, rooms }) => {
        const { token, sha256 } = await makeToken();
        const table = { role, ...(rooms && { rooms }), sha256 };
        const isDone = await attempt(name, (revision) => desk.api.setOperator(name, table, revision), texts.added);
        if (isDone) showToken(name, token);
        return isDone;
      });
    },
    change(name) {
      opener = ["change", name];
      const now = told.operators[name];
      open({ name, ...now }, async (_, { role, rooms }) => {
        const isLess = ROLES.indexOf(role) < ROLES.indexOf(now.role) || (rooms !== null && !now.rooms);
        if (name === desk.self() && isLess && !(await confirmed(texts.ask.lower_self, texts.ask.lower_self_follows, words.change))) return false;
        const isDone = await attempt(name, (revision) => desk.api.changeOperator(name, { role, rooms }, revision), texts.changed);
        if (isDone) close();
        return isDone;
      });
    },
    async renew(name) {
      if (!canMake()) return refuse(texts.insecure);
      opener = ["renew", name];
      if (!(await confirmed(filled(texts.ask.renew, { name }), follows("renew", name), texts.renew))) return;
      const { token, sha256 } = await makeToken();
      if (await attempt(name, (revision) => desk.api.changeOperator(name, { sha256 }, revision), texts.renewed)) showToken(name, token);
    },
    async remove(name) {
      if (!(await confirmed(filled(texts.ask.remove, { name }), follows("remove", name), texts.remove))) return;
      // A form for another operator stays, and so does a token that nobody has kept yet.
      if (form.dataset.of === name) clear();
      await attempt(name, (revision) => desk.api.removeOperator(name, revision), texts.removed);
      refocus();
    },
    async undo() {
      if (!(await confirmed(texts.ask.undo, changeLines(told.undo), words.change))) return;
      await attempt("", (revision) => desk.api.undoHouse(revision), texts.undone);
      refocus();
    },
  };

  /** Gives the focus to a button that is there: the one that was pressed may be gone. */
  const refocus = () => {
    if (document.activeElement === document.body) list.querySelector("[data-operator=add]")?.focus();
  };
  const follows = (what, name) => [
    ...texts.ask[`${what}_follows`].map((line) => filled(line, { name })),
    ...(name === desk.self() ? [texts.ask[`${what}_self`]] : []),
  ];

  /** Shows the token until the operator has kept it. It is shown nowhere else. */
  function showToken(name, token) {
    const text = make("textarea", { value: token, readOnly: true, id: "token-made", rows: 1, spellcheck: false });
    const copy = make("button", { type: "button", textContent: texts.copy, className: "strong" });
    copy.addEventListener("click", async () => {
      text.select();
      desk.say(
        await navigator.clipboard.writeText(token).then(
          () => texts.copied,
          () => texts.copy_failed,
        ),
      );
    });
    const title = make("label", { htmlFor: text.id, className: "head", textContent: filled(texts.token, { name }) });
    form.dataset.of = name;
    form.replaceChildren(
      make(
        "section",
        { className: "define made" },
        title,
        make("div", { className: "setting" }, text, copy),
        make("p", { className: "note", textContent: filled(texts.token_hint, { name }) }),
        make("div", { className: "row start" }, make("button", { type: "button", textContent: texts.token_done, onclick: close })),
      ),
    );
    copy.focus();
    form.scrollIntoView({ block: "nearest" });
  }

  list.addEventListener("click", ({ target }) => {
    const { operator, name } = target.closest("[data-operator]")?.dataset ?? {};
    if (operator) actions[operator](name);
  });
  return {
    leave() {
      only("");
    },
    look() {
      clear();
      head.focus({ preventScroll: true });
      return look();
    },
  };
}
