// The other names under which frameworks serve the page of a gated path, at their defaults: `/buy.data` for `/buy`. Baton knows paths and no pages, so
// `check-config` and the doctor ask for each. docs/stacks/other-names.md has the table.

import { gatedPath } from "./gated_path.mjs";

/** Stands for what only the shop knows: a build's name, a language. */
const LANGUAGE = "en";
const BUILD = "build";

/**
 * From a page's path without its last slash: which names, whose they are, and the pattern that gates them, if one does; `of` is which paths have one, where
 * not all do. `path` begins with a slash and has no star.
 */
const FAMILIES = [
  { by: "React Router", name: (path) => `${path}.data`, pattern: (path) => `${path}.data` },
  { by: "React Router, a page with a slash at its end", name: (path) => `${path}/_.data`, pattern: (path) => `${path}/*` },
  { by: "Next.js, Pages Router", name: (path, build = BUILD) => `/_next/data/${build}${path}.json`, pattern: (path) => `/_next/data/*${path}*` },
  { by: "SvelteKit", name: (path) => `${path}/__data.json`, pattern: (path) => `${path}/*` },
  { by: "Nuxt, where a rule caches the page", name: (path) => `${path}/_payload.json`, pattern: (path) => `${path}/*` },
  { by: "Qwik City", name: (path) => `${path}/q-data.json`, pattern: (path) => `${path}/*` },
  { by: "Rails and other format suffixes", name: (path) => `${path}.json`, pattern: (path) => `${path}*` },
  { by: "Rails and other format suffixes", name: (path) => `${path}.html`, pattern: (path) => `${path}*` },
  { by: "PHP's front controller", name: (path) => `/index.php${path}`, pattern: (path) => `/index.php${path}/*` },
  { by: "a script with a path behind its name", of: /\.(aspx?|cgi|cfm|php|pl|py)$/i, name: (path) => `${path}/x`, pattern: (path) => `${path}/*` },
  {
    by: "tRPC, a batch",
    of: /\/trpc\/[^/]+$/,
    name: (path) => `${path.replace(/[^/]+$/, "x,$&")}?batch=1`,
    pattern: (path) => path.replace(/[^/]+$/, "*"),
  },
  { by: "WordPress", name: (path) => `/?pagename=${path.slice(1)}` },
  { by: "WordPress", of: /^\/wp-json\//, name: (path) => `/?rest_route=${path.replace(/^\/wp-json/, "")}` },
  { by: "a language in front", name: (path) => `/${LANGUAGE}${path}`, pattern: (path) => `/*${path}/*` },
];

/** The most names that are asked for: eleven or twelve for each of some 17 patterns. */
const NAMES_MAX = 200;

/**
 * Returns the other names of the pages that these patterns gate for GET: `[{ path, name, by, pattern, nameOf }]`, each name once. `pattern` is what gates it,
 * undefined where only the query tells the page; `nameOf(path)` is that of another page. A pattern of everything, or of a star first, has none that it does
 * not gate. `build` is the name of Next.js's build, if it is known.
 */
export function otherNames(patterns, build) {
  const found = new Map();
  for (const each of patterns) {
    const path = gatedPath({ paths: [each] }).replace(/\/+$/, "");
    if (path === "" || /^(GET )?\/\*/.test(each) || !/^(GET )?\//.test(each)) continue;
    for (const { by, name, pattern } of FAMILIES.filter(({ of }) => of === undefined || of.test(path))) {
      const nameOf = (page) => name(page, build);
      const other = nameOf(path);
      if (!found.has(other)) found.set(other, { path, name: other, by, pattern: pattern?.(path), nameOf });
    }
  }
  return [...found.values()].slice(0, NAMES_MAX);
}

/** Returns a hint for each room about those of the names that it does not gate and a pattern would. `isGated(name)` resolves to whether any room does. */
export async function otherNamesText(rooms = {}, isGated) {
  const lines = [];
  for (const [room, { paths = [], hosts = [] }] of Object.entries(rooms)) {
    const open = [];
    for (const { name, by, pattern } of otherNames(paths)) if (pattern && !(await isGated(name, hosts[0]))) open.push(`${name} (${by})`);
    if (open.length > 0)
      lines.push(`hint: ROOMS.${room}.paths gates none of ${open.join(", ")}. Add those that your shop serves: docs/stacks/other-names.md\n`);
  }
  return lines.join("");
}
