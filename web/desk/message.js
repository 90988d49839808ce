/* What everybody who waits reads: one text, and the same in other languages. They are one value, so a new text leaves no older translation behind. */

import { ask, field } from "./ask.js";
import { messageOf } from "./knobs.js";
import { words } from "./words.js";

const make = (tag, attrs) => Object.assign(document.createElement(tag), attrs);
const textIn = (attrs) => make("textarea", { maxLength: 500, ...attrs });

/** Returns a message as `{ any, ja, … }`. */
const byLanguage = (message) => (typeof message === "string" ? { any: message } : { any: "", ...message });

/** Asks for the message. `languages` has the tag and the name of each language of the page. Resolves to the live value, or to null for no. */
export async function askMessage({ question, follows, now, languages = JSON.parse(document.documentElement.dataset.pages) }) {
  const { any, ...others } = byLanguage(now ?? "");
  const place = make("div", { className: "tongues" });
  const choice = make("select");
  const nameOf = (tag) => languages.find(([one]) => one === tag)?.[1] ?? tag;
  const add = (tag, text) => {
    const input = textIn({ name: tag, lang: tag, rows: 2, value: text });
    place.append(field(nameOf(tag), input));
    choice.replaceChildren(
      new Option(words.ask.tongue, ""),
      ...languages.filter(([one]) => !place.querySelector(`[name="${one}"]`)).map(([one, name]) => new Option(name, one)),
    );
    return input;
  };
  choice.append(new Option(words.ask.tongue, ""), ...languages.map(([tag, name]) => new Option(name, tag)));
  for (const [tag, text] of Object.entries(others)) add(tag, text);
  choice.addEventListener("change", () => choice.value && add(choice.value, "").focus());
  const said = await ask({
    question,
    yes: words.actions.message.replace(" …", ""),
    fields: [field(words.ask.text, textIn({ name: "message", rows: 3, value: any })), place, field(words.ask.tongues, choice)],
    follows: (values) => follows(messageOf(values)),
  });
  return said && { message: messageOf(said) };
}
