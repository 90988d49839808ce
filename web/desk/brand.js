/* A room's brand at the desk: fields, the page that they make in every state and language, and whether it can be read. Nothing is saved
 * before the operator asks for it, and then only if the house is as it was seen. preview.js makes the page, colours.js judges contrast. */

import { confirmed, field } from "./ask.js";
import { KEYS, TEXTS, brandOf, isSame, pruned } from "./brand_values.js";
import { CONTRAST_MIN, NAMES, OURS, SHADES, contrasts, parsed } from "./colours.js";
import { filled } from "./filled.js";
import { changeLines } from "./house.js";
import { STATES, createPreview } from "./preview.js";
import { h, patch } from "./tree.js";
import { language, words } from "./words.js";

/** The page is redrawn this long after the last keystroke. */
const REST_MS = 120;
const WIDTHS = ["phone", "desktop"];
const ANY = "any";

const make = (tag, attrs = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attrs);
  element.append(...children);
  return element;
};
const button = (text, onclick, attrs = {}) => make("button", { type: "button", textContent: text, onclick, ...attrs });
const ratio = (milli) => (Math.floor(milli / 100) / 10).toFixed(1);

/** Creates the screen in `place`. `desk` is as for the house's screen; `languages` has the tag and the name of each. */
export function createBrand(place, desk, languages) {
  let room = null;
  let house = null;
  let own = {};
  let draft = {};
  const chosen = {
    language: languages.some(([tag]) => tag === language) ? language : "en",
    state: "waiting",
    scheme: "light",
    width: "phone",
    texts: ANY,
  };
  let parts = null;

  /** Reads the room's page settings, and shows them. */
  async function open(name) {
    room = name;
    // The title at once, and nothing of the room that stood here before.
    place.replaceChildren(make("h1", { className: "head", textContent: filled(words.brand.title, { room }) }));
    const [told, kept] = await Promise.all([desk.api.room(name).catch(() => null), desk.api.house().catch((error) => ({ error }))]);
    if (room !== name) return;
    const definition = kept.rooms?.[name]?.definition;
    const setting = (key) => definition?.[key] ?? (definition ? undefined : told?.settings?.[key]?.value);
    own = Object.fromEntries(KEYS.map((key) => [key, setting(key) ?? (["page_colours", "page_texts"].includes(key) ? {} : "")]));
    take(kept);
    draw();
  }

  function take(kept) {
    house = kept.error ? { absent: kept.error.status === 404 ? words.house.absent : desk.why(kept.error) } : kept;
    draft = structuredClone({ ...own, ...house.brands?.[room] });
  }

  function draw() {
    const frame = make("iframe", { title: words.brand.preview });
    frame.setAttribute("sandbox", "allow-same-origin");
    parts = {
      show: createPreview(frame),
      frame,
      contrast: make("div", { className: "contrast" }),
      save: make("div"),
      texts: make("div", { className: "texts" }),
      pictures: make("div", { className: "pictures" }),
    };
    parts.contrast.setAttribute("role", "status");
    const form = make(
      "form",
      { className: "define" },
      make("h1", { className: "head", textContent: filled(words.brand.title, { room }) }),
      make("p", { className: "hint", textContent: words.brand.hint }),
      textField("page_title", 80),
      textField("page_message", 500),
      textField("page_help_url", 2_000),
      logoField(),
      ...SHADES.map(shadeFields),
      parts.contrast,
      textsField(),
      parts.save,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      save();
    });
    place.replaceChildren(
      make("div", { className: "brand" }, form, make("section", { className: "shown" }, choices(), make("div", { className: "stage" }, frame))),
    );
    texts();
    turned();
  }

  /** Brings the page, the contrasts and what can be saved up to date after a change. */
  let resting;
  function turned() {
    judge();
    showSave();
    clearTimeout(resting);
    resting = setTimeout(preview, REST_MS);
  }

  async function preview() {
    parts.frame.className = chosen.width;
    await parts
      .show({ room, brand: readable(), language: chosen.language, state: chosen.state, scheme: chosen.scheme })
      .catch((error) => desk.say(String(error.message)));
  }

  /** Returns the draft without colours that are not complete yet, because somebody is typing them. */
  const readable = () => ({
    ...draft,
    page_colours: pruned(
      Object.fromEntries(
        SHADES.map((shade) => [shade, Object.fromEntries(Object.entries(draft.page_colours?.[shade] ?? {}).filter(([, text]) => parsed(text)))]),
      ),
    ),
  });

  function textField(key, chars) {
    const input = make(key === "page_message" ? "textarea" : "input", { value: draft[key], maxLength: chars, rows: 2, autocomplete: "off" });
    input.dataset.key = key;
    input.addEventListener("input", () => {
      draft[key] = input.value;
      turned();
    });
    return field(words.brand[key], input);
  }

  function logoField() {
    const file = make("input", { type: "file", accept: "image/png,image/jpeg,image/webp" });
    file.dataset.key = "logo";
    file.addEventListener("change", async () => {
      const [picture] = file.files;
      file.value = "";
      if (!picture) return;
      if (picture.size > 200_000) return desk.say(words.brand.logo_large);
      try {
        draft.page_logo = (await desk.api.putImage(picture)).address;
        desk.say(words.brand.logo_kept);
        pictures();
        turned();
      } catch (error) {
        desk.say(desk.why(error));
      }
    });
    pictures();
    return make(
      "fieldset",
      {},
      make("legend", { textContent: words.brand.page_logo }),
      parts.pictures,
      ...(house.absent ? [] : [field(words.brand.logo_file, file)]),
    );
  }

  function pictures() {
    const none = !draft.page_logo;
    const image = none
      ? make("span", { className: "hint", textContent: words.empty })
      : make("img", { src: draft.page_logo, alt: words.brand.page_logo });
    parts.pictures.replaceChildren(
      image,
      ...(none
        ? []
        : [
            button(words.brand.logo_drop, () => {
              draft.page_logo = "";
              pictures();
              turned();
            }),
          ]),
    );
  }

  function shadeFields(shade) {
    const rows = NAMES.map((name) => {
      const now = () => draft.page_colours?.[shade]?.[name] ?? "";
      const text = make("input", {
        value: now(),
        placeholder: OURS[shade][name],
        pattern: "#[0-9a-fA-F]{6}",
        maxLength: 7,
        spellcheck: false,
        autocapitalize: "none",
      });
      text.dataset.key = `${shade}-${name}`;
      const well = make("input", {
        type: "color",
        value: parsed(now()) ? now() : OURS[shade][name],
        ariaLabel: `${words.brand.shades[shade]}: ${words.brand.colours[name]}`,
      });
      const set = (value) => {
        const of = { ...draft.page_colours?.[shade], [name]: value };
        if (value === "") delete of[name];
        draft.page_colours = pruned({ ...draft.page_colours, [shade]: of });
        if (parsed(value)) well.value = value;
        if (chosen.scheme !== shade) choose("scheme", shade);
        turned();
      };
      text.addEventListener("input", () => set(text.value.trim()));
      well.addEventListener("input", () => {
        text.value = well.value;
        set(well.value);
      });
      text.addEventListener("baton:take", ({ detail }) => {
        text.value = detail;
        set(detail);
      });
      return make("div", { className: "colour" }, well, field(words.brand.colours[name], text));
    });
    return make("fieldset", {}, make("legend", { textContent: words.brand.shades[shade] }), ...rows);
  }

  /** Shows which colours can be read, and offers one that would do in place of each that cannot. */
  function judge() {
    const { page_colours: colours } = readable();
    const lines = SHADES.filter((shade) => colours[shade]).flatMap((shade) =>
      Object.entries(contrasts(colours[shade], shade)).map(([name, { milli, nearest }]) => {
        const values = { shade: words.brand.shades[shade], name: words.brand.colours[name], ratio: ratio(milli) };
        const isGood = milli >= CONTRAST_MIN;
        return h(
          "p",
          { class: isGood ? "good" : "note" },
          filled(isGood ? words.brand.contrast_good : nearest ? words.brand.contrast_poor : words.brand.contrast_none, values),
          nearest &&
            h(
              "button",
              { type: "button", "data-take": `${shade}-${name}`, "data-colour": nearest },
              filled(words.brand.contrast_take, { colour: nearest }),
            ),
        );
      }),
    );
    patch(parts.contrast, lines);
  }

  function textsField() {
    const names = [[ANY, words.brand.any], ...languages];
    const select = make("select");
    select.append(...names.map(([tag, name]) => new Option(name, tag, false, tag === chosen.texts)));
    select.dataset.key = "texts-language";
    select.addEventListener("change", () => {
      chosen.texts = select.value;
      if (select.value !== ANY) choose("language", select.value);
      texts();
      turned();
    });
    return make("fieldset", {}, make("legend", { textContent: words.brand.texts }), field(words.brand.language, select), parts.texts);
  }

  function texts() {
    const of = chosen.texts;
    const lang = of === ANY ? {} : { lang: of };
    const rows = Object.entries(TEXTS)
      .filter(([name]) => of !== ANY || !["title", "message"].includes(name))
      .map(([name, chars]) => {
        const input = make("textarea", { rows: 1, maxLength: chars, value: draft.page_texts?.[of]?.[name] ?? "", dir: "auto", ...lang });
        input.dataset.key = `text-${name}`;
        input.addEventListener("input", () => {
          const own = { ...draft.page_texts?.[of], [name]: input.value };
          if (input.value === "") delete own[name];
          draft.page_texts = pruned({ ...draft.page_texts, [of]: own });
          if (STATES[name]) choose("state", name);
          turned();
        });
        return field(words.brand.text[name], input);
      });
    parts.texts.replaceChildren(...rows);
  }

  /** Returns the choices of what to look at: the state, the language, the scheme and the width. */
  function choices() {
    const of = {
      state: Object.keys(STATES).map((name) => [name, words.brand.states[name]]),
      language: languages,
      scheme: SHADES.map((shade) => [shade, words.brand.shades[shade]]),
      width: WIDTHS.map((width) => [width, words.brand.widths[width]]),
    };
    const selects = Object.entries(of).map(([key, options]) => {
      const select = make("select");
      select.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen[key])));
      select.dataset.look = key;
      select.addEventListener("change", () => {
        chosen[key] = select.value;
        preview();
      });
      return field(words.brand.look[key], select);
    });
    return make("div", { className: "looks" }, ...selects);
  }

  function choose(key, value) {
    chosen[key] = value;
    place.querySelector(`[data-look="${key}"]`).value = value;
  }

  /** Returns whether the last change of the house is one of this page alone. Any other is taken back on the house's own screen. */
  const isOwnUndo = () => house.undo?.length > 0 && house.undo.every(({ room: of, does }) => of === room && does === "brand");

  function showSave() {
    const brand = brandOf(draft, own);
    const isOther = !house.absent && !isSame(brand, house.brands?.[room] ?? {});
    const may = desk.mayChange() && !house.absent;
    patch(parts.save, [
      house.absent && h("p", { class: "note" }, house.absent, " ", words.brand.by_file),
      house.absent && h("pre", {}, JSON.stringify(brand, null, 1)),
      may &&
        h(
          "div",
          { class: "row" },
          h("button", { class: "strong", disabled: !isOther }, words.brand.save),
          house.brands?.[room] && h("button", { type: "button", "data-brand": "clear" }, words.brand.clear),
          desk.mayUndo() &&
            isOwnUndo() &&
            h("button", { type: "button", "data-brand": "undo" }, filled(words.house.undo, { changes: changeLines(house.undo).join("; ") })),
        ),
    ]);
  }

  /** Changes the house if it is as it was seen, and says what came of it. A draft that was refused stays. */
  async function attempt(work, done) {
    try {
      take(await work(house.revision));
      desk.say(filled(done, { room }));
      draw();
    } catch (error) {
      desk.say(error.status === 412 ? words.brand.conflict : desk.why(error));
      if (error.status === 412) house = { ...house, ...(await desk.api.house().catch(() => ({}))) };
      showSave();
    }
  }

  const save = () =>
    desk.mayChange() && !house.absent && attempt((revision) => desk.api.brandRoom(room, brandOf(draft, own), revision), words.brand.saved);
  const actions = {
    clear: async () =>
      (await confirmed(filled(words.brand.clear_question, { room }), words.brand.clear_follows, words.brand.clear)) &&
      attempt((revision) => desk.api.unbrandRoom(room, revision), words.brand.cleared),
    undo: async () =>
      (await confirmed(words.house.undo_question, changeLines(house.undo), words.change)) &&
      attempt((revision) => desk.api.undoHouse(revision), words.brand.undone),
  };
  place.addEventListener("click", ({ target }) => {
    const { brand, take: taken, colour } = target.closest("[data-brand], [data-take]")?.dataset ?? {};
    if (brand) actions[brand]();
    if (taken) place.querySelector(`[data-key="${taken}"]`).dispatchEvent(new CustomEvent("baton:take", { detail: colour }));
  });
  return { open };
}
