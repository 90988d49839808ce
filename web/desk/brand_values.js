/* The values of a brand: which keys it has, what of a draft is kept, and what a page says in which language. Pure. */

/** The keys of a room's page. */
export const KEYS = ["page_title", "page_logo", "page_message", "page_help_url", "page_colours", "page_texts"];
/** The texts that a brand has by language, with the most characters of each. */
export const TEXTS = { title: 80, message: 500, hall: 200, waiting: 200, paused: 200, closed: 200, sold_out: 200 };

/** Returns what a page in a language says: the text for that language, else the one for any language, else the room's. */
function textIn(brand, language, name) {
  const texts = brand.page_texts ?? {};
  const found = texts[language]?.[name] ?? texts.any?.[name];
  return found || { title: brand.page_title, message: brand.page_message }[name] || "";
}

/** Returns the values of a template for a brand. */
export function brandValues(brand, language) {
  const text = (name) => textIn(brand, language, name);
  return {
    title: text("title"),
    page_message: text("message"),
    logo: brand.page_logo ?? "",
    help_url: brand.page_help_url ?? "",
    style: "",
    ...Object.fromEntries(["hall", "waiting", "paused", "closed", "sold_out"].map((name) => [`text_${name}`, text(name)])),
  };
}

/** Returns whether two values have the same JSON. */
export const isSame = (one, two) => JSON.stringify(one ?? null) === JSON.stringify(two ?? null);

/** Returns `tree` without its empty parts. */
export const pruned = (tree) => Object.fromEntries(Object.entries(tree).filter(([, part]) => part && Object.keys(part).length > 0));

/** Returns what of a draft differs from the room's own table. The house keeps only that. */
export const brandOf = (draft, own) => Object.fromEntries(KEYS.filter((key) => !isSame(draft[key], own[key])).map((key) => [key, draft[key]]));
