/* The form of a room's definition: what people decide about a room, in their words, and every other setting behind "more", written as in the
 * file. It keeps what it does not show. */

import { field } from "./ask.js";
import { freshOf, readValue, writtenValue } from "./definition.js";
import { filled } from "./filled.js";
import { isPast } from "./knobs.js";
import { words } from "./words.js";
import { localText, ownZone } from "./zones.js";

const make = (tag, attrs = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attrs);
  element.append(...children);
  return element;
};
const DRAWS = ["shuffle", "arrival"];
const linesOf = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
const minute = (text) => text.slice(0, 16);

/** Returns the only date of a value, or null. */
const onlyDate = (value) => {
  const dates = [value ?? []].flat();
  return dates.length === 1 && !Number.isNaN(Date.parse(dates[0])) ? dates[0] : null;
};

/**
 * Creates the form. `room` is the name of the room to change, or null for a new one, which begins as one of `copies`, `[name, definition]`
 * each. `known` has the keys there are with their values in another room. `read()` returns `{ name, definition }`. Long because its fields follow
 * each other.
 */
export function createRoomForm({ room, copies, known }) {
  const { house } = words;
  const name = make("input", {
    required: true,
    pattern: "[a-z0-9][a-z0-9\\-]*",
    value: room ?? "",
    readOnly: room !== null,
    autocapitalize: "none",
    spellcheck: false,
  });
  const paths = make("textarea", { rows: 2, spellcheck: false, autocapitalize: "none" });
  const permits = make("input", { type: "number", min: 0, max: 100_000, step: 1, required: true });
  const opens = make("input", { type: "datetime-local" });
  const draw = make("select", {}, ...DRAWS.map((one) => new Option(house.draws[one], one)));
  const past = make("p", { className: "note", textContent: words.consequences.past });
  const opensField = make("div", { className: "rows" }, field(filled(house.fields.opens_at, { zone: ownZone() }), opens), past);
  const rows = make("div", { className: "rows" });
  const more = make("details", {}, make("summary"), rows, make("p", { className: "hint", textContent: house.file_json }));
  /** The definition as it was shown, and its only opening. */
  let begun = {};
  let date = null;
  let arePathsOwn = room !== null;

  /** Shows a definition. What the six fields cannot hold stands behind "more". */
  function show(definition) {
    const { paths: of = [], permits: count = 1, opens_at: opensAt, draw: how = "shuffle", ...others } = definition;
    begun = definition;
    date = onlyDate(opensAt);
    const isPlain = opensAt === undefined || date !== null || [opensAt].flat().length === 0;
    paths.value = [of].flat().join("\n");
    permits.value = count;
    opens.value = date === null ? "" : minute(localText(Date.parse(date), ownZone()));
    draw.value = how;
    opensField.hidden = !isPlain;
    rows.replaceChildren(...Object.entries(isPlain ? others : { ...others, opens_at: opensAt }).map(([key, value]) => rowOf(key, value)));
    follow();
  }

  function follow() {
    past.hidden = opensField.hidden || opens.value === "" || !isPast("opens_at", opensAt());
    more.firstElementChild.textContent = filled(house.more, { count: rows.children.length });
  }

  /** Returns the opening as it was written, or as it is chosen now. */
  function opensAt() {
    const isSame = date !== null && opens.value === minute(localText(Date.parse(date), ownZone()));
    return isSame ? begun.opens_at : new Date(opens.value).toISOString().replace(".000", "");
  }

  function read() {
    const others = Object.fromEntries([...rows.children].map((one) => [one.dataset.key, readValue(one.querySelector("input").value)]));
    const hasOpening = !opensField.hidden && opens.value !== "";
    const isDrawn = "draw" in begun || draw.value !== DRAWS[0];
    return {
      name: name.value,
      definition: {
        paths: linesOf(paths.value),
        permits: Number(permits.value),
        ...(hasOpening && { opens_at: opensAt() }),
        ...(isDrawn && { draw: draw.value }),
        ...others,
      },
    };
  }

  const add = make("select", { ariaLabel: house.add }, new Option(house.add, ""), ...Object.keys(known).map((key) => new Option(key, key)));
  add.addEventListener("change", () => {
    const { [add.value]: setting } = known;
    if (setting && !rows.querySelector(`[data-key="${add.value}"]`)) rows.append(rowOf(add.value, setting.value));
    add.value = "";
    follow();
    rows.lastElementChild?.querySelector("input").focus();
  });
  more.append(add);
  paths.addEventListener("input", () => {
    arePathsOwn = true;
  });
  name.addEventListener("input", () => {
    if (!arePathsOwn) paths.value = name.value ? `/${name.value}/*` : "";
  });
  const parts = [field(house.name, name)];
  if (room === null) {
    const from = make("select", {}, ...copies.map(([one], at) => new Option(one, String(at))), new Option(house.blank, "-1"));
    const begin = () => {
      const kept = paths.value;
      show({ ...freshOf(copies[from.value]?.[1] ?? {}), paths: linesOf(kept) });
    };
    from.addEventListener("change", begin);
    parts.push(field(house.from, from));
    begin();
  } else show(copies.find(([one]) => one === room)[1]);
  const element = make(
    "form",
    { className: "define" },
    make("h3", { textContent: room ?? house.define }),
    ...parts,
    field(house.fields.paths, paths),
    field(house.fields.permits, permits),
    opensField,
    field(house.fields.draw, draw),
    more,
  );
  element.addEventListener("input", follow);
  return { element, read, focus: () => (room === null ? name : paths).focus() };
}

/** Returns one setting behind "more": its key, its value as the file would have it, and a button that removes it. */
function rowOf(key, value) {
  const drop = make("button", { type: "button", textContent: "×", ariaLabel: `${words.house.drop}: ${key}` });
  const element = make(
    "div",
    { className: "setting" },
    field(key, make("input", { value: writtenValue(value), spellcheck: false, autocapitalize: "none" })),
    drop,
  );
  element.dataset.key = key;
  drop.addEventListener("click", () => {
    const form = element.closest("form");
    element.remove();
    // A click on what is gone does not reach the form, which hides what was planned before.
    form.dispatchEvent(new Event("input"));
  });
  return element;
}
