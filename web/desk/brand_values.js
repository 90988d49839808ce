/* What a brand is made of: which keys, what of a draft is kept, and what a page says by it in which language. Pure. */

/** The keys of a room's page. */
export const KEYS = ["page_title", "page_logo", "page_message", "page_help_url", "page_colours", "page_texts"];
/** Texts that a brand has by language. */
export const TEXTS = { title: 80, message: 500, hall: 200, waiting: 200, closed: 200, sold_out: 200 };

/** What a page in a language says: its own, that for any language, the room's. */
function textIn(brand, language, name) {
  const texts = brand.page_texts ?? {};
  const found = texts[language]?.[name] ?? texts.any?.[name];
  return found || { title: brand.page_title, message: brand.page_message }[name] || "";
}

/** The values of a template for a brand. */
export function brandValues(brand, language) {
  const text = (name) => textIn(brand, language, name);
  return {
    title: text("title"), page_message: text("message"), logo: brand.page_logo ?? "", help_url: brand.page_help_url ?? "", style: "",
    ...Object.fromEntries(["hall", "waiting", "closed", "sold_out"].map((name) => [`text_${name}`, text(name)])),
  };
}

/** Whether two values are written alike. */
export const isSame = (one, two) => JSON.stringify(one ?? null) === JSON.stringify(two ?? null);

/** Without what is empty. */
export const pruned = (tree) => Object.fromEntries(Object.entries(tree).filter(([, part]) => part && Object.keys(part).length > 0));

/** What of a draft is other than the room's own table: that is what the house keeps. */
export const brandOf = (draft, own) => Object.fromEntries(KEYS.filter((key) => !isSame(draft[key], own[key])).map((key) => [key, draft[key]]));
