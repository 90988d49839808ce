/* The form for one operator: name, role, and where. It says what is wrong before anything is sent. If Baton still refuses it, whoever
 * opened the form says why. */

import { field } from "./ask.js";
import { filled } from "./filled.js";
import { words } from "./words.js";

const make = (tag, attrs = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attrs);
  element.append(...children);
  return element;
};

/** The journal uses these names itself (src/token/operator.rs). */
const RESERVED = ["operator", "schedule", "baton", "house", "system"];
const ROLES = ["view", "operate", "own"];
/** The most rooms of one operator (src/settings/operators.rs). */
const ROOMS_MAX = 50;
const EVERYWHERE = "everywhere";

/**
 * Opens a form in `place`. `operator` is `{ name, role, rooms }` as it is, or null for a new one. `taken` are the names in use, `rooms` all
 * names of rooms. `save(name, { role, rooms })` (`rooms` null: all) resolves to whether it was done. `close()` gives the form up.
 */
export function openOperatorForm(place, { operator, taken, rooms, texts, save, close }) {
  const name = make("input", {
    value: operator?.name ?? "",
    readOnly: operator !== null,
    required: true,
    maxLength: 64,
    autocapitalize: "none",
    autocomplete: "off",
    spellcheck: false,
  });
  const judge = () => {
    const text = name.value;
    const wrong = operator
      ? ""
      : !/^[\w.@-]{1,64}$/.test(text)
        ? texts.name_bad
        : RESERVED.includes(text)
          ? texts.name_reserved
          : taken.includes(text)
            ? texts.name_taken
            : "";
    name.setCustomValidity(wrong);
  };
  name.addEventListener("input", judge);
  judge();
  const role = make("select");
  const roles = operator?.role === "release" ? ["release"] : ROLES;
  role.append(...roles.map((one) => new Option(`${texts.roles[one]} (${one})`, one, false, one === (operator?.role ?? "view"))));
  const says = make("p", { className: "hint", id: "role-says" });
  role.setAttribute("aria-describedby", says.id);
  const explain = () => {
    says.textContent = texts.role_says[role.value];
  };
  role.addEventListener("change", explain);
  explain();
  const where =
    rooms.length + (operator?.rooms?.length ?? 0) > 0
      ? whereField({ own: operator?.rooms ?? [], all: rooms, isMachine: operator?.role === "release", texts })
      : null;
  const done = make("button", { textContent: operator ? texts.save : texts.save_new, className: "strong" });
  const form = make(
    "form",
    { className: "define" },
    make("h2", { className: "head", textContent: operator ? filled(texts.change_of, operator) : texts.add }),
    field(texts.name, name),
    ...(operator ? [] : [make("p", { className: "hint", textContent: texts.name_hint })]),
    field(texts.role, role),
    says,
    ...(where ? [where.element] : []),
    make("div", { className: "row start" }, done, make("button", { type: "button", textContent: words.cancel, onclick: close })),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    done.disabled = true;
    const isOver = await save(name.value, { role: role.value, rooms: where?.read() ?? null });
    done.disabled = false;
    if (!isOver) done.focus({ preventScroll: true });
  });
  place.replaceChildren(form);
  (operator ? role : name).focus();
  form.scrollIntoView({ block: "nearest" });
}

/** Returns the choice of everywhere or some rooms: those there are, and those that the operator has but are gone. `read()` is null for all. */
function whereField({ own, all, isMachine, texts }) {
  const select = make("select");
  const options = [...(isMachine ? [] : [[EVERYWHERE, texts.everywhere]]), ["rooms", texts.somewhere]];
  select.append(...options.map(([value, text]) => new Option(text, value, false, (value === "rooms") === own.length > 0)));
  const boxes = [...new Set([...all, ...own])].sort().map((room) => make("input", { type: "checkbox", value: room, checked: own.includes(room) }));
  const list = make(
    "fieldset",
    { className: "checks" },
    make("legend", { textContent: texts.rooms }),
    ...boxes.map((box) => make("label", { className: "check" }, box, make("span", { textContent: box.value }))),
  );
  const chosen = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
  const judge = () => {
    const isEverywhere = select.value === EVERYWHERE;
    list.hidden = isEverywhere;
    const count = chosen().length;
    boxes[0].setCustomValidity(
      isEverywhere || (count > 0 && count <= ROOMS_MAX) ? "" : count === 0 ? texts.rooms_none : filled(texts.rooms_many, { max: ROOMS_MAX }),
    );
  };
  select.addEventListener("change", judge);
  list.addEventListener("change", judge);
  judge();
  return {
    element: make("div", { className: "where" }, field(texts.where, select), list),
    read: () => (select.value === EVERYWHERE ? null : chosen()),
  };
}
