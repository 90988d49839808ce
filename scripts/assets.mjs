/*
 * Builds what the edge serves as static files: one page template for each language, and its style and modules under
 * names that change with their content. What the page needs at first is joined into one file, because nine files cost a phone
 * on a train more than they weigh; the sources need no build. What draws a QR code comes from a package, so it is bundled too;
 * it loads when somebody asks for a code. The same input gives the same bytes.
 *
 *   node scripts/assets.mjs [outDir]
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..", "web");
/** The folder where the build (scripts/build.mjs) puts the WebAssembly of the desk: its forecast and its report. */
const BUILT = join(WEB, "..", ".baton");
const CRATES = [
  { crate: "advice", script: "forecaster.js", from: "desk/forecaster.js" },
  { crate: "report", script: "reporter.js", from: "report/maker.js" },
];
const PREFIX = "/__baton/static/";
/** The policy that the front sends with the page (src/edge/front/waiting.rs), for tools that show the page without the front. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";
/** Returns the same policy for a page that contains a style sheet of a room's colours. */
export const policyWith = (style) =>
  style
    ? CONTENT_SECURITY_POLICY.replace("style-src 'self'", `style-src 'self' 'sha256-${createHash("sha256").update(style).digest("base64")}'`)
    : CONTENT_SECURITY_POLICY;
/** The language from which a missing text is taken. */
const FALLBACK = "en";
export const PLACEHOLDERS = [
  "state",
  "refused",
  "full",
  "reason",
  "mode",
  "unsaid",
  "missed",
  "near",
  "notice",
  "room",
  "number",
  "lane",
  "behind",
  "better",
  "code",
  "ahead",
  "waiting",
  "eta_min",
  "eta_max",
  "opens_min",
  "seats",
  "seats_to",
  "draw",
  "entry",
  "now_ms",
  "refresh_s",
  "message",
  "title",
  "logo",
  "page_message",
  "help_url",
  "style",
  "text_hall",
  "text_waiting",
  "text_paused",
  "text_closed",
  "text_sold_out",
  "back",
  "to",
  "refresh_to",
  "start",
  "status",
];
/** Browsers of the last five years; older ones get what `watch.js` does. */
const TARGET = "es2021";
/** @satisfies {import("esbuild").BuildOptions} */
const JOINED = { bundle: true, minify: true, write: false, format: "esm", target: TARGET, charset: "utf8", legalComments: "none" };
/** The folder of the files that have their hash in their name. */
const HASHED = "h/";
/** Stands in place of a file's name until the file is built; the desk reads it. */
const NOT_YET = "";
/** The files that the front or a shop's page knows by name. */
const MINUTES = ["keep.js", "turnstile.js"];
/**
 * The `_headers` file of Cloudflare's static assets. If two rules set a header, both values would be sent, so no two rules set the same one. There
 * may be a hundred rules; these do not grow with what is built.
 */
const RULES = [
  ["*", "X-Content-Type-Options: nosniff"],
  [`${HASHED}*`, "Cache-Control: public, max-age=31536000, immutable"],
  ["*.html", "Cache-Control: no-store", "X-Robots-Tag: noindex"],
  ["files.json", "Cache-Control: no-store"],
  ...MINUTES.map((name) => [name, "Cache-Control: public, max-age=300"]),
];

/**
 * Writes `outDir/__baton/static/*`, `outDir/__baton/openapi.json` and `outDir/_headers`; `files.json` lists the files that have a hash in their name. `own` is a folder with the
 * operator's own `page.html` and the files that it loads (demo/own-page/README.md). The crates in `later` are not built yet, and the desk says so.
 * Throws if a page has a placeholder that the front does not fill, a text that no language has, or a file that is not there.
 */
export async function buildAssets(outDir, { own = join(WEB, "own"), built = BUILT, later = [] } = {}) {
  const target = join(outDir, PREFIX);
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, HASHED), { recursive: true });
  const names = new Map();
  const emit = async (name, content) => {
    await writeFile(join(target, name), content);
  };
  const emitHashed = async (name, content) => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
    names.set(name, HASHED + name.replace(/(?=\.\w+$)/, `.${hash}`));
    await emit(names.get(name), content);
  };

  await emitHashed("page.css", await lean("css", (await source("theme.css")) + (await source("page.css")) + (await source("states.css"))));
  await emitHashed("states.css", await lean("css", await source("states.css")));
  await emitHashed("main.js", await joined("main.js"));
  await emitHashed("offers.js", await joined("offers.js"));
  await emitHashed("watch.js", await lean("js", await source("watch.js"), "es5"));
  await emitHashed("carry.css", await lean("css", await source("carry.css")));
  const page = (await ownPage(own, emitHashed)) ?? unbroken(await source("page.html"));
  const all = await locales();
  const carryPage = await source("carry.html"),
    carryTexts = await filesIn("carry");
  for (const { lang, js, later, ...rest } of all) {
    const carry = carryTexts.find((texts) => texts.lang === lang) ?? carryTexts.find((texts) => texts.lang === FALLBACK);
    await emitHashed(`carry.${lang}.js`, await bundleCarry(carry.js, PREFIX + names.get("carry.css")));
    await emit(`carry.${lang}.html`, fillPage(carryPage, carry, names, all));
    await emitHashed(
      `later.${lang}.js`,
      `import{offer}from"${PREFIX}${names.get("offers.js")}";offer(${JSON.stringify(later)},"${PREFIX}${names.get(`carry.${lang}.js`)}");\n`,
    );
    const texts = { ...rest, lang, words: JSON.stringify(js).replaceAll("<", "\\u003c") };
    await emit(`page.${lang}.html`, fillPage(page, texts, names, all));
  }
  await emitDraw(emit, emitHashed, names);
  for (const plain of ["down", "refused"]) {
    const html = await source(`${plain}/${plain}.html`);
    for (const texts of await filesIn(plain)) await emit(`${plain}.${texts.lang}.html`, fillPage(html, texts, names, [], ["to"]));
  }
  await emitDesk(emit, emitHashed, names, { built, later, all });
  // Beside the static files, so that no address leads there: the front answers operators with it.
  await emit("../openapi.json", JSON.stringify(JSON.parse(await readFile(join(WEB, "..", "docs", "openapi.json"), "utf8"))));
  await emit("turnstile.js", await lean("js", await source("turnstile.js")));
  await emit("keep.js", await lean("js", await source("keep.js")));
  await emit("files.json", `${JSON.stringify({ files: [...names.values()].filter((name) => name !== NOT_YET).sort() })}\n`);
  await writeFile(
    join(outDir, "_headers"),
    RULES.map(([name, ...lines]) => `${PREFIX}${name}\n${lines.map((line) => `  ${line}\n`).join("")}`).join(""),
  );
}

/** Returns the crates that `npm start` has not built yet, for callers that only look at pages. */
export const unbuilt = () => CRATES.map(({ crate }) => crate).filter((crate) => !existsSync(join(BUILT, crate, `${crate}_bg.wasm`)));

/** Resolves to the module that shows a link, with its words and the code that draws its QR code. */
async function bundleCarry(words, styles) {
  const contents = `import { open as show } from "./carry.js";\nexport const open = (button) => show(button, ${JSON.stringify(words)}, "${styles}");\n`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: WEB },
    ...JOINED,
  });
  return outputFiles[0].text;
}

/** Writes the page that repeats a draw. */
async function emitDraw(emit, emitHashed, names) {
  await emitHashed("draw.css", await lean("css", await source("draw/draw.css")));
  await emitHashed("draw.js", await joined("draw/draw.js"));
  for (const { words, ...texts } of await filesIn("draw")) {
    const filled = fillPage(await source("draw/draw.html"), { ...texts, words: JSON.stringify(words) }, names, []);
    await emit(`draw.${texts.lang}.html`, filled);
  }
}

/** Writes the operator's desk. Its page comes with English words; desk.js puts others in their place. */
async function emitDesk(emit, emitHashed, names, { built, later, all }) {
  await emitHashed(
    "desk.css",
    await lean("css", (await source("theme.css")) + (await source("desk/desk.css")) + (await source("desk/timeline.css"))),
  );
  await emitHashed("desk.js", await joined("desk/desk.js"));
  for (const { crate, script, from } of CRATES) {
    if (later.includes(crate)) {
      for (const name of [script, `${crate}.wasm`]) names.set(name, NOT_YET);
      continue;
    }
    await emitHashed(script, await joined(from, { alias: { [`baton-${crate}`]: join(built, crate, `${crate}.js`) } }));
    await emitHashed(`${crate}.wasm`, await readFile(join(built, crate, `${crate}_bg.wasm`)));
  }
  const words = JSON.parse(await source("desk/words.en.json"));
  const page = (await source("desk/desk.html")).replace(/(data-word="([\w.]+)"[^>]*>)/g, (_, tag, path) => {
    const text = path.split(".").reduce((texts, key) => texts?.[key], words);
    if (typeof text !== "string") throw new Error(`desk.html wants ${path}, which words.en.json does not have`);
    return tag + escape(text);
  });
  const pages = escape(JSON.stringify(all.map(({ lang, name }) => [lang, name])));
  await emit("desk.html", fillPage(page, { words: pages }, names, []));
}

/** Resolves to the operator's own page, or null if there is none. The files beside it are published under names with their hashes. */
async function ownPage(own, emitHashed) {
  if (!existsSync(join(own, "page.html"))) return null;
  for (const name of (await readdir(own)).sort()) {
    if (![".html", ".md"].includes(extname(name))) await emitHashed(`own.${name}`, await readFile(join(own, name)));
  }
  return await readFile(join(own, "page.html"), "utf8");
}

async function source(name) {
  return await readFile(join(WEB, name), "utf8");
}

/**
 * Resolves to every language, whole and sorted by name. What one of the `files` (by default those of `web/locales/`) lacks comes from the fallback.
 */
export async function locales(files) {
  const all = files ?? (await filesIn("locales"));
  const fallback = all.find(({ lang }) => lang === FALLBACK);
  return all
    .map((texts) => ({
      ...fallback,
      ...texts,
      js: { ...fallback.js, ...texts.js },
      later: { ...fallback.later, ...texts.later },
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function filesIn(folder) {
  const files = (await readdir(join(WEB, folder))).filter((name) => name.endsWith(".json"));
  return await Promise.all(files.map(async (name) => JSON.parse(await source(join(folder, name)))));
}

/** Fills in what is known now. The worker fills in the rest: PLACEHOLDERS, and in plain pages `others`. */
function fillPage(page, texts, names, all, others = []) {
  const languages = all
    .filter(({ lang }) => lang !== texts.lang)
    .map(
      ({ lang, name, dir }) => `<button formaction="/__baton/{{room}}/language/${lang}{{to}}" lang="${lang}" dir="${dir}">${escape(name)}</button>`,
    );
  const built = { languages: languages.join("\n"), words: texts.words };
  const html = page
    .replace(/<!--[^]*?-->\n?/g, "")
    .replace(/@@([\w.-]+)@@/g, (whole, name) => {
      const file = names.get(name === "later.js" ? `later.${texts.lang}.js` : name);
      if (file === undefined && !built[name]) throw new Error(`page.html wants ${name}, which is not there`);
      return built[name] ?? (file === NOT_YET ? NOT_YET : PREFIX + file);
    })
    .replace(/\[\[([\w.]+)\]\]/g, (whole, key) => {
      if (typeof texts[key] !== "string") throw new Error(`page.html wants ${key}, which no locale has`);
      return escape(texts[key]);
    });
  for (const [, name] of html.matchAll(/\{\{[#^/]?(.*?)\}\}/g)) {
    if (![...PLACEHOLDERS, ...others].includes(name)) throw new Error(`{{${name}}} is not among the placeholders of demo/own-page/README.md`);
  }
  return html;
}

/**
 * Returns the page without the line breaks between two tags or sections of the template. In our page that space is never seen; in one of the
 * operator's own it may be. A text or a tag that spans several lines stays as it is.
 */
function unbroken(page) {
  return page.replace(/(?<=[>}])\n+(?=[<{])/g, "");
}

/** Resolves to a module of `web/` joined with everything that it imports. */
async function joined(name, more = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(WEB, name)],
    ...JOINED,
    ...more,
  });
  return outputFiles[0].text;
}

/** Resolves to the minified text. */
async function lean(loader, text, target = TARGET) {
  const { code } = await transform(text, { loader, minify: true, target, legalComments: "none", charset: "utf8" });
  return code;
}

function escape(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildAssets(process.argv[2] ?? "build/assets");
