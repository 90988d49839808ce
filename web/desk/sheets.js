/* Invitations and codes of a room: what each sheet has and how much of it was used; a sheet is made, saved as links, taken back. The API is asked
 * once somebody opens the drawer. Codes are sent as typed and never shown again: Baton keeps hashes. */

import { confirmed, field } from "./ask.js";
import { filled } from "./filled.js";
import { codesOf, leadsTo, linkTo, sheetLine } from "./sheet_says.js";
import all from "./sheets_words.json" with { type: "json" };
import { h, patch } from "./tree.js";
import { language } from "./words.js";
import { write } from "./written.js";

const texts = all[language];
const DAY_MS = 86_400_000;
const DAYS_MAX = 90;
const INVITATIONS_MAX = 100_000;
const make = (tag, attrs = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attrs);
  element.append(...children);
  return element;
};

/** Brings the `<details>` of a room's sheets to life. `desk` has the API's calls, `mayChange()`, `say(text)` and `why(error)`. Returns a function that takes the room as told. */
export function createSheets(element, room, desk) {
  element.querySelector("summary").textContent = texts.title;
  const list = make("div");
  const news = make("p", { className: "hint" });
  news.setAttribute("role", "status");
  const form = make("form", { className: "rows" });
  element.append(list, news, form);
  let told = null;
  let shownFor = "";

  async function look() {
    if (!element.open || isOff()) return;
    try {
      const { sheets } = await desk.api.sheets(room);
      const nowMs = Date.now();
      const button = (name, sheet) => h("button", { type: "button", "data-sheet": sheet, "data-does": name }, texts[name]);
      patch(
        list,
        sheets.length === 0
          ? [h("p", {}, texts.none)]
          : [
              h(
                "ul",
                { class: "lying" },
                sheets.map((one) =>
                  h(
                    "li",
                    { key: `sheet-${one.sheet}` },
                    h("div", {}, sheetLine(one, nowMs, texts, write)),
                    desk.mayChange() && h("span", { class: "row" }, one.invitations && button("save", one.sheet), button("withdraw", one.sheet)),
                  ),
                ),
              ),
            ],
      );
    } catch (error) {
      patch(list, [h("p", { class: "note" }, desk.why(error))]);
    }
  }

  const isOff = () => told.settings.entry.value === "off";

  /** Reads all links of a sheet and offers them as a file. */
  async function save(sheet) {
    const links = [];
    const address = form.elements.leads.value;
    for (let from = 0; from !== null; ) {
      const page = await desk.api.invitations(room, sheet, from);
      links.push(...page.invitations.map((token, at) => `${sheet},${links.length + at + 1},${linkTo(address, token)}\n`));
      from = page.next;
      news.textContent = filled(texts.reading, { count: write.number(links.length) });
    }
    const url = URL.createObjectURL(new Blob(["sheet,number,link\n", ...links], { type: "text/csv" }));
    const file = make("a", { href: url, download: `${room}-sheet-${sheet}.csv`, textContent: texts.file });
    news.replaceChildren(`${filled(texts.saved, { sheet, count: write.number(links.length) })} `, file);
    file.click();
  }

  async function withdraw(sheet) {
    const values = { room, sheet };
    if (!(await confirmed(filled(texts.withdraw_question, values), texts.withdraw_follows, texts.withdraw))) return;
    await desk.api.withdrawSheet(room, sheet);
    desk.say(filled(texts.withdrawn, values));
  }

  async function makeSheet() {
    const { kind, count, codes, lane, days } = form.elements;
    const lines = codesOf(codes.value);
    const what = kind.value === "codes" ? { codes: lines.map(({ code, uses }) => ({ code, uses })) } : { invitations: Number(count.value) };
    const made = await desk.api
      .makeSheet(room, { ...what, ...(lane?.value && { lane: lane.value }), ends_at_ms: Date.now() + Number(days.value) * DAY_MS })
      .catch((error) => {
        error.message = error.message.replace(/\bcodes\[(\d+)\]/g, (index, at) => (lines[at] ? filled(texts.line, lines[at]) : index));
        throw error;
      });
    desk.say(filled(texts[`made_${kind.value}`], { room, sheet: made.sheet, count: write.number((made.invitations ?? made.codes).count) }));
    codes.value = "";
    if (made.invitations) await save(made.sheet);
  }

  /** Does one thing, says why if it fails, and looks again. */
  async function attempt(work) {
    try {
      await work();
    } catch (error) {
      news.textContent = desk.why(error);
    }
    await look();
  }

  const actions = { save, withdraw };
  list.addEventListener("click", ({ target }) => {
    const { does, sheet } = target.dataset;
    if (does) attempt(() => actions[does](Number(sheet)));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(makeSheet);
  });
  element.addEventListener("toggle", look);

  function drawForm() {
    const kind = make("select", { name: "kind" }, ...Object.entries(texts.kinds).map(([value, text]) => new Option(text, value)));
    const count = field(
      texts.count,
      make("input", { name: "count", type: "number", min: 1, max: INVITATIONS_MAX, step: 1, value: 100, required: true }),
    );
    const codes = field(texts.list, make("textarea", { name: "codes", rows: 4, spellcheck: false, autocapitalize: "characters" }));
    const leads = field(texts.leads, make("input", { name: "leads", type: "url", required: true, value: leadsTo(told, location.origin) }));
    const lanes = told.report.lanes ?? [];
    const lane =
      lanes.length > 0 &&
      field(
        texts.in_lane,
        make(
          "select",
          { name: "lane" },
          new Option(texts.everybody, ""),
          ...lanes.filter(({ is_listed: isListed }) => isListed).map(({ name, title }) => new Option(title, name)),
        ),
      );
    const days = field(texts.days, make("input", { name: "days", type: "number", min: 1, max: DAYS_MAX, step: 1, value: 30, required: true }));
    const turn = () => {
      const isCodes = kind.value === "codes";
      count.hidden = leads.hidden = isCodes;
      codes.hidden = !isCodes;
      // What is hidden is not asked for.
      count.querySelector("input").disabled = isCodes;
      codes.querySelector("textarea").required = isCodes;
    };
    kind.addEventListener("change", turn);
    turn();
    form.replaceChildren(
      ...[
        make("h3", { textContent: texts.make }),
        field(texts.kind, kind),
        count,
        codes,
        lane,
        days,
        leads,
        make("button", { textContent: texts.make }),
      ].filter(Boolean),
    );
  }

  return (now) => {
    told = now;
    const { entry } = told.settings ?? {};
    element.hidden = !entry;
    if (!entry) return;
    const shape = [entry.value, desk.mayChange(), (told.report.lanes ?? []).map(({ name }) => name)].join(" ");
    if (shape === shownFor) return;
    shownFor = shape;
    form.hidden = isOff() || !desk.mayChange();
    if (isOff()) patch(list, [h("p", { class: "hint" }, texts.off)]);
    else drawForm();
    look();
  };
}
