// CONTRIBUTING.md's recipes: what a setting, a call, a fact, a reading of a request needs, as a list of files with an example. The list is true if
// each of its files has the example, and no file of src/ and web/ has it that is not listed. Pure: callers hand the texts over.

/** Each recipe's example: what stands for it in code. */
const EXAMPLES = {
  carry_within_s: /\bcarry_within_m?s\b/,
  origin_errors_window_s: /\borigin_errors_window_m?s\b/,
  "GET /rooms/{room}/hour": /(?<!\$)\{room\}\/hour|"\/hour"|\$\{ROOM\}\/hour|living\.room\.measured_at/,
  text_paused: /\btext_paused\b/,
  Slid: /\bSlid\b|"slid"/,
  EntryRefusals: /\bEntryRefusals\b/,
  "X-Up-Version": /x-up-version/i,
};
/** What a recipe lists whole. Docs, tests and tools have an example wherever it suits them. */
const WHOLE = /^(?:src|web)\//;

/** Returns the recipes of a page: name, example and files, in its order. A file counts that says in brackets what it gets, or stands before one that does. */
export function recipesOf(page) {
  const parts = (page.split(/^## Recipes$/m)[1] ?? "").split(/^\*\*(?=An? )/m).slice(1);
  return parts.map((part) => {
    const [, name, example, list] = /^(.+?)\*\*, as `([^`]+)`: ([^]*)$/.exec(part.replace(/\n/g, " ")) ?? ["", part.split("**")[0], undefined, ""];
    const rows = [...list.matchAll(/((?:`[^`]+`(?:, | and | )?)+)\([^)]*\)/g)];
    return { name, example, files: rows.flatMap(([, files]) => [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => file)) };
  });
}

/** Returns a sentence for each file that is listed and has no part, or has a part and is not listed. `texts`: file → text, of all that may be listed. */
export function wrongRecipes(page, texts, examples = EXAMPLES) {
  const recipes = recipesOf(page);
  const shown = recipes.map(({ example }) => example);
  const lost = Object.keys(examples)
    .filter((example) => !shown.includes(example))
    .map((example) => `CONTRIBUTING.md has no recipe with the example ${example}`);
  return lost.concat(
    recipes.flatMap(({ name, example, files }) => {
      const pattern = examples[example];
      if (!pattern) return [`CONTRIBUTING.md: "${name}" has no example that scripts/docs/recipes.mjs knows`];
      const idle = files
        .filter((file) => !pattern.test(texts[file] ?? ""))
        .map((file) => `CONTRIBUTING.md: "${name}" lists ${file}, which has no ${example}`);
      const more = Object.keys(texts).filter((file) => WHOLE.test(file) && pattern.test(texts[file]) && !files.includes(file));
      return [...idle, ...more.map((file) => `CONTRIBUTING.md: "${name}" leaves out ${file}, which has ${example}`)];
    }),
  );
}
